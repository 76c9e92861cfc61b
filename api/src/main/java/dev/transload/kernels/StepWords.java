/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Layout and values of the words that each rank of a session stores in the memory of the other ranks (rule STP-2). A
 * word has 8 aligned bytes in native byte order: {@code value} in the lower 32 bits, {@code tag} in the upper 32 bits.
 * The tag is {@code generation << 20 | call mod 2^20}. The generation belongs to the pair of ranks and begins at 1, so
 * that memory filled with zeros holds no valid word. The parity of a call is the lowest bit of its number. The words
 * are in arrays, which follow each other in this order:
 * <pre>
 * array                     stored by              at         value
 * counts   [2][P][L]        source                 owner      rows | check of the call &lt;&lt; 16
 * starts   [2][P][L]        owner                  source     first row | number of the output &lt;&lt; 24
 * done     [2][P][B]        source                 owner      rows in the source's slots; 0 with direct placement
 * ready    [2][P]           owner                  home       number of the answers tensor
 * read     [2][P][B]        home                   owner      0
 * landed   [2][P][{@value #CHUNKS}]       far source             owner      rows in the source's slots
 * answered [2][P][{@value #CHUNKS}]       far owner              home       0
 * alive    [P]              a waiting rank         any        number of the sign; its tag has call 0
 * </pre>
 * The index in [P] is the rank that stored the word; the index in [2] is the parity of the call. P is the number of
 * ranks, L is the largest number of experts that a rank can have, and B is the number of blocks of a kernel. An owner
 * is a rank that holds experts. The source or home of a token is the rank that dispatches it. The check of a call is
 * the hash that {@link #check} returns.
 * <p>
 * Two sets of words are enough, and words are never cleared, for the following reason. A rank that has ended call n + 1
 * has read a word of call n + 1 from every active peer. Each of these peers had ended call n before it stored this
 * word. Therefore no rank still waits for a word of call n when a word of call n + 2 overwrites it.
 */
public final class StepWords
{
    /** Number of bytes of a word. */
    public static final int WORD_BYTES = Long.BYTES;

    /** Number of bits of a tag that hold the number of the call. */
    public static final int CALL_BITS = 20;

    /** Largest generation. */
    public static final int MAX_GENERATION = (1 << Integer.SIZE - CALL_BITS) - 1;

    /** Number of bits of a count in the value of a count word; the upper bits hold the hash of {@link #check}. */
    public static final int COUNT_BITS = 16;

    /** Largest number of chunks in which the rows or answers of a call are sent to one far rank. */
    public static final int CHUNKS = 32;

    /** Largest number of outputs, and of answers tensors, that each rank can have in a session at a time. */
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
     * Creates the layout for a session.
     *
     * @param shape shape of the session.
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
     * Returns the size of all words of a rank.
     *
     * @return number of bytes.
     */
    public long bytes()
    {
        return alive + (long)ranks * WORD_BYTES;
    }

    /**
     * Returns the offset of a count word.
     *
     * @param call   number of the call.
     * @param source rank that stores the word.
     * @param expert index of the owner's local expert.
     * @return byte offset in the owner's words.
     */
    public long counts(final long call, final int source, final int expert)
    {
        return at(0, call, source, experts, expert);
    }

    /**
     * Returns the offset of a start word.
     *
     * @param call   number of the call.
     * @param owner  rank that stores the word.
     * @param expert index of the owner's local expert.
     * @return byte offset in the source's words.
     */
    public long starts(final long call, final int owner, final int expert)
    {
        return at(starts, call, owner, experts, expert);
    }

    /**
     * Returns the offset of a word that informs the owner that rows are stored.
     *
     * @param call   number of the call.
     * @param source rank that stores the word.
     * @param block  index of the source's block.
     * @return byte offset in the owner's words.
     */
    public long done(final long call, final int source, final int block)
    {
        return at(done, call, source, blocks, block);
    }

    /**
     * Returns the offset of a word that informs a home rank that it may read answers.
     *
     * @param call  number of the call.
     * @param owner rank that stores the word.
     * @return byte offset in the home rank's words.
     */
    public long ready(final long call, final int owner)
    {
        return at(ready, call, owner, 1, 0);
    }

    /**
     * Returns the offset of a word that informs an owner that its answers have been read.
     *
     * @param call  number of the call.
     * @param home  rank that stores the word.
     * @param block index of the home rank's block.
     * @return byte offset in the words of the owner of the answers.
     */
    public long read(final long call, final int home, final int block)
    {
        return at(read, call, home, blocks, block);
    }

    /**
     * Returns the offset of a word that a far source puts after a chunk of rows.
     *
     * @param call   number of the call.
     * @param source rank that puts the word.
     * @param chunk  index of the chunk of slots.
     * @return byte offset in the owner's words.
     */
    public long landed(final long call, final int source, final int chunk)
    {
        return at(landed, call, source, CHUNKS, chunk);
    }

    /**
     * Returns the offset of a word that a far owner puts after a chunk of answers.
     *
     * @param call  number of the call.
     * @param owner rank that puts the word.
     * @param chunk index of the chunk of answers.
     * @return byte offset in the home rank's words.
     */
    public long answered(final long call, final int owner, final int chunk)
    {
        return at(answered, call, owner, CHUNKS, chunk);
    }

    /**
     * Returns the offset of a word that is a sign of life.
     *
     * @param rank rank that stores the word.
     * @return byte offset in the words of any other rank.
     */
    public long alive(final int rank)
    {
        return alive + (long)rank * WORD_BYTES;
    }

    /**
     * Returns the word that consists of a tag and a value.
     *
     * @param generation generation of the pair of ranks, in [1, {@link #MAX_GENERATION}].
     * @param call       number of the call.
     * @param value      value of the word.
     * @return word.
     */
    public static long word(final int generation, final long call, final int value)
    {
        return (long)(generation << CALL_BITS | (int)(call & CALL_MASK)) << Integer.SIZE | value & 0xFFFF_FFFFL;
    }

    /**
     * Returns whether a word belongs to a call, whatever its value is.
     *
     * @param word       word, read without tearing.
     * @param generation generation of the pair of ranks.
     * @param call       number of the call.
     * @return false if the word of this call has not arrived.
     */
    public static boolean isOf(final long word, final int generation, final long call)
    {
        return (int)(word >>> Integer.SIZE) == (generation << CALL_BITS | (int)(call & CALL_MASK));
    }

    /**
     * Returns the value of a word.
     *
     * @param word word, read without tearing.
     * @return lower 32 bits.
     */
    public static int value(final long word)
    {
        return (int)word;
    }

    /**
     * Returns the value of a count word.
     *
     * @param count number of rows.
     * @param check hash of the call, from {@link #check}.
     * @return value.
     */
    public static int countValue(final int count, final int check)
    {
        return check << COUNT_BITS | count;
    }

    /**
     * Returns the value of a start word.
     *
     * @param row    first row of the source.
     * @param output number of the owner's output.
     * @return value.
     */
    public static int startValue(final int row, final int output)
    {
        return output << StepShape.ROW_BITS | row;
    }

    /**
     * Returns a hash of 16 bits by which a rank detects that another rank made a different call. The hash is equal for
     * equal calls and very likely different for different calls.
     *
     * @param experts   E, number of experts.
     * @param hidden    number of elements of a row.
     * @param isFp8     whether rows are cast to FP8.
     * @param format    format of the scales, ignored unless rows are cast.
     * @param scales    layout of the scales, ignored unless rows are cast.
     * @param placement where the source ranks write rows.
     * @return hash, in [0, 65535].
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
