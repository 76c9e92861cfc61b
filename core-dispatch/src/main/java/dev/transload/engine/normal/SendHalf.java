/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.ring.Cursor;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Order of release in the send half of a ring that several senders fill side by side: a stamp a slot, written when the
 * slot is filled. Rows are released in order, up to the first slot whose stamp is missing.
 */
public final class SendHalf
{
    private static final int ALIGNMENT = 128;

    private final int slots;
    private final ByteBuffer memory;
    private final UnsafeBuffer stamps;
    private final Cursor sent = new Cursor();

    /**
     * For a ring.
     *
     * @param slots of it.
     */
    public SendHalf(final int slots)
    {
        this.slots = slots;
        this.memory = BufferUtil.allocateDirectAligned(Math.multiplyExact(slots, Long.BYTES), ALIGNMENT);
        this.stamps = new UnsafeBuffer(memory);
    }

    /**
     * Rows up to here are sent, and the transport reads their slots no more; by the sender coordinator.
     *
     * @return cursor.
     */
    public Cursor sent()
    {
        return sent;
    }

    /**
     * A row's slot is filled.
     *
     * @param row absolute index.
     */
    public void fill(final long row)
    {
        fill(row, (int)(row % slots));
    }

    void fill(final long row, final int slot)
    {
        stamps.putLongOrdered(slot * Long.BYTES, row + 1);
    }

    /**
     * First row that is not filled.
     *
     * @param from row up to which all are known to be filled.
     * @param end  row after the last one to come.
     * @return row in [from, end].
     */
    public long released(final long from, final long end)
    {
        long row = from;
        int slot = (int)(row % slots);
        while (row < end && stamps.getLongVolatile(slot * Long.BYTES) == row + 1)
        {
            row++;
            slot = slot + 1 == slots ? 0 : slot + 1;
        }

        return row;
    }
}
