/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Where slots lie that ranks write for each other, each in its own: rows of a dispatch whose place only the owner
 * chooses, and answers to far ranks. All double, by the parity of the call.
 * <pre>
 * headers [2][writer P][M]              of {@link #headerBytes()}, in the region of the words, behind these
 * rows    [2][writer P][M]              of {@link #rowStride()}, in the region of the slots
 * answers [2][writer P][M · min(K, L)]  of {@link #answerStride()}, behind the rows
 *
 * header: token i32 | places i32 | places × (local expert &lt;&lt; 16 | slot of the selection, see BUCKET) i32
 * row:    BF16, or FP8 with its scales (F32, by rows) right behind it
 * </pre>
 * A writer fills its slots from the first one on: one for each token that selects experts of the owner, in order of
 * tokens. Its answers are in the order in which the home meets its selections of the writer's experts, by t, then k.
 */
public final class StepSlots
{
    /** Bytes of a header ahead of its places. */
    public static final int PLACES_OFFSET = 2 * Integer.BYTES;

    /** Of the local expert, in a place. */
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
     * Of a session.
     *
     * @param shape of it.
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
     * Rows of a chunk, in which rows travel to a far rank; the last one may have fewer.
     *
     * @return slots.
     */
    public int chunkRows()
    {
        return chunk(maxTokens);
    }

    /**
     * Answers of a chunk.
     *
     * @return answers.
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
     * Chunks that rows to a far rank make up, each of which is told of by a word.
     *
     * @param rows of a call.
     * @return at least 1: where there are no rows, that is told.
     */
    public int rowChunks(final int rows)
    {
        return Math.max(1, (rows + chunkRows() - 1) / chunkRows());
    }

    /**
     * Chunks of answers, as {@link #rowChunks}.
     *
     * @param count of answers.
     * @return at least 1.
     */
    public int answerChunks(final int count)
    {
        return Math.max(1, (count + chunkAnswers() - 1) / chunkAnswers());
    }

    /**
     * What words and headers of a rank take together.
     *
     * @return bytes.
     */
    public long controlBytes()
    {
        return headers + (long)PARITIES * ranks * maxTokens * headerBytes;
    }

    /**
     * What the slots of a rank take.
     *
     * @return bytes.
     */
    public long bytes()
    {
        return answers + (long)PARITIES * ranks * selections * answerStride;
    }

    /**
     * Size of a header.
     *
     * @return bytes, a multiple of 8.
     */
    public int headerBytes()
    {
        return headerBytes;
    }

    /**
     * From a row to the next.
     *
     * @return bytes.
     */
    public long rowStride()
    {
        return rowStride;
    }

    /**
     * From an answer to the next.
     *
     * @return bytes.
     */
    public long answerStride()
    {
        return answerStride;
    }

    /**
     * Place of a header.
     *
     * @param call   number.
     * @param writer rank.
     * @param slot   of the writer.
     * @return offset in the region of the words.
     */
    public long header(final long call, final int writer, final int slot)
    {
        return headers + ((((call & 1) * ranks + writer) * maxTokens) + slot) * headerBytes;
    }

    /**
     * Place of a row.
     *
     * @param call   number.
     * @param writer rank.
     * @param slot   of the writer.
     * @return offset in the region of the slots.
     */
    public long row(final long call, final int writer, final int slot)
    {
        return ((((call & 1) * ranks + writer) * maxTokens) + slot) * rowStride;
    }

    /**
     * Place of an answer.
     *
     * @param call   number.
     * @param writer rank.
     * @param slot   of the writer.
     * @return offset in the region of the slots.
     */
    public long answer(final long call, final int writer, final int slot)
    {
        return answers + ((((call & 1) * ranks + writer) * selections) + slot) * answerStride;
    }
}
