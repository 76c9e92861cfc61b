/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Layout of the slots of a rank. This rank is called the owner of the slots. Other ranks write to the slots, and each
 * writer has its own slots. Slots hold rows that the owner will copy to their final places, and answers that are sent
 * to the owner. There are two sets of slots, one for even and one for odd calls. P is the number of ranks, M is
 * {@link StepShape#maxTokens()}, K is {@link StepShape#maxTopk()}, and L is {@link StepShape#localExperts()}.
 * <pre>
 * headers [2][writer P][M]              of {@link #headerBytes()}, in the region of the words, behind the words
 * rows    [2][writer P][M]              of {@link #rowStride()}, in the region of the slots
 * answers [2][writer P][M · min(K, L)]  of {@link #answerStride()}, behind the rows
 *
 * header: token i32 | places i32 | places × (local expert &lt;&lt; 16 | slot of the selection, see BUCKET) i32
 * row:    BF16, or FP8 with its scales (F32, by rows) right behind it
 * </pre>
 * A writer fills its slots in order from the first one: one slot for each token that selects experts of the owner, in
 * the order of tokens. A writer's answers are ordered as the selections to which they belong: by token of the owner,
 * then by index of the selection within the token.
 */
public final class StepSlots
{
    /** Byte offset, within a header, of the places. */
    public static final int PLACES_OFFSET = 2 * Integer.BYTES;

    /** Number of bits by which the local expert is shifted in a place. */
    public static final int EXPERT_SHIFT = Short.SIZE;

    private static final int PARITIES = 2;
    private static final int ALIGNMENT = 128;
    /** Smaller ones would be more words than rows are worth. */
    private static final int LEAST_CHUNK = 16;

    private final int ranks;
    private final int maxTokens;
    private final int selections;
    private final long headers;
    private final int headerBytes;
    private final long rowStride;
    private final long answers;
    private final long answerStride;

    /**
     * Creates the layout for a session.
     *
     * @param shape shape of the session.
     */
    public StepSlots(final StepShape shape)
    {
        ranks = shape.ranks();
        maxTokens = shape.maxTokens();
        final int places = Math.min(shape.maxTopk(), shape.localExperts());
        selections = maxTokens * places;
        headers = new StepWords(shape).bytes();
        headerBytes = (PLACES_OFFSET + places * Integer.BYTES + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
        rowStride = align(Math.max(bf16Bytes(shape.maxHidden()), fp8Bytes(shape.maxHidden())));
        answers = (long)PARITIES * ranks * maxTokens * rowStride;
        answerStride = align(bf16Bytes(shape.maxHidden()));
    }

    private static long align(final long bytes)
    {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private static long bf16Bytes(final int hidden)
    {
        return (long)hidden * ElementType.BF16.bytes();
    }

    private static long fp8Bytes(final int hidden)
    {
        return hidden + (long)Fp8.scales(hidden) * Float.BYTES;
    }

    /**
     * Returns the number of rows of a chunk, the unit in which rows are sent to a far rank. The last chunk may have
     * fewer rows.
     *
     * @return number of slots.
     */
    public int chunkRows()
    {
        return chunk(maxTokens);
    }

    /**
     * Returns the number of answers of a chunk.
     *
     * @return number of answers.
     */
    public int chunkAnswers()
    {
        return chunk(selections);
    }

    private static int chunk(final int most)
    {
        return Math.max(LEAST_CHUNK, (most + StepWords.CHUNKS - 1) / StepWords.CHUNKS);
    }

    /**
     * Returns the number of chunks for rows to a far rank. One word announces each chunk.
     *
     * @param rows number of rows that a call sends to the far rank.
     * @return number of chunks, at least 1: a word is needed even if there are no rows.
     */
    public int rowChunks(final int rows)
    {
        return Math.max(1, (rows + chunkRows() - 1) / chunkRows());
    }

    /**
     * Returns the number of chunks for answers to a far rank, as {@link #rowChunks} does for rows.
     *
     * @param count number of answers that a call sends to the far rank.
     * @return number of chunks, at least 1.
     */
    public int answerChunks(final int count)
    {
        return Math.max(1, (count + chunkAnswers() - 1) / chunkAnswers());
    }

    /**
     * Returns the size of words and headers of a rank together.
     *
     * @return number of bytes.
     */
    public long controlBytes()
    {
        return headers + (long)PARITIES * ranks * maxTokens * headerBytes;
    }

    /**
     * Returns the size of the slots of a rank.
     *
     * @return number of bytes.
     */
    public long bytes()
    {
        return answers + (long)PARITIES * ranks * selections * answerStride;
    }

    /**
     * Returns the size of a header.
     *
     * @return number of bytes, a multiple of 8.
     */
    public int headerBytes()
    {
        return headerBytes;
    }

    /**
     * Returns the distance from one row to the next.
     *
     * @return number of bytes.
     */
    public long rowStride()
    {
        return rowStride;
    }

    /**
     * Returns the distance from one answer to the next.
     *
     * @return number of bytes.
     */
    public long answerStride()
    {
        return answerStride;
    }

    /**
     * Returns the offset of a header.
     *
     * @param call   number of the call.
     * @param writer rank that writes the slot.
     * @param slot   index of the slot among the slots of the writer.
     * @return byte offset in the region of the words.
     */
    public long header(final long call, final int writer, final int slot)
    {
        return headers + ((((call & 1) * ranks + writer) * maxTokens) + slot) * headerBytes;
    }

    /**
     * Returns the offset of a row.
     *
     * @param call   number of the call.
     * @param writer rank that writes the slot.
     * @param slot   index of the slot among the slots of the writer.
     * @return byte offset in the region of the slots.
     */
    public long row(final long call, final int writer, final int slot)
    {
        return ((((call & 1) * ranks + writer) * maxTokens) + slot) * rowStride;
    }

    /**
     * Returns the offset of an answer.
     *
     * @param call   number of the call.
     * @param writer rank that writes the slot.
     * @param slot   index of the answer among the answers of the writer.
     * @return byte offset in the region of the slots.
     */
    public long answer(final long call, final int writer, final int slot)
    {
        return answers + ((((call & 1) * ranks + writer) * selections) + slot) * answerStride;
    }
}
