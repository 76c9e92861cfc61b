/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Decode calls that a GPU does by itself: captured into a CUDA graph and replayed
 * ({@link dev.transload.examples.decode.GraphedDecode}), how long they take
 * ({@link dev.transload.examples.decode.StepsBench}), and what becomes of them where ranks are killed and stopped
 * ({@link dev.transload.examples.decode.StepsFaults}).
 */
package dev.transload.examples.decode;
