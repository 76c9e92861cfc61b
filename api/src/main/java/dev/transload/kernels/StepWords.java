/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Where the words of a session lie, which ranks tell each other by (rule STP-2), and what is in them. A word has 8
 * bytes, aligned, in native byte order: {@code value} in the lower 32 bits, {@code tag} in the upper ones. The tag is
 * {@code generation << 20 | call mod 2^20}: generation of the pair of ranks, from 1 on, so that zeroed memory holds no
 * word; number of the call, whose lowest bit is its parity. All arrays lie one behind the other, in this order:
 * <pre>
 * array                     stored by              at         value
 * counts   [2][P][L]        source                 owner      rows | check of the call &lt;&lt; 16
 * starts   [2][P][L]        owner                  source     first row | number of the output &lt;&lt; 24
 * done     [2][P][B]        source                 owner      rows in the source's slots; 0 with direct placement
 * ready    [2][P]           owner                  home       number of the answers tensor
 * read     [2][P][B]        home                   owner      0
 * landed   [2][P][{@value #CHUNKS}]       far source             owner      rows in the source's slots
 * answered [2][P][{@value #CHUNKS}]       far owner              home       0
 * alive    [P]              a waiting rank         any        number of the sign, its tag of call 0
 * </pre>
 * P is the rank that stored the word; the index before it is the parity. L is the most that a rank can have.
 * <p>
 * <em>Why two of each suffice, and nothing is cleared:</em> a rank that has ended call n + 1 has read a word of it from
 * every active peer, and each of them had ended call n. So no rank waits for a word of n any more when n + 2 is stored
 * in its place.
 */
public final class StepWords
{
    /** Bytes of a word. */
    public static final int WORD_BYTES = Long.BYTES;

    /** Bits of the call's number in a tag. */
    public static final int CALL_BITS = 20;

    /** Greatest generation. */
    public static final int MAX_GENERATION = (1 << Integer.SIZE - CALL_BITS) - 1;

    /** Bits of a count in the value of a count word; the check of the call is above. */
    public static final int COUNT_BITS = 16;

    /** Chunks that a far rank's rows travel in. */
    public static final int CHUNKS = 32;

    /** Most outputs, and most answers tensors, that a session knows at a time. */
    public static final int MAX_TENSORS = 1 << Integer.SIZE - StepShape.ROW_BITS;

    private static final int PARITIES = 2;
    private static final int LAYOUTS = StepScales.values().length;
    private static final int CALL_MASK = (1 << CALL_BITS) - 1;
    private static final int CHECK_PRIME = 0x9E3779B1;

    private final int ranks;
    private final int experts;
    private final int blocks;
    private final long starts;
    private final long done;
    private final long ready;
    private final long read;
    private final long landed;
    private final long answered;
    private final long alive;

    /**
     * Of a session.
     *
     * @param shape of it.
     */
    public StepWords(final StepShape shape)
    {
        ranks = shape.ranks();
        experts = shape.localExperts();
        blocks = shape.blocks();
        starts = arrayBytes(experts);
        done = starts + arrayBytes(experts);
        ready = done + arrayBytes(blocks);
        read = ready + arrayBytes(1);
        landed = read + arrayBytes(blocks);
        answered = landed + arrayBytes(CHUNKS);
        alive = answered + arrayBytes(CHUNKS);
    }

    private long arrayBytes(final int wordsOfRank)
    {
        return (long)PARITIES * ranks * wordsOfRank * WORD_BYTES;
    }

    private long at(final long array, final long call, final int rank, final int wordsOfRank, final int index)
    {
        return array + (((call & 1) * ranks + rank) * wordsOfRank + index) * WORD_BYTES;
    }

    /**
     * What all words of a rank take.
     *
     * @return bytes.
     */
    public long bytes()
    {
        return alive + (long)ranks * WORD_BYTES;
    }

    /**
     * Place of a count.
     *
     * @param call   number.
     * @param source that stores it.
     * @param expert local one of the owner.
     * @return offset at the owner.
     */
    public long counts(final long call, final int source, final int expert)
    {
        return at(0, call, source, experts, expert);
    }

    /**
     * Place of a start.
     *
     * @param call   number.
     * @param owner  that stores it.
     * @param expert local one of the owner.
     * @return offset at the source.
     */
    public long starts(final long call, final int owner, final int expert)
    {
        return at(starts, call, owner, experts, expert);
    }

    /**
     * Place of a word that tells that rows were stored.
     *
     * @param call   number.
     * @param source that stores it.
     * @param block  of the source.
     * @return offset at the owner.
     */
    public long done(final long call, final int source, final int block)
    {
        return at(done, call, source, blocks, block);
    }

    /**
     * Place of a word that tells that answers may be read.
     *
     * @param call  number.
     * @param owner that stores it.
     * @return offset at the home.
     */
    public long ready(final long call, final int owner)
    {
        return at(ready, call, owner, 1, 0);
    }

    /**
     * Place of a word that tells that answers were read.
     *
     * @param call  number.
     * @param home  that stores it.
     * @param block of the home.
     * @return offset at the owner of the answers.
     */
    public long read(final long call, final int home, final int block)
    {
        return at(read, call, home, blocks, block);
    }

    /**
     * Place of a word that is put behind a chunk of a far source's rows.
     *
     * @param call   number.
     * @param source that puts it.
     * @param chunk  of its slots.
     * @return offset at the owner.
     */
    public long landed(final long call, final int source, final int chunk)
    {
        return at(landed, call, source, CHUNKS, chunk);
    }

    /**
     * Place of a word that is put behind a chunk of a far owner's answers.
     *
     * @param call  number.
     * @param owner that puts it.
     * @param chunk of its answers.
     * @return offset at the home.
     */
    public long answered(final long call, final int owner, final int chunk)
    {
        return at(answered, call, owner, CHUNKS, chunk);
    }

    /**
     * Place of a sign of life.
     *
     * @param rank that stores it.
     * @return offset at any other rank.
     */
    public long alive(final int rank)
    {
        return alive + (long)rank * WORD_BYTES;
    }

    /**
     * A word.
     *
     * @param generation of the pair of ranks, in [1, {@link #MAX_GENERATION}].
     * @param call       number.
     * @param value      of the word.
     * @return word.
     */
    public static long word(final int generation, final long call, final int value)
    {
        return (long)(generation << CALL_BITS | (int)(call & CALL_MASK)) << Integer.SIZE | value & 0xFFFF_FFFFL;
    }

    /**
     * Whether a word is of a call, whatever its value is.
     *
     * @param word       read whole.
     * @param generation of the pair of ranks.
     * @param call       number.
     * @return false where nothing has been read.
     */
    public static boolean isOf(final long word, final int generation, final long call)
    {
        return (int)(word >>> Integer.SIZE) == (generation << CALL_BITS | (int)(call & CALL_MASK));
    }

    /**
     * Value of a word.
     *
     * @param word read whole.
     * @return lower 32 bits.
     */
    public static int value(final long word)
    {
        return (int)word;
    }

    /**
     * Value of a count word.
     *
     * @param count of rows.
     * @param check of the call.
     * @return value.
     */
    public static int countValue(final int count, final int check)
    {
        return check << COUNT_BITS | count;
    }

    /**
     * Value of a start word.
     *
     * @param row    first one of the source.
     * @param output number of the owner's output.
     * @return value.
     */
    public static int startValue(final int row, final int output)
    {
        return output << StepShape.ROW_BITS | row;
    }

    /**
     * 16 bits that differ, most likely, between calls that do not go together. Of ranks that make the same call they
     * are equal.
     *
     * @param experts   E.
     * @param hidden    elements of a row.
     * @param isFp8     whether rows are cast.
     * @param format    of the scales; counts only where rows are cast.
     * @param scales    their layout; counts only where rows are cast.
     * @param placement of the rows.
     * @return in [0, 65535].
     */
    public static int check(
        final int experts, final int hidden, final boolean isFp8, final ScaleFormat format, final StepScales scales,
        final StepPlacement placement)
    {
        final int layout = isFp8 ? 1 + format.ordinal() * LAYOUTS + scales.ordinal() : 0;
        final int mixed = ((experts * CHECK_PRIME + hidden) * CHECK_PRIME + layout * 2 + placement.ordinal()) *
            CHECK_PRIME;
        return mixed >>> Integer.SIZE - COUNT_BITS;
    }
}
