/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The low-latency engine: dispatch and combine for decode batches. Each row is sent directly to the rank of its expert,
 * without a notify step. The calling thread or the device does the work, without engine threads. Programs use the
 * public types of this package; all other types are their implementation. The package uses the Transport SPI, the row
 * kernels, and the engines' common code for settings, open transports and counters. It uses no part of the two-stage
 * pipeline.
 */
package dev.transload.engine.lowlatency;
