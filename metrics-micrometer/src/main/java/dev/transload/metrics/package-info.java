/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * An engine's live counters as meters: a binder for any Micrometer registry, and an HTTP server of Prometheus text.
 * The reader's thread does all work; engine threads are neither stopped nor slowed.
 * The package knows the engine's public counters, Micrometer and the JDK's HTTP server; nothing of the engine's inside.
 */
package dev.transload.metrics;
