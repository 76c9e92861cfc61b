/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Guice module that binds everything needed to open an engine.
 * Each binding is a default that the application can replace. Objects are created only when they are requested.
 * The package uses the public API of the engine, the rendezvous over JGroups, and Guice; the engine does not use Guice.
 */
package dev.transload.guice;
