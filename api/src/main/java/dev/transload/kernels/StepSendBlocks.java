/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * Memory of this rank in which a session writes data for far ranks, in the layout of {@link StepSends}.
 *
 * @param control region of words and headers.
 * @param rows    region of rows and answers.
 */
public record StepSendBlocks(MemoryRegion control, MemoryRegion rows)
{
}
