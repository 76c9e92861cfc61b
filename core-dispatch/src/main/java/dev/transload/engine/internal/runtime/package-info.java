/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * How an engine is put together and runs: its parts, its threads, the queue of calls, deadlines, failures, counters.
 * Everything is made here once and handed to constructors; the package implements the engine's public interfaces.
 * The package uses all others of the engine, and none uses it.
 */
package dev.transload.engine.internal.runtime;
