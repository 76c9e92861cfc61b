/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;

/**
 * A device event that other code owns, e.g. a CUDA event that PyTorch recorded on a stream.
 *
 * @param kind   kind of memory of the device that owns the event.
 * @param device ordinal of the device.
 * @param handle native handle, which the creator of the event owns.
 */
public record ForeignEvent(MemoryKind kind, int device, long handle)
{
}
