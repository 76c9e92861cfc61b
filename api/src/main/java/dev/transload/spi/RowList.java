/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Off-heap list of pairs of byte offsets (source, destination), one pair for each row. All rows have the same length.
 * Native code reads the list by its address: entry i holds the source offset at byte i·16 and the destination offset at
 * byte i·16 + 8, both i64 in native byte order.
 * <p>
 * Operations name entries by index. A ring can therefore use one list that has an entry for each of its slots, and need
 * not copy entries. Entries of an operation must not change until the source of the operation is released (rule ROW-3).
 */
public final class RowList
{
    /** Number of bytes of an entry. */
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
     * Creates a list in memory of at least capacity·{@link #STRIDE} bytes.
     *
     * @param memory   direct buffer; the list keeps a reference to it.
     * @param capacity number of rows.
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
     * Sets the length of all rows.
     *
     * @param bytes number of bytes of a row, not negative.
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
     * Sets a hint that says whether rows are written to their final places or to a ring. Rows in their final places are
     * not read soon. A transport that copies rows itself may therefore bypass the caches for such rows. The default is
     * false.
     *
     * @param isLast true if rows are written to their final places, false if they are written to a ring.
     * @return this.
     */
    public RowList finalPlaces(final boolean isLast)
    {
        isFinal = isLast;
        return this;
    }

    /**
     * Returns whether rows are written to their final places.
     *
     * @return value of the hint.
     */
    public boolean hasFinalPlaces()
    {
        return isFinal;
    }

    /**
     * Sets an entry.
     *
     * @param index     index of the entry, in [0, capacity).
     * @param srcOffset byte offset of the row in the source region.
     * @param dstOffset byte offset of the row in the destination region.
     */
    public void set(final int index, final long srcOffset, final long dstOffset)
    {
        final int at = index * STRIDE;
        memory.putLong(at, srcOffset);
        memory.putLong(at + Long.BYTES, dstOffset);
        checkedEnd = 0;
    }

    /**
     * Informs the list that the caller has written entries directly into {@link #memory()} instead of by {@link #set},
     * for example in a fast loop. This method must be called after such writes and before an operation that reads the
     * entries.
     */
    public void noteWritten()
    {
        checkedEnd = 0;
    }

    /**
     * Returns whether the list knows that rows lie within memory of given lengths, so that a transport need not check
     * the rows. The list knows this after a call of {@link #noteWithin} for these entries, until an entry or the row
     * length is set.
     *
     * @param from      index of the first entry.
     * @param count     number of entries, positive.
     * @param srcExtent length of the source memory in bytes.
     * @param dstExtent length of the destination memory in bytes.
     * @return false if the rows must be checked.
     */
    public boolean isWithin(final int from, final int count, final long srcExtent, final long dstExtent)
    {
        return from >= checkedFrom && from + count <= checkedEnd && srcExtent >= checkedSrcExtent &&
            dstExtent >= checkedDstExtent;
    }

    /**
     * Records that rows lie within memory of given lengths; see {@link #isWithin}. Callers must have checked the rows.
     *
     * @param from      index of the first entry.
     * @param count     number of entries.
     * @param srcExtent length of the source memory in bytes.
     * @param dstExtent length of the destination memory in bytes.
     */
    public void noteWithin(final int from, final int count, final long srcExtent, final long dstExtent)
    {
        checkedFrom = from;
        checkedEnd = from + count;
        checkedSrcExtent = srcExtent;
        checkedDstExtent = dstExtent;
    }

    /**
     * Returns the number of rows that the list can hold.
     *
     * @return capacity.
     */
    public int capacity()
    {
        return capacity;
    }

    /**
     * Returns the length of every row.
     *
     * @return number of bytes.
     */
    public int rowLength()
    {
        return rowLength;
    }

    /**
     * Returns the offset of a row in the source region.
     *
     * @param index index of the entry.
     * @return offset in bytes.
     */
    public long srcOffset(final int index)
    {
        return memory.getLong(index * STRIDE);
    }

    /**
     * Returns the offset of a row in the destination region.
     *
     * @param index index of the entry.
     * @return offset in bytes.
     */
    public long dstOffset(final int index)
    {
        return memory.getLong(index * STRIDE + Long.BYTES);
    }

    /**
     * Returns the memory of the list, for native code that reads it. A caller that writes entries directly into this
     * memory, and not by {@link #set}, must then call {@link #noteWritten}.
     *
     * @return direct buffer in native byte order.
     */
    public ByteBuffer memory()
    {
        return memory;
    }
}
