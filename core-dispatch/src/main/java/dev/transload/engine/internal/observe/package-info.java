/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What a reader sees of a running engine: counters with one writing thread each, and events of the flight recorder.
 * Writing one takes no lock, allocates nothing and publishes at most once a chunk or duty cycle, never once a row.
 * The package knows names of stages and counters; nothing of connections, calls or roles, which report here.
 */
package dev.transload.engine.internal.observe;
