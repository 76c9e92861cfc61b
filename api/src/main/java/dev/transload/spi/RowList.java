/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Off-heap pairs of byte offsets, (source, destination) of one row each, all rows of one length. Native code reads it
 * by address: entry i holds the source offset at i·16 and the destination offset at i·16+8, both i64 in native order.
 * <p>
 * Entries are addressed by index, so that a ring may keep one list as long as itself and never copy. Entries named in
 * an operation must stay as they are until that operation's source is released (rule ROW-3).
 */
public final class RowList
{
    /** Bytes of an entry. */
    public static final int STRIDE = 2 * Long.BYTES;

    private final ByteBuffer memory;
    private final int capacity;
    private int rowLength;
    private boolean isFinal;
    private int checkedFrom;
    private int checkedEnd;
    private long checkedSrcExtent;
    private long checkedDstExtent;

    /**
     * Over memory of at least capacity·{@link #STRIDE} bytes.
     *
     * @param memory   direct buffer, kept for the life of the list.
     * @param capacity in rows.
     */
    public RowList(final ByteBuffer memory, final int capacity)
    {
        if (!memory.isDirect() || memory.capacity() < Math.multiplyExact(capacity, STRIDE))
        {
            throw new IllegalArgumentException("memory must be direct and hold " + (long)capacity * STRIDE +
                " bytes for " + capacity + " rows, has " + memory.capacity());
        }

        this.memory = memory.duplicate().order(ByteOrder.nativeOrder());
        this.capacity = capacity;
    }

    /**
     * Set the length of all rows.
     *
     * @param bytes of a row, not negative.
     * @return this.
     */
    public RowList rowLength(final int bytes)
    {
        if (bytes < 0)
        {
            throw new IllegalArgumentException("rowLength=" + bytes + ": must not be negative");
        }

        if (rowLength != bytes)
        {
            rowLength = bytes;
            checkedEnd = 0;
        }

        return this;
    }

    /**
     * Hint whether rows go to their final places, where nobody reads them soon, rather than into a ring: a transport
     * that copies them itself may then leave them out of the caches. False unless it is set.
     *
     * @param isLast true if the next reader is far.
     * @return this.
     */
    public RowList finalPlaces(final boolean isLast)
    {
        isFinal = isLast;
        return this;
    }

    /**
     * Whether rows go to their final places.
     *
     * @return hint.
     */
    public boolean hasFinalPlaces()
    {
        return isFinal;
    }

    /**
     * Set an entry.
     *
     * @param index     in [0, capacity).
     * @param srcOffset of the row in the source region.
     * @param dstOffset of the row in the destination region.
     */
    public void set(final int index, final long srcOffset, final long dstOffset)
    {
        final int at = index * STRIDE;
        memory.putLong(at, srcOffset);
        memory.putLong(at + Long.BYTES, dstOffset);
        checkedEnd = 0;
    }

    /**
     * Note that entries were written into {@link #memory()} by address, in place of {@link #set}: for loops that count
     * nanoseconds. To be called after such writes, and before an operation that reads them.
     */
    public void noteWritten()
    {
        checkedEnd = 0;
    }

    /**
     * Whether rows are known to lie within memory of given lengths, so that a transport need not look at them: it noted
     * so of these entries, and none has been set since, nor another row length.
     *
     * @param from      first entry.
     * @param count     of entries, positive.
     * @param srcExtent of the source in bytes.
     * @param dstExtent of the destination in bytes.
     * @return false where they have to be checked.
     */
    public boolean isWithin(final int from, final int count, final long srcExtent, final long dstExtent)
    {
        return from >= checkedFrom && from + count <= checkedEnd && srcExtent >= checkedSrcExtent &&
            dstExtent >= checkedDstExtent;
    }

    /**
     * Note that rows lie within memory of given lengths, see {@link #isWithin}; for callers that have checked them.
     *
     * @param from      first entry.
     * @param count     of entries.
     * @param srcExtent of the source in bytes.
     * @param dstExtent of the destination in bytes.
     */
    public void noteWithin(final int from, final int count, final long srcExtent, final long dstExtent)
    {
        checkedFrom = from;
        checkedEnd = from + count;
        checkedSrcExtent = srcExtent;
        checkedDstExtent = dstExtent;
    }

    /**
     * Rows it can hold.
     *
     * @return capacity.
     */
    public int capacity()
    {
        return capacity;
    }

    /**
     * Length of every row.
     *
     * @return bytes.
     */
    public int rowLength()
    {
        return rowLength;
    }

    /**
     * Source of a row.
     *
     * @param index of the entry.
     * @return byte offset.
     */
    public long srcOffset(final int index)
    {
        return memory.getLong(index * STRIDE);
    }

    /**
     * Destination of a row.
     *
     * @param index of the entry.
     * @return byte offset.
     */
    public long dstOffset(final int index)
    {
        return memory.getLong(index * STRIDE + Long.BYTES);
    }

    /**
     * Backing memory for native code, which reads it; entries are set by {@link #set}, or {@link #noteWritten} tells.
     *
     * @return direct buffer in native order.
     */
    public ByteBuffer memory()
    {
        return memory;
    }
}
