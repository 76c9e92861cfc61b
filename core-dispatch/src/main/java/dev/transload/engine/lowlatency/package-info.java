/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Dispatch and combine for decode batches: one hop, no notify, no engine threads, on the thread that calls.
 * What is public here is for embedding, beside {@link dev.transload.engine.Engine}; the rest is how it works.
 * The package uses the Transport SPI, row kernels, settings, open transports and counters, and nothing of the two-stage
 * pipeline.
 */
package dev.transload.engine.lowlatency;
