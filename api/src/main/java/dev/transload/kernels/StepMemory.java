/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;

/**
 * What a session needs of each rank, zeroed, with REMOTE access, before {@link StepKernels#open}; and what kind of
 * memory the arguments of its steps must be in.
 *
 * @param controlKind of words, of an output's info, and of ids, weights and what else a program reads or writes beside
 *                    rows: HOST where a CPU does it, else the rows' kind.
 * @param wordsBytes  {@link StepWords#bytes()}.
 * @param slotsBytes  {@link StepSlots#bytes()}, of the rows' kind, for ranks that are far or write to slots; 0 where no
 *                    program uses slots.
 */
public record StepMemory(MemoryKind controlKind, long wordsBytes, long slotsBytes)
{
}
