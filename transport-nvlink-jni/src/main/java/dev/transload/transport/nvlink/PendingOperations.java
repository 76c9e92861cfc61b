/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.RowList;
import dev.transload.transport.base.RowCopy;
import dev.transload.transport.base.WordCopy;

import org.agrona.UnsafeApi;

/**
 * What the CPU has to do behind a fence, or by a signal, that the device has not reached yet, in order: each operation
 * waits until the device has completed the launch that it is behind. One thread's.
 */
final class PendingOperations
{
    static final int CAPACITY = 256;

    /** A copy of bytes. */
    static final byte COPY = 0;

    /** A copy that reads words whole. */
    static final byte WORDS = 1;

    /** An atomic add to a word. */
    static final byte ADD = 2;

    private static final byte ROWS = 3;
    private static final int MASK = CAPACITY - 1;

    private final byte[] kinds = new byte[CAPACITY];
    private final long[] sources = new long[CAPACITY];
    private final long[] targets = new long[CAPACITY];
    private final long[] amounts = new long[CAPACITY];
    private final int[] from = new int[CAPACITY];
    private final RowList[] rows = new RowList[CAPACITY];
    private final long[] launches = new long[CAPACITY];
    private long fenceLaunch;
    private long added;
    private long executed;

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

    /** Whether the device is done with what the last fence is behind. */
    boolean isFenceReached(final long launch)
    {
        return fenceLaunch <= launch;
    }

    /** What is added from here on waits for a launch. */
    void fence(final long launch)
    {
        fenceLaunch = launch;
    }

    /** Add an atomic add behind more than the last fence is behind; there is room. */
    void addBehind(final long launch, final long target, final long delta)
    {
        final int at = (int)added & MASK;
        add(ADD, 0, target, delta);
        launches[at] = launch;
    }

    void addRows(final long source, final long target, final RowList list, final int first, final int count)
    {
        rows[(int)added & MASK] = list;
        from[(int)added & MASK] = first;
        add(ROWS, source, target, count);
    }

    /**
     * Add an operation; there is room.
     *
     * @param kind   of the operation.
     * @param source address, nothing for an add.
     * @param target address.
     * @param amount bytes, rows, or what is added.
     */
    void add(final byte kind, final long source, final long target, final long amount)
    {
        final int at = (int)added & MASK;
        kinds[at] = kind;
        launches[at] = fenceLaunch;
        sources[at] = source;
        targets[at] = target;
        amounts[at] = amount;
        added++;
    }

    /** Carry out what may be carried out. */
    int execute(final long launch)
    {
        int count = 0;
        while (added != executed && launches[(int)executed & MASK] <= launch)
        {
            execute((int)executed & MASK);
            executed++;
            count++;
        }

        return count;
    }

    private void execute(final int at)
    {
        if (ROWS == kinds[at])
        {
            RowCopy.copy(sources[at], targets[at], rows[at], from[at], from[at] + (int)amounts[at]);
            rows[at] = null;
        }
        else
        {
            execute(kinds[at], sources[at], targets[at], amounts[at]);
        }
    }

    /** Carry out what waits for nothing. */
    static void execute(final byte kind, final long source, final long target, final long amount)
    {
        switch (kind)
        {
            case COPY -> UnsafeApi.copyMemory(source, target, amount);
            case WORDS -> WordCopy.copy(source, target, amount);
            default -> UnsafeApi.getAndAddLong(null, target, amount);
        }
    }
}
