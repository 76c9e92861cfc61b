/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

/**
 * Up to which position the operations of a channel are done. An entry says: all up to this position is, once the device
 * has completed that launch, and the CPU has carried out so many operations. One thread's.
 */
final class Completions
{
    static final int CAPACITY = 1024;

    private static final int MASK = CAPACITY - 1;

    private final long[] positions = new long[CAPACITY];
    private final long[] launches = new long[CAPACITY];
    private final long[] executed = new long[CAPACITY];
    private long head;
    private long tail;
    private long done;

    boolean hasRoom()
    {
        return tail - head < CAPACITY;
    }

    /** Whether nothing is under way. */
    boolean isEmpty()
    {
        return tail == head;
    }

    /** Position up to which all is done. */
    long done()
    {
        return done;
    }

    /**
     * Operations were accepted; there is room.
     *
     * @param position of the last one.
     * @param launch   that the device will have completed.
     * @param count    of operations that the CPU will have carried out.
     */
    void add(final long position, final long launch, final long count)
    {
        final int last = (int)(tail - 1) & MASK;
        if (tail != head && launches[last] == launch && executed[last] == count)
        {
            positions[last] = position;
            return;
        }

        final int at = (int)tail & MASK;
        positions[at] = position;
        launches[at] = launch;
        executed[at] = count;
        tail++;
    }

    /**
     * See what is done.
     *
     * @param launch that the device has completed.
     * @param count  of operations that the CPU has carried out.
     * @return entries done.
     */
    int advance(final long launch, final long count)
    {
        final long before = head;
        while (head != tail && launches[(int)head & MASK] <= launch && executed[(int)head & MASK] <= count)
        {
            done = positions[(int)head & MASK];
            head++;
        }

        return (int)(head - before);
    }
}
