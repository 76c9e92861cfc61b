/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Cores of this host: the cores that this process may use, the ranks that share them, and how to bind a thread to
 * cores. No other package of the engine calls the operating system for these purposes. If threads cannot be bound, they
 * run on any core. The package uses the rendezvous and its own native library. It uses no other part of the engine.
 */
package dev.transload.engine.cores;
