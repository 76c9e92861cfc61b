/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import org.agrona.BufferUtil;

/**
 * One kind of bytes of a ring's rows (payload, scales or metadata): where they come from, where they go, and a list of
 * offsets. In a ring an entry is a slot, rewritten only when its slot is. Rows that go to their final places
 * ({@link #into}) take the entries in turn, none, one or several for a slot; the list is long enough that an entry's
 * turn comes no sooner than its slot's. So lists are never copied. A list may also be kept and sent again
 * ({@link #again}).
 */
public final class RowSet
{
    private final RowList rows;
    private RemoteRegion target;
    private MemoryRegion source;
    private boolean isUsed;
    private boolean isPlaced;
    private int first;
    private int count;

    /**
     * For a ring at a peer, or for rows that go to their final places there.
     *
     * @param rows   with one entry a slot, or as many as a slot's row has places.
     * @param target region of the ring, null where {@link #into} says it.
     */
    public RowSet(final RowList rows, final RemoteRegion target)
    {
        this.rows = rows;
        this.target = target;
    }

    /**
     * Choose what the next chunk's rows are.
     *
     * @param region    they come from.
     * @param rowLength bytes of each, 0 to leave this set out.
     */
    public void use(final MemoryRegion region, final int rowLength)
    {
        source = region;
        isUsed = rowLength > 0;
        rows.rowLength(rowLength);
    }

    /** The next chunk has none of these rows. */
    public void leaveOut()
    {
        isUsed = false;
    }

    /**
     * Begin a chunk of rows that go to their final places.
     *
     * @param region of the places.
     */
    public void into(final RemoteRegion region)
    {
        target = region;
        isPlaced = true;
        first = nextEntry();
        count = 0;
    }

    /**
     * Set a slot's offsets.
     *
     * @param slot      of the ring.
     * @param srcOffset in the source region.
     * @param dstOffset in the target region.
     */
    public void set(final int slot, final long srcOffset, final long dstOffset)
    {
        rows.set(slot, srcOffset, dstOffset);
    }

    /**
     * Add a place to the chunk begun last.
     *
     * @param srcOffset in the source region.
     * @param dstOffset in the target region.
     */
    public void add(final long srcOffset, final long dstOffset)
    {
        rows.set(nextEntry(), srcOffset, dstOffset);
        count++;
    }

    /**
     * Where the next place of the chunk begun last is to be written, in the layout of {@link RowList}: for loops that
     * count nanoseconds, in place of {@link #add}.
     *
     * @return address of its entry.
     */
    public long nextAddress()
    {
        return BufferUtil.address(rows.memory()) + (long)nextEntry() * RowList.STRIDE;
    }

    /**
     * Entries from there to the end of the list.
     *
     * @return how many may be written one behind the other.
     */
    public int room()
    {
        return rows.capacity() - nextEntry();
    }

    private int nextEntry()
    {
        final int entry = first + count;
        return entry < rows.capacity() ? entry : entry - rows.capacity();
    }

    /**
     * Places were written there.
     *
     * @param places how many.
     */
    public void added(final int places)
    {
        count += places;
        rows.noteWritten();
    }

    /**
     * Begin rows that go to their final places anew, from the first entry on; nothing reads the list any more.
     *
     * @param region of the places.
     */
    public void refill(final RemoteRegion region)
    {
        again(region, 0);
    }

    /**
     * Begin rows that the list has from its first entry on again.
     *
     * @param region  of the places.
     * @param entries of the rows.
     */
    public void again(final RemoteRegion region, final int entries)
    {
        part(region, 0, entries);
    }

    /**
     * The next chunk has some entries of the list, as it was filled.
     *
     * @param region     of their destinations.
     * @param firstEntry of them.
     * @param entries    how many.
     */
    public void part(final RemoteRegion region, final int firstEntry, final int entries)
    {
        target = region;
        isPlaced = true;
        first = firstEntry;
        count = entries;
    }

    /**
     * Whether the next chunk has none of the entries that were added last.
     *
     * @return true if nothing is to be put.
     */
    public boolean isEmpty()
    {
        return 0 == count;
    }

    boolean isUsed()
    {
        return isUsed;
    }

    /** Entry of a chunk's first row. */
    int first(final int firstSlot)
    {
        return isPlaced ? first : firstSlot;
    }

    /** Entries of a chunk. */
    int count(final int chunkRows)
    {
        return isPlaced ? count : chunkRows;
    }

    RowList rows()
    {
        return rows;
    }

    MemoryRegion source()
    {
        return source;
    }

    RemoteRegion target()
    {
        return target;
    }
}
