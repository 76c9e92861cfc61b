/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Engines for applications that are composed by Guice: one module that binds all that opening an engine takes.
 * Each binding is a default that the application can replace; nothing is opened before it is asked for.
 * The package knows the engine's public API, the rendezvous over JGroups and Guice; the engine does not know Guice.
 */
package dev.transload.guice;
