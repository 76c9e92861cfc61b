/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;

/**
 * Memory that a session needs on each rank: filled with zeros and registered with REMOTE access before
 * {@link StepKernels#open}. This record also names the memory kind that the arguments of the session's steps must have.
 *
 * @param controlKind kind of the memory for words, for an output's info, and for ids, weights and other data except
 *                    rows. The kind is HOST if a CPU runs the steps, else the kind of the rows.
 * @param wordsBytes  size of the words, {@link StepWords#bytes()}.
 * @param slotsBytes  size of the slots, {@link StepSlots#bytes()}, in memory of the rows' kind. Far ranks, and programs
 *                    that write rows to slots, need slots. The size is 0 if the session has none.
 */
public record StepMemory(MemoryKind controlKind, long wordsBytes, long slotsBytes)
{
}
