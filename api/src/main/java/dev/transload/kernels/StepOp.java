/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Primitives that programs consist of. Every implementation changes memory in exactly the same way, bit for bit.
 * <p>
 * P is the number of ranks, M is {@link StepShape#maxTokens()}, and E is the number of experts of the call.
 * L = ⌈E/P⌉ is the number of local experts of a rank, and R = P·M is the number of rows of a local expert. Row i
 * of local expert e is place e·R + i of an output. A rank is <em>active</em> until it is masked.
 * <p>
 * A wait for a rank ends when the word of the rank has arrived or when the rank is masked. The wait also ends when the
 * rank has sent nothing for one timeout ({@link StepShape#timeoutNs()}), or after {@link StepShape#LONGEST_WAIT}
 * timeouts; in these two cases the rank is masked (rule STP-7). A rank that is late may itself be waiting for a third
 * rank. Therefore a waiting rank sends a sign of life to all active ranks when a quarter of a timeout has passed since
 * its last sign. A rank that receives the sign restarts its timeout for the sender. A wait of a primitive begins after
 * all waits of earlier primitives have ended.
 */
public enum StepOp
{
    /**
     * Begins the next call and sorts its selections by expert. Selection (t, k) is the k-th expert of token t. The slot
     * of a selection is the number of earlier selections of the same expert, in the order of t, then k. It is not a
     * slot of {@link StepSlots}. An id below 0 means no selection. An id is ignored and counted in the status
     * ({@link StepStatus#badIds()}) if it is at least E or repeats an earlier id of the same token.
     */
    BUCKET,

    /**
     * Tells each active rank how many rows this rank will send to each of that rank's experts. COUNTS sends one word
     * for each of the {@link StepShape#localExperts()} experts that a rank can have, even if the call uses fewer. Words
     * for far ranks are sent through send blocks and the FIFO ({@link StepFifo}).
     */
    COUNTS,

    /**
     * Waits for the counts of all active ranks. The rows of a local expert are ordered by source rank, then by slot of
     * the selection; masked ranks have no rows. The index of a source's first row is therefore the sum of the counts of
     * lower ranks. STARTS writes {@code count} and {@code layoutRange} of the output. It sends each active near rank
     * start words, which hold the index of that rank's first row for each local expert. A source is masked if its count
     * words show that it made a different call ({@link StepStatus#isOtherCall(int)}).
     */
    STARTS,

    /**
     * Writes the rows of this rank's tokens to the ranks that hold the selected experts. PLACE reads each row once,
     * casts it once if the output is FP8 (with the same bits as {@link RowKernels#quantizeRows}), and stores it with
     * its scales and its token number ({@code srcInfo}).
     * <p>
     * With {@link StepPlacement#DIRECT}, PLACE waits for the start words of each active near rank. Then PLACE stores
     * the row once for each selection, under the lease of rule STP-6. The start word of the selected expert gives the
     * number of the output and the index of this rank's first row. The sum of this index and the selection's slot is
     * the index of the selection's row.
     * <p>
     * With {@link StepPlacement#SLOTS}, PLACE waits for no rank, and stores the row once for each rank that needs it,
     * in this rank's slots on that rank ({@link StepSlots}). Rows for far ranks are sent by {@link #SEND_FAR} instead.
     */
    PLACE,

    /**
     * Writes data for far ranks into send blocks and posts entries for this data to the FIFO ({@link StepFifo}). The
     * data of a dispatch is the rows, with their headers. The data of a combine is the answers to rows of far ranks.
     */
    SEND_FAR,

    /**
     * Stores words that inform each active near rank that all earlier stores of this rank are complete (rule STP-3). In
     * a dispatch, each block of the kernel ({@link StepShape#blocks()}) stores a {@code done} word. In a combine, the
     * rank stores one {@code ready} word before REDUCE, and each block stores a {@code read} word after REDUCE.
     */
    TELL,

    /**
     * Waits for the words that the active near ranks store in the corresponding TELL. An AWAIT for {@code done} also
     * waits for the words that announce the rows of active far ranks, and an AWAIT for {@code ready} also waits for the
     * words that announce their answers. If a source is masked at the end of a wait for {@code done}, its
     * {@code layoutRange} is set to 0 rows.
     */
    AWAIT,

    /**
     * Copies rows from slots to their places: rows of far sources, and all rows of a dispatch with
     * {@link StepPlacement#SLOTS}. With {@link StepPlacement#SLOTS}, PACK also does the work that STARTS does in other
     * dispatches: for the sources whose rows have arrived, PACK writes {@code count} and {@code layoutRange} and sends
     * the start words.
     */
    PACK,

    /**
     * Sums the answers to each token in F32: {@code acc = +0}, then {@code acc = fma(weight, answer, acc)} for
     * ascending k. The sum is rounded to BF16 (rule KRN-6). If answers were sent to this rank, REDUCE reads them from
     * the slots of this rank. REDUCE reads all other answers from the answers tensors of near ranks, under the lease of
     * rule STP-6. Selections of experts of masked ranks are left out and marked in
     * {@link StepArguments#leftOut leftOut}.
     */
    REDUCE
}
