/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.LocalRegion;
import org.agrona.UnsafeApi;

/**
 * The loads of a channel that are under way, oldest first. The worker's thread adds; the thread that applies inbound
 * messages, under the lock of the region table, fills and removes.
 */
final class PendingLoads
{
    private final long[] positions;
    private final long[] offsets;
    private final long[] lengths;
    private final LocalRegion[] targets;
    private volatile long head;
    private volatile long tail;

    PendingLoads(final int capacity)
    {
        positions = new long[capacity];
        offsets = new long[capacity];
        lengths = new long[capacity];
        targets = new LocalRegion[capacity];
    }

    boolean isFull()
    {
        return tail - head == positions.length;
    }

    void add(final long position, final LocalRegion target, final long offset, final long length)
    {
        final int at = (int)(tail % positions.length);
        positions[at] = position;
        offsets[at] = offset;
        lengths[at] = length;
        targets[at] = target;
        tail = tail + 1;
    }

    /**
     * Take bytes of the oldest load.
     *
     * @param position of the load.
     * @param offset   of the bytes from the first one.
     * @param address  of the bytes.
     * @param bytes    how many.
     * @return false when they belong to no load that is under way.
     */
    boolean fill(final long position, final long offset, final long address, final long bytes)
    {
        final int at = (int)(head % positions.length);
        if (head == tail || positions[at] != position || offset < 0 || bytes > lengths[at] - offset)
        {
            return false;
        }

        if (targets[at].isOpen())
        {
            UnsafeApi.copyMemory(address, targets[at].address() + offsets[at] + offset, bytes);
        }

        return true;
    }

    void removeOldest()
    {
        targets[(int)(head % targets.length)] = null;
        head = head + 1;
    }
}
