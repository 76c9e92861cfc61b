/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;

/**
 * Memory that a session needs on each rank. The memory must be filled with zeros and registered with REMOTE access
 * before {@link StepKernels#open}. This record also names the memory kind of the arguments of the session's steps.
 *
 * @param controlKind memory kind of words, of {@link StepOutput#info()}, of ids and weights, and of all other data that
 *                    is not rows. The kind is HOST if a CPU runs the steps, else the memory kind of the rows.
 * @param wordsBytes  number of bytes of the words and the headers of slots together, as in
 *                    {@link StepSlots#controlBytes()}.
 * @param slotsBytes  number of bytes of the slots, as in {@link StepSlots#bytes()}; 0 if the session has no slots. The
 *                    slots have the memory kind of the rows. They are needed for far ranks and for programs that write
 *                    rows to slots.
 */
public record StepMemory(MemoryKind controlKind, long wordsBytes, long slotsBytes)
{
}
