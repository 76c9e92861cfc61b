/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.RowList;
import dev.transload.transport.base.RowCopy;
import dev.transload.transport.base.WordCopy;

import org.agrona.UnsafeApi;

/**
 * What the CPU has to do behind a fence, in order: each operation waits until the channel's stream has completed a
 * value. One thread's.
 */
final class PendingOperations
{
    static final int CAPACITY = 256;

    private static final int MASK = CAPACITY - 1;
    private static final byte COPY = 0;
    private static final byte WORDS = 1;
    private static final byte ROWS = 2;
    private static final byte ADD = 3;

    private final byte[] kinds = new byte[CAPACITY];
    private final long[] sources = new long[CAPACITY];
    private final long[] targets = new long[CAPACITY];
    private final long[] lengths = new long[CAPACITY];
    private final int[] from = new int[CAPACITY];
    private final RowList[] rows = new RowList[CAPACITY];
    private final long[] behind = new long[CAPACITY];
    private long added;
    private long executed;

    boolean isEmpty()
    {
        return added == executed;
    }

    boolean hasRoom()
    {
        return added - executed < CAPACITY;
    }

    /** Operations so far. */
    long added()
    {
        return added;
    }

    /** Of those, how many are done. */
    long executed()
    {
        return executed;
    }

    void addCopy(final long value, final long source, final long target, final long length)
    {
        add(COPY, value, source, target, length);
    }

    /** A copy that reads words whole. */
    void addWords(final long value, final long source, final long target, final long length)
    {
        add(WORDS, value, source, target, length);
    }

    void addRows(
        final long value, final long source, final long target, final RowList list, final int first, final int count)
    {
        rows[(int)added & MASK] = list;
        from[(int)added & MASK] = first;
        add(ROWS, value, source, target, count);
    }

    void addAdd(final long value, final long word, final long delta)
    {
        add(ADD, value, 0, word, delta);
    }

    /**
     * Carry out what may be carried out.
     *
     * @param completed value of the stream.
     * @return operations done.
     */
    int execute(final long completed)
    {
        int count = 0;
        while (added != executed && behind[(int)executed & MASK] <= completed)
        {
            execute((int)executed & MASK);
            executed++;
            count++;
        }

        return count;
    }

    private void add(final byte kind, final long value, final long source, final long target, final long length)
    {
        final int at = (int)added & MASK;
        kinds[at] = kind;
        behind[at] = value;
        sources[at] = source;
        targets[at] = target;
        lengths[at] = length;
        added++;
    }

    private void execute(final int at)
    {
        switch (kinds[at])
        {
            case COPY -> UnsafeApi.copyMemory(sources[at], targets[at], lengths[at]);
            case WORDS -> WordCopy.copy(sources[at], targets[at], lengths[at]);
            case ROWS ->
            {
                final int end = from[at] + (int)lengths[at];
                RowCopy.copy(sources[at], targets[at], rows[at], from[at], end);
                rows[at] = null;
            }
            default -> UnsafeApi.getAndAddLong(null, targets[at], lengths[at]);
        }
    }
}
