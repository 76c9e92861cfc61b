/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import org.agrona.UnsafeApi;

/**
 * What a rank tells another of one dispatch and channel, in one put: words of 8 bytes in native order, each value v as
 * −v−1, so that a word that nobody wrote can be told from 0.
 * <pre>
 * word 0: call number | 1: experts | 2: hidden | 3: format | 4: rows | 5: generation of the connection | 6 … 7: none
 * then a word for each of the channel's experts, ascending: rows for it
 * then two words for each row, in the order in which they are sent, the row's header of 16 bytes:
 *      source token · 2^32 + answer slot at the source | local expert · 2^32 + slot within (expert, source)
 * </pre>
 * The headers travel in host memory beside the rows, since the JVM of the receiver cannot look into the memory of a
 * device; on the rows' channel, but ahead of them and with a signal of their own, so that the receiver has worked out
 * where rows go when these come. All is by address: a message lies within the memory for messages by construction.
 */
final class DispatchMessage
{
    /** Bytes of a row's header. */
    static final int HEADER_BYTES = 2 * Long.BYTES;

    private static final int EXPERTS = Long.BYTES;
    private static final int HIDDEN = 2 * Long.BYTES;
    private static final int FORMAT = 3 * Long.BYTES;
    private static final int ROWS = 4 * Long.BYTES;
    private static final int GENERATION = 5 * Long.BYTES;
    private static final int COUNTS = 8 * Long.BYTES;

    private DispatchMessage()
    {
    }

    static long bytes(final int experts, final int rows)
    {
        return COUNTS + (long)experts * Long.BYTES + (long)rows * HEADER_BYTES;
    }

    static void put(
        final long message, final long call, final int experts, final int hidden, final int format, final int rows)
    {
        putWord(message, call);
        putWord(message + EXPERTS, experts);
        putWord(message + HIDDEN, hidden);
        putWord(message + FORMAT, format);
        putWord(message + ROWS, rows);
    }

    static void putGeneration(final long message, final int generation)
    {
        putWord(message + GENERATION, generation);
    }

    static void putCount(final long message, final int expert, final int rows)
    {
        putWord(message + COUNTS + expert * Long.BYTES, rows);
    }

    /**
     * Where the headers of rows begin, {@link #HEADER_BYTES} each: loops that count nanoseconds read and write them by
     * {@link #encode} and {@link #decode}.
     */
    static long headers(final long message, final int channelExperts)
    {
        return message + COUNTS + channelExperts * Long.BYTES;
    }

    static long call(final long message)
    {
        return getWord(message);
    }

    static int experts(final long message)
    {
        return (int)getWord(message + EXPERTS);
    }

    static int hidden(final long message)
    {
        return (int)getWord(message + HIDDEN);
    }

    static int format(final long message)
    {
        return (int)getWord(message + FORMAT);
    }

    /** At most so many as the channel can have. */
    static int rows(final long message, final int most)
    {
        final long rows = getWord(message + ROWS);
        if (rows > most)
        {
            throw new IllegalStateException(
                "a dispatch's message tells of " + rows + " rows: must be at most " + most);
        }

        return (int)rows;
    }

    static int generation(final long message)
    {
        return (int)getWord(message + GENERATION);
    }

    static int count(final long message, final int expert)
    {
        return (int)getWord(message + COUNTS + expert * Long.BYTES);
    }

    /** A value as it is written, −v−1. */
    static long encode(final long value)
    {
        return ~value;
    }

    /** The value of a word; only where {@link #isWritten} says that it is one. */
    static long decode(final long word)
    {
        return ~word;
    }

    static boolean isWritten(final long word)
    {
        return word < 0;
    }

    static IllegalStateException unwritten()
    {
        return new IllegalStateException("a word of a dispatch's message was not written though its signal came: the " +
            "transport's fence does not hold (rule ORD-2)");
    }

    static long pair(final int high, final int low)
    {
        return ((long)high << Integer.SIZE) | low;
    }

    static int high(final long pair)
    {
        return (int)(pair >>> Integer.SIZE);
    }

    static int low(final long pair)
    {
        return (int)pair;
    }

    private static void putWord(final long address, final long value)
    {
        UnsafeApi.putLong(address, encode(value));
    }

    private static long getWord(final long address)
    {
        final long word = UnsafeApi.getLong(address);
        if (!isWritten(word))
        {
            throw unwritten();
        }

        return decode(word);
    }
}
