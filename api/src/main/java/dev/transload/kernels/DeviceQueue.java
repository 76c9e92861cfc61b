/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;

/**
 * A queue of somebody's device work that steps are submitted to, e.g. a CUDA stream of PyTorch, also while it is
 * captured into a graph.
 *
 * @param kind   of memory whose device owns the queue.
 * @param device ordinal of that device.
 * @param handle native handle (CUstream, aclrtStream); 0 for the session's own queue.
 */
public record DeviceQueue(MemoryKind kind, int device, long handle)
{
}
