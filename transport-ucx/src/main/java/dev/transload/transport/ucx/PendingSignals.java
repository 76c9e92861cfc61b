/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

/**
 * Signals of a channel that are not done. Each is given to UCX, as an atomic add, when all before it is done, signals
 * too; so one is under way at a time. Signals to one word right behind each other, before which all is done, are one
 * add. It is done with the first flush that is begun behind it. One thread's.
 */
final class PendingSignals
{
    static final int CAPACITY = 64;

    private static final int MASK = CAPACITY - 1;

    private final long[] addresses = new long[CAPACITY];
    private final long[] keys = new long[CAPACITY];
    private final long[] deltas = new long[CAPACITY];
    private final long[] positions = new long[CAPACITY];
    private final long[] submissions = new long[CAPACITY];
    private long head;
    private long tail;
    /** Signals of the add that is under way, 0 for none. */
    private int given;
    private long flush;

    boolean isEmpty()
    {
        return tail == head;
    }

    boolean hasRoom()
    {
        return tail - head < CAPACITY;
    }

    /**
     * Add a signal; there is room.
     *
     * @param address    of the word at its owner.
     * @param key        handle of the word's remote key.
     * @param delta      that is added.
     * @param position   of the channel that the signal has.
     * @param submission of the last operation of UCX before it, as a position.
     */
    void add(final long address, final long key, final long delta, final long position, final long submission)
    {
        final int at = (int)tail & MASK;
        addresses[at] = address;
        keys[at] = key;
        deltas[at] = delta;
        positions[at] = position;
        submissions[at] = submission;
        tail++;
    }

    /** Whether the oldest one has been given to UCX. */
    boolean isGiven()
    {
        return given > 0;
    }

    /**
     * Signals that one add can stand for.
     *
     * @param settled operations of UCX are done up to this position of the channel.
     * @return count of the oldest one and those behind it, 0 where operations before the oldest one are not done.
     */
    int ready(final long settled)
    {
        int count = 0;
        for (long next = head; next < tail; next++)
        {
            final int at = (int)next & MASK;
            if (submissions[at] > settled || addresses[at] != address() || keys[at] != key())
            {
                break;
            }

            count++;
        }

        return count;
    }

    /** Position of the oldest one; there is one. */
    long position()
    {
        return positions[(int)head & MASK];
    }

    long address()
    {
        return addresses[(int)head & MASK];
    }

    long key()
    {
        return keys[(int)head & MASK];
    }

    /** Sum of the oldest ones. */
    long delta(final int count)
    {
        long sum = 0;
        for (long next = head; next < head + count; next++)
        {
            sum += deltas[(int)next & MASK];
        }

        return sum;
    }

    /** The oldest ones were given to UCX as one add, which is done with a flush, by its number. */
    void give(final int count, final long untilFlush)
    {
        given = count;
        flush = untilFlush;
    }

    /** Flushes up to a number have ended. */
    void flushed(final long number)
    {
        if (given > 0 && flush <= number)
        {
            head += given;
            given = 0;
        }
    }

    /** The channel ends: what UCX was not given will not be. */
    void discard()
    {
        tail = head + given;
    }
}
