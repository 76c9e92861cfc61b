/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a rank tells another of one dispatch and channel, in one put: words of 8 bytes in native order, each value v as
 * −v−1, so that a word that nobody wrote can be told from 0.
 * <pre>
 * word 0: call number | 1: experts | 2: hidden | 3: format | 4: rows | 5: generation of the connection | 6 … 7: none
 * then a word for each of the channel's experts, ascending: rows for it
 * then two words for each row, in the order in which they are sent, the row's header of 16 bytes:
 *      source token · 2^32 + answer slot at the source | local expert · 2^32 + slot within (expert, source)
 * </pre>
 * The headers travel in host memory beside the rows, on the rows' channel and under one signal with them, since the
 * JVM of the receiver cannot look into the memory of a device.
 */
final class DispatchMessage
{
    private static final int EXPERTS = Long.BYTES;
    private static final int HIDDEN = 2 * Long.BYTES;
    private static final int FORMAT = 3 * Long.BYTES;
    private static final int ROWS = 4 * Long.BYTES;
    private static final int GENERATION = 5 * Long.BYTES;
    private static final int COUNTS = 8 * Long.BYTES;
    private static final int HEADER_BYTES = 2 * Long.BYTES;

    private DispatchMessage()
    {
    }

    static long bytes(final int experts, final int rows)
    {
        return COUNTS + (long)experts * Long.BYTES + (long)rows * HEADER_BYTES;
    }

    static void put(
        final UnsafeBuffer buffer, final int at, final long call, final int experts, final int hidden, final int format,
        final int rows)
    {
        putWord(buffer, at, call);
        putWord(buffer, at + EXPERTS, experts);
        putWord(buffer, at + HIDDEN, hidden);
        putWord(buffer, at + FORMAT, format);
        putWord(buffer, at + ROWS, rows);
    }

    static void putGeneration(final UnsafeBuffer buffer, final int at, final int generation)
    {
        putWord(buffer, at + GENERATION, generation);
    }

    static void putCount(final UnsafeBuffer buffer, final int at, final int expert, final int rows)
    {
        putWord(buffer, at + COUNTS + expert * Long.BYTES, rows);
    }

    /** Of {@code channelExperts} experts that the message counts. */
    static void putRow(
        final UnsafeBuffer buffer, final int at, final int channelExperts, final int row, final int token,
        final int answerSlot, final int localExpert, final int slot)
    {
        final int header = at + COUNTS + channelExperts * Long.BYTES + row * HEADER_BYTES;
        putWord(buffer, header, pair(token, answerSlot));
        putWord(buffer, header + Long.BYTES, pair(localExpert, slot));
    }

    static long call(final UnsafeBuffer buffer, final int at)
    {
        return getWord(buffer, at);
    }

    static int experts(final UnsafeBuffer buffer, final int at)
    {
        return (int)getWord(buffer, at + EXPERTS);
    }

    static int hidden(final UnsafeBuffer buffer, final int at)
    {
        return (int)getWord(buffer, at + HIDDEN);
    }

    static int format(final UnsafeBuffer buffer, final int at)
    {
        return (int)getWord(buffer, at + FORMAT);
    }

    static int rows(final UnsafeBuffer buffer, final int at)
    {
        return (int)getWord(buffer, at + ROWS);
    }

    static int generation(final UnsafeBuffer buffer, final int at)
    {
        return (int)getWord(buffer, at + GENERATION);
    }

    static int count(final UnsafeBuffer buffer, final int at, final int expert)
    {
        return (int)getWord(buffer, at + COUNTS + expert * Long.BYTES);
    }

    /** Source token and answer slot of a row. */
    static long source(final UnsafeBuffer buffer, final int at, final int channelExperts, final int row)
    {
        return getWord(buffer, at + COUNTS + channelExperts * Long.BYTES + row * HEADER_BYTES);
    }

    /** Local expert and slot of a row. */
    static long place(final UnsafeBuffer buffer, final int at, final int channelExperts, final int row)
    {
        return getWord(buffer, at + COUNTS + channelExperts * Long.BYTES + row * HEADER_BYTES + Long.BYTES);
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

    private static void putWord(final UnsafeBuffer buffer, final int index, final long value)
    {
        buffer.putLong(index, -value - 1);
    }

    private static long getWord(final UnsafeBuffer buffer, final int index)
    {
        final long word = buffer.getLong(index);
        if (word >= 0)
        {
            throw new IllegalStateException("word at " + index + " of a dispatch's message was not written though " +
                "its signal came: the transport's fence does not hold (rule ORD-2)");
        }

        return -(word + 1);
    }
}
