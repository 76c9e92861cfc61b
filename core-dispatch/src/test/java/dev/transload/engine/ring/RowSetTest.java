/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.RowList;
import java.nio.ByteBuffer;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;

/** Places that are written by address are as those that are added. */
class RowSetTest
{
    private static final int CAPACITY = 5;

    private final RowList list = new RowList(ByteBuffer.allocateDirect(CAPACITY * RowList.STRIDE), CAPACITY);
    private final RowSet set = new RowSet(list, null);

    private void write(final int places)
    {
        for (int i = 0; i < places; i++)
        {
            final long at = set.nextAddress() + (long)i * RowList.STRIDE;
            UnsafeApi.putLong(at, 10 + i);
            UnsafeApi.putLong(at + Long.BYTES, 20 + i);
        }

        set.added(places);
    }

    @Test
    void shouldTakeThemBehindThoseBefore()
    {
        set.refill(null);
        set.add(1, 2);
        write(2);
        set.add(3, 4);

        assertEquals(4, set.count(0));
        assertEquals(10, list.srcOffset(1));
        assertEquals(21, list.dstOffset(2));
        assertEquals(3, list.srcOffset(3));
        assertEquals(1, set.room());
    }

    /** A chunk's places begin behind the last one's, in turn. */
    @Test
    void shouldGoOnAtTheListsBeginning()
    {
        set.refill(null);
        write(3);
        set.into(null);
        assertEquals(2, set.room());
        write(2);
        set.into(null);

        assertEquals(CAPACITY, set.room());
        assertEquals(0, set.first(0));
        assertTrue(set.isEmpty());
    }

    /** A transport that found entries within their memory looks at them again once they are written. */
    @Test
    void shouldTellOfWhatIsWritten()
    {
        set.refill(null);
        write(1);
        list.noteWithin(0, 1, 100, 100);
        assertTrue(list.isWithin(0, 1, 100, 100));
        set.refill(null);
        write(1);

        assertFalse(list.isWithin(0, 1, 100, 100));
    }
}
