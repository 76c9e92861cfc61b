/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Where a session writes what goes to far ranks, so that one put takes much of it: contiguous blocks, double by the
 * parity of the call, in memory that transports read. Where rows are staged, this is pinned host memory, and writing
 * them here is the copy. Far ranks are numbered as {@link StepPeer#farIndex()} says.
 * <pre>
 * control: counts   [far][2][L]              words for the far rank's counts
 *          landed   [far][2][{@value StepWords#CHUNKS}]             words for its chunks of rows
 *          answered [far][2][{@value StepWords#CHUNKS}]             words for its chunks of answers
 *          alive    [far]                    word
 *          headers  [far][2][M]              of {@link StepSlots#headerBytes()}
 * rows:    rows     [far][2][M]              of {@link StepSlots#rowStride()}
 *          answers  [far][2][M · min(K, L)]  of {@link StepSlots#answerStride()}
 * </pre>
 * Each part is put to where {@link StepWords} and {@link StepSlots} have it at the far rank, with this rank as writer.
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
     * Of a session.
     *
     * @param shape    of it.
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
     * Most far ranks of a session: what a step posts for them takes half of the ring, the other half is for signs of
     * life that nobody has taken yet.
     *
     * @param shape of it.
     * @return count, 0 where entries cannot tell of rows that long.
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
     * What words and headers take.
     *
     * @return bytes.
     */
    public long controlBytes()
    {
        return controlBytes;
    }

    /**
     * What rows and answers take.
     *
     * @return bytes.
     */
    public long rowsBytes()
    {
        return rowsBytes;
    }

    /**
     * Place of a count.
     *
     * @param call   number.
     * @param far    rank.
     * @param expert local one of the far rank.
     * @return offset in the control region.
     */
    public long counts(final long call, final int far, final int expert)
    {
        return at(far, call, experts, expert) * StepWords.WORD_BYTES;
    }

    /**
     * Place of the word of a chunk of rows.
     *
     * @param call  number.
     * @param far   rank.
     * @param chunk of the slots.
     * @return offset in the control region.
     */
    public long landed(final long call, final int far, final int chunk)
    {
        return landed + at(far, call, StepWords.CHUNKS, chunk) * StepWords.WORD_BYTES;
    }

    /**
     * Place of the word of a chunk of answers.
     *
     * @param call  number.
     * @param far   rank.
     * @param chunk of the answers.
     * @return offset in the control region.
     */
    public long answered(final long call, final int far, final int chunk)
    {
        return answered + at(far, call, StepWords.CHUNKS, chunk) * StepWords.WORD_BYTES;
    }

    /**
     * Place of a sign of life.
     *
     * @param far rank.
     * @return offset in the control region.
     */
    public long alive(final int far)
    {
        return alive + (long)far * StepWords.WORD_BYTES;
    }

    /**
     * Place of a header.
     *
     * @param call number.
     * @param far  rank.
     * @param slot at the far rank.
     * @return offset in the control region.
     */
    public long header(final long call, final int far, final int slot)
    {
        return headers + at(far, call, maxTokens, slot) * slots.headerBytes();
    }

    /**
     * Place of a row.
     *
     * @param call number.
     * @param far  rank.
     * @param slot at the far rank.
     * @return offset in the region of the rows.
     */
    public long row(final long call, final int far, final int slot)
    {
        return at(far, call, maxTokens, slot) * slots.rowStride();
    }

    /**
     * Place of an answer.
     *
     * @param call number.
     * @param far  rank.
     * @param slot at the far rank.
     * @return offset in the region of the rows.
     */
    public long answer(final long call, final int far, final int slot)
    {
        return answers + at(far, call, selections, slot) * slots.answerStride();
    }
}
