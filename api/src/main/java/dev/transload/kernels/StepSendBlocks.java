/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * Own memory that a session writes for far ranks, laid out as {@link StepSends} says.
 *
 * @param control words and headers.
 * @param rows    rows and answers.
 */
public record StepSendBlocks(MemoryRegion control, MemoryRegion rows)
{
}
