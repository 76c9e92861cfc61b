/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;

/**
 * An event of somebody else's queue of work, e.g. a CUDA event recorded on a stream of PyTorch.
 *
 * @param kind   of memory whose device owns the event.
 * @param device ordinal of that device.
 * @param handle native handle; its creator owns it.
 */
public record ForeignEvent(MemoryKind kind, int device, long handle)
{
}
