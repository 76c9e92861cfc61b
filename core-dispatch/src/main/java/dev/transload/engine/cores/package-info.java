/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Cores of this host: which of them this process may use, which ranks share them, and tying a thread to some.
 * The operating system is asked here and nowhere else in the engine; where it cannot be asked, nothing is tied.
 * The package knows the rendezvous and a native library of its own; it knows nothing of calls, roles or memory.
 */
package dev.transload.engine.cores;
