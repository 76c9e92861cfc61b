/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Primitives that programs consist of. Every implementation changes memory in exactly the same way, bit for bit.
 * <p>
 * L = ⌈E/P⌉ is the number of local experts of the call, and R = P·M is the number of rows of a local expert. Row i of
 * local expert e is place e·R + i of an output. A rank is <em>active</em> until it is masked.
 * <p>
 * A wait for a rank ends when the word of the rank has arrived or when the rank is masked. The wait also ends when the
 * rank has sent nothing for {@link StepShape#timeoutNs()}, or after {@link StepShape#LONGEST_WAIT} times that time; in
 * these two cases the rank is masked (rule STP-7). A rank may be late only because it waits for a third rank. Therefore
 * a waiting rank sends a sign of life to all active ranks if it has sent none for a quarter of a timeout; the timeouts
 * of these ranks for the waiting rank then restart. A wait of a primitive begins after all waits of earlier primitives
 * have ended.
 */
public enum StepOp
{
    /**
     * Begins the next call and sorts its selections by expert. The slot of selection (t, k) is the number of earlier
     * selections of the same expert, in the order of t, then k. An id below 0 means no selection. An id that is at
     * least E, or that its token has already selected, is ignored and counted in the status
     * ({@link StepStatus#badIds()}).
     */
    BUCKET,

    /**
     * Informs each active rank how many rows this rank will send to each expert of that rank. COUNTS sends one word for
     * each of the {@link StepShape#localExperts()} experts that a rank can have, even if the call uses fewer.
     */
    COUNTS,

    /**
     * Waits for the counts of all active ranks. The rows of a local expert are ordered by source rank, then by slot;
     * masked ranks have no rows. The first row of a source is therefore the sum of the counts of lower ranks. Writes
     * {@code count} and {@code layoutRange} of the output, and sends each active rank the indices of its first rows. A
     * source whose count words belong to another call is masked ({@link StepStatus#isOtherCall(int)}).
     */
    STARTS,

    /**
     * Writes each row once for each of its selections. PLACE reads each row once, casts it once if the output is FP8
     * (with the same bits as {@link RowKernels#quantizeRows}), and stores it with its scales and its token number
     * ({@code srcInfo}). With {@link StepPlacement#DIRECT}, PLACE waits for the start words of each active rank. Then
     * PLACE stores the row at place (expert, start + slot) of the output that the start word names, under the lease of
     * rule STP-6. With {@link StepPlacement#SLOTS}, PLACE does not wait. PLACE then stores one row for each pair of
     * token and rank in this rank's slots on the owner; see {@link StepSlots}. Rows for far ranks are sent by
     * {@link #SEND_FAR} instead.
     */
    PLACE,

    /**
     * Writes data for far ranks into send blocks and posts it to the FIFO ({@link StepFifo}): in a dispatch counts and
     * rows, in a combine the answers to rows of far ranks.
     */
    SEND_FAR,

    /**
     * Informs each active near rank, by one word for each block, that all earlier stores of this rank are complete
     * (rule STP-3). The word is {@code done} in a program without REDUCE; else it is {@code ready} before REDUCE and
     * {@code read} after it.
     */
    TELL,

    /**
     * Waits for the words that the active ranks store in the same TELL of the same program. If a source is masked at
     * the end of a wait for {@code done}, its {@code layoutRange} is set to 0 rows.
     */
    AWAIT,

    /**
     * Copies rows from slots to their places: rows of far sources, and all rows of a dispatch with
     * {@link StepPlacement#SLOTS}. With {@link StepPlacement#SLOTS}, PACK also writes {@code count} and
     * {@code layoutRange} for the sources whose rows have arrived, and sends them the indices of their first rows, as
     * STARTS does.
     */
    PACK,

    /**
     * Sums the answers to each token in place: {@code acc = +0}, then {@code acc = fma(weight, answer, acc)} in F32 for
     * ascending k, rounded to BF16 (rule KRN-6). REDUCE reads answers of near ranks in their answers tensors, under the
     * lease of rule STP-6, and answers of far ranks in this rank's slots. Selections of masked ranks are left out and
     * marked in {@code leftOut}.
     */
    REDUCE
}
