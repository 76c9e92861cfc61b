/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

/**
 * Signals of a channel that are not done. Each is given to UCX, as an atomic add, when all before it is done, signals
 * too; so one is under way at a time. It is done with the first flush that is begun behind it. One thread's.
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
    private boolean isGiven;
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
        return isGiven;
    }

    /** Position of the oldest one; there is one. */
    long position()
    {
        return positions[(int)head & MASK];
    }

    /** What of UCX the oldest one comes behind. */
    long submission()
    {
        return submissions[(int)head & MASK];
    }

    long address()
    {
        return addresses[(int)head & MASK];
    }

    long key()
    {
        return keys[(int)head & MASK];
    }

    long delta()
    {
        return deltas[(int)head & MASK];
    }

    /** The oldest one was given to UCX, and is done with a flush, by its number. */
    void give(final long untilFlush)
    {
        isGiven = true;
        flush = untilFlush;
    }

    /** Flushes up to a number have ended. */
    void flushed(final long number)
    {
        if (isGiven && flush <= number)
        {
            isGiven = false;
            head++;
        }
    }

    /** The channel ends: what UCX was not given will not be. */
    void discard()
    {
        tail = head + (isGiven ? 1 : 0);
    }
}
