/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Meters for an engine's counters: a binder for any Micrometer registry, and an HTTP server for Prometheus.
 * The thread that reads the meters does all the work. Reading neither stops nor slows engine threads.
 * The package uses the engine's public counters, Micrometer and the JDK's HTTP server, and no internal classes of the
 * engine.
 */
package dev.transload.metrics;
