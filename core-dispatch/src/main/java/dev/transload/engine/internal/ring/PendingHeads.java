/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

/**
 * Heads that may be reported once asynchronous work passed a position: rows of a ring count as consumed only when
 * nothing reads their slots any more. A fixed queue; both values ascend.
 */
public final class PendingHeads
{
    private static final int CAPACITY = 64;

    private final long[] positions = new long[CAPACITY];
    private final long[] heads = new long[CAPACITY];
    private long first;
    private long next;
    private long settled;

    /** Forget all: heads begin at 0 again. */
    public void reset()
    {
        first = 0;
        next = 0;
        settled = 0;
    }

    /** Whether another head can be queued. */
    public boolean hasRoom()
    {
        return next - first < CAPACITY;
    }

    /**
     * Whether nothing is queued.
     *
     * @return true if all heads are settled.
     */
    public boolean isEmpty()
    {
        return next == first;
    }

    /**
     * Queue a head.
     *
     * @param position that must be passed first.
     * @param head     rows consumed by then.
     */
    public void add(final long position, final long head)
    {
        final int at = (int)(next++ % CAPACITY);
        positions[at] = position;
        heads[at] = head;
    }

    /**
     * Take what has been passed.
     *
     * @return rows consumed for certain.
     */
    public long settle(final long position)
    {
        while (first < next && positions[(int)(first % CAPACITY)] <= position)
        {
            settled = heads[(int)(first++ % CAPACITY)];
        }

        return settled;
    }

    /**
     * Position that the oldest queued head waits for.
     *
     * @return position, 0 if nothing is queued.
     */
    public long oldestPosition()
    {
        return isEmpty() ? 0 : positions[(int)(first % CAPACITY)];
    }
}
