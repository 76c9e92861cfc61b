/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Layout of the send blocks, in which a session writes data for far ranks. The blocks are contiguous, so that one put
 * can move many rows. Each kind of data except the sign of life has two blocks for each far rank, one for even and one
 * for odd calls. Transports can read the memory of the blocks. If rows are staged, the blocks are in pinned host
 * memory, and a session stages rows by writing them into the blocks. Far ranks are numbered by
 * {@link StepPeer#farIndex()}. M is {@link StepShape#maxTokens()}, K is {@link StepShape#maxTopk()}, and L is
 * {@link StepShape#localExperts()}.
 * <pre>
 * control: counts   [far][2][L]              words for the far rank's counts
 *          landed   [far][2][{@value StepWords#CHUNKS}]             words for its chunks of rows
 *          answered [far][2][{@value StepWords#CHUNKS}]             words for its chunks of answers
 *          alive    [far]                    word
 *          headers  [far][2][M]              of {@link StepSlots#headerBytes()}
 * rows:    rows     [far][2][M]              of {@link StepSlots#rowStride()}
 *          answers  [far][2][M · min(K, L)]  of {@link StepSlots#answerStride()}
 * </pre>
 * Each part is put to the far rank at the offset that {@link StepWords} or {@link StepSlots} gives for this rank as the
 * writer.
 */
public final class StepSends
{
    private static final int PARITIES = 2;

    private final StepSlots slots;
    private final int experts;
    private final int maxTokens;
    private final int selections;
    private final long landed;
    private final long answered;
    private final long alive;
    private final long headers;
    private final long controlBytes;
    private final long answers;
    private final long rowsBytes;

    /**
     * Creates the layout for a session.
     *
     * @param shape    shape of the session.
     * @param farRanks number of far ranks.
     */
    public StepSends(final StepShape shape, final int farRanks)
    {
        slots = new StepSlots(shape);
        experts = shape.localExperts();
        maxTokens = shape.maxTokens();
        selections = maxTokens * Math.min(shape.maxTopk(), experts);
        landed = words(farRanks, experts);
        answered = landed + words(farRanks, StepWords.CHUNKS);
        alive = answered + words(farRanks, StepWords.CHUNKS);
        headers = alive + (long)farRanks * StepWords.WORD_BYTES;
        controlBytes = headers + (long)farRanks * PARITIES * maxTokens * slots.headerBytes();
        answers = (long)farRanks * PARITIES * maxTokens * slots.rowStride();
        rowsBytes = answers + (long)farRanks * PARITIES * selections * slots.answerStride();
    }

    /**
     * Returns the largest number of far ranks of a session. The entries of one step for all far ranks fill at most half
     * of the FIFO; the other half is for signs of life that have not been read yet.
     *
     * @param shape shape of the session.
     * @return number of far ranks; 0 if rows are too long for entries of the FIFO.
     */
    public static int mostFarRanks(final StepShape shape)
    {
        final StepSlots slots = new StepSlots(shape);
        final int rows = 1 + 3 * slots.rowChunks(shape.maxTokens());
        final int answers = 2 * slots.answerChunks(
            shape.maxTokens() * Math.min(shape.maxTopk(), shape.localExperts()));
        return (long)shape.maxHidden() * ElementType.BF16.bytes() > StepFifo.MAX_ROW_BYTES ? 0 :
            StepFifo.CAPACITY / 2 / Math.max(rows, answers);
    }

    private static long words(final int farRanks, final int each)
    {
        return (long)farRanks * PARITIES * each * StepWords.WORD_BYTES;
    }

    private static long at(final int far, final long call, final int each, final int index)
    {
        return ((long)far * PARITIES + (call & 1)) * each + index;
    }

    /**
     * Returns the size of the region of words and headers.
     *
     * @return number of bytes.
     */
    public long controlBytes()
    {
        return controlBytes;
    }

    /**
     * Returns the size of the region of rows and answers.
     *
     * @return number of bytes.
     */
    public long rowsBytes()
    {
        return rowsBytes;
    }

    /**
     * Returns the offset of a count word.
     *
     * @param call   number of the call.
     * @param far    number of the far rank.
     * @param expert index of the far rank's local expert.
     * @return byte offset in the control region.
     */
    public long counts(final long call, final int far, final int expert)
    {
        return at(far, call, experts, expert) * StepWords.WORD_BYTES;
    }

    /**
     * Returns the offset of the word that announces a chunk of rows.
     *
     * @param call  number of the call.
     * @param far   number of the far rank.
     * @param chunk index of the chunk of slots.
     * @return byte offset in the control region.
     */
    public long landed(final long call, final int far, final int chunk)
    {
        return landed + at(far, call, StepWords.CHUNKS, chunk) * StepWords.WORD_BYTES;
    }

    /**
     * Returns the offset of the word that announces a chunk of answers.
     *
     * @param call  number of the call.
     * @param far   number of the far rank.
     * @param chunk index of the chunk of answers.
     * @return byte offset in the control region.
     */
    public long answered(final long call, final int far, final int chunk)
    {
        return answered + at(far, call, StepWords.CHUNKS, chunk) * StepWords.WORD_BYTES;
    }

    /**
     * Returns the offset of the word that is a sign of life.
     *
     * @param far number of the far rank.
     * @return byte offset in the control region.
     */
    public long alive(final int far)
    {
        return alive + (long)far * StepWords.WORD_BYTES;
    }

    /**
     * Returns the offset of a header.
     *
     * @param call number of the call.
     * @param far  number of the far rank.
     * @param slot index of the slot on the far rank.
     * @return byte offset in the control region.
     */
    public long header(final long call, final int far, final int slot)
    {
        return headers + at(far, call, maxTokens, slot) * slots.headerBytes();
    }

    /**
     * Returns the offset of a row.
     *
     * @param call number of the call.
     * @param far  number of the far rank.
     * @param slot index of the slot on the far rank.
     * @return byte offset in the region of the rows.
     */
    public long row(final long call, final int far, final int slot)
    {
        return at(far, call, maxTokens, slot) * slots.rowStride();
    }

    /**
     * Returns the offset of an answer.
     *
     * @param call number of the call.
     * @param far  number of the far rank.
     * @param slot index of the answer among the answers to the far rank.
     * @return byte offset in the region of the rows.
     */
    public long answer(final long call, final int far, final int slot)
    {
        return answers + at(far, call, selections, slot) * slots.answerStride();
    }
}
