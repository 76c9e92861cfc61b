/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;

/**
 * A queue of device work to which steps can be submitted, e.g. a CUDA stream of PyTorch. Steps can also be submitted
 * while the queue is captured into a graph.
 *
 * @param kind   kind of memory of the device that owns the queue.
 * @param device ordinal of the device.
 * @param handle native handle (CUstream, aclrtStream); 0 for the {@link StepSession}'s own queue.
 */
public record DeviceQueue(MemoryKind kind, int device, long handle)
{
}
