/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Primitives that step programs consist of. What each does to memory is the same for every implementation, bit for bit.
 * <p>
 * L = ⌈E/P⌉ local experts of the call, R = P·M rows of a local expert, and row i of local expert e is place e·R + i of
 * an output. A rank is <em>active</em> until it is masked.
 * <p>
 * Each wait ends for a rank when its word has come, when the rank is masked, when it has been silent for
 * {@link StepShape#timeoutNs()}, or after {@link StepShape#LONGEST_WAIT} times that; by the last two it is masked
 * (rule STP-7). A rank that waits may be late only because it waits for the culprit itself. So at the beginning of a
 * wait and during it, a rank that has given no sign of life for a quarter of a timeout gives one to all active ranks,
 * whose silence begins anew by it. A wait of a primitive begins when all waits of the primitives before it have ended.
 */
public enum StepOp
{
    /**
     * Begin the next call, and sort its selections by expert: the slot of selection (t, k) is the number of selections
     * of the same expert before it, in order of t, then k. An id below 0 is no selection. An id that is not below E, or
     * that its token has selected already, counts as none, and is counted in the status
     * ({@link StepStatus#badIds()}).
     */
    BUCKET,

    /**
     * Tell each active rank how many rows its experts will get: one word for each of the
     * {@link StepShape#localExperts()} experts that a rank can have, also for those that the call does not use.
     */
    COUNTS,

    /**
     * Wait for the counts of all active ranks. Rows of a local expert are ordered by source rank, then by slot, and
     * masked sources have none: so the first row of each source is the sum of the counts before it. Write
     * {@code count} and {@code layoutRange} of the output, and tell each active rank where its rows begin. A source
     * whose count words were made for another call is masked ({@link StepStatus#isOtherCall(int)}).
     */
    STARTS,

    /**
     * Write each row once for each of its selections. Read once, cast once where the output is FP8 (the bits of
     * {@link RowKernels#quantizeRows}), and stored with its scales and its token number ({@code srcInfo}).
     * {@link StepPlacement#DIRECT}: wait for the starts of each active rank, then store at place (expert, start + slot)
     * of the output that the start word names, under the lease of rule STP-6. {@link StepPlacement#SLOTS}: wait for
     * nothing, and store one row for each (token, rank) in this rank's slots at the owner, as {@link StepSlots} says.
     * Rows for far ranks are left to {@link #SEND_FAR}.
     */
    PLACE,

    /**
     * Write what far ranks need into send blocks, and post it to the FIFO ({@link StepFifo}): in a dispatch counts and
     * rows, in a combine the answers to their rows.
     */
    SEND_FAR,

    /**
     * Behind all that this rank has stored, tell each active near rank so, by one word for each block (rule STP-3):
     * {@code done} in a program without REDUCE, else {@code ready} ahead of it and {@code read} behind it.
     */
    TELL,

    /**
     * Wait for the words that the active ranks tell at the same point of the same program. Of a source that is masked
     * by the end of a wait for {@code done}, the {@code layoutRange} says 0 rows.
     */
    AWAIT,

    /**
     * Copy rows from slots to their places, for far sources, and for all of a dispatch with
     * {@link StepPlacement#SLOTS}; there {@code count} and {@code layoutRange} are written here, of the sources whose
     * rows have come, and these are told where their rows begin, as by STARTS.
     */
    PACK,

    /**
     * Sum the answers to each token, from where they are: {@code acc = +0}, then
     * {@code acc = fma(weight, answer, acc)} in F32 for k ascending, rounded to BF16 (rule KRN-6). Answers of near
     * ranks are read in their answers tensors, under the lease of rule STP-6, those of far ranks in this rank's slots.
     * Selections of ranks that are masked are left out, which {@code leftOut} says.
     */
    REDUCE
}
