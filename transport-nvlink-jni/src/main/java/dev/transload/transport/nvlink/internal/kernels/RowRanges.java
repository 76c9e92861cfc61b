/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

import org.agrona.UnsafeApi;

/** Checks that rows lie in their regions: one pass over a list's memory without a branch, a second one to explain. */
final class RowRanges
{
    /** Of the source offset in an entry. */
    static final int SOURCE = 0;

    /** Of the target offset in an entry. */
    static final int TARGET = Long.BYTES;

    private RowRanges()
    {
    }

    /** Entries must be those of a list. */
    static void checkEntries(final String name, final int from, final int count, final int size)
    {
        if ((from | count) < 0 || from > size - count)
        {
            throw new IllegalArgumentException("from=" + from + ", count=" + count + ": must lie within the " + size +
                " entries of " + name);
        }
    }

    /**
     * Rows must lie in their region.
     *
     * @param name   of the region.
     * @param length of the region in bytes.
     * @param list   address of the list.
     * @param side   {@link #SOURCE} or {@link #TARGET}.
     * @param from   first entry.
     * @param count  of entries.
     * @param bytes  of a row.
     */
    static void check(
        final String name, final long length, final long list, final int side, final int from, final int count,
        final long bytes)
    {
        final long first = list + (long)from * RowList.STRIDE + side;
        final long last = length - bytes;
        long outside = 0;
        for (int i = 0; i < count; i++)
        {
            final long offset = UnsafeApi.getLong(first + (long)i * RowList.STRIDE);
            outside |= offset | last - offset;
        }

        if (outside < 0)
        {
            explain(name, length, first, from, count, bytes);
        }
    }

    /** Address of a list, of which entries are used. */
    static long listOf(final String name, final RowList rows, final int from, final int count)
    {
        checkEntries(name, from, count, rows.capacity());
        return PinnedLists.addressOf(name, rows);
    }

    /** Address of a list whose rows lie within their regions. */
    static long listWithin(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        final long list = listOf("rows", rows, from, count);
        check("src", src.length(), list, SOURCE, from, count, rows.rowLength());
        check("dst", dst.length(), list, TARGET, from, count, rows.rowLength());
        return list;
    }

    /** Address of an entry. */
    static long entry(final long list, final int index)
    {
        return list + (long)index * RowList.STRIDE;
    }

    /** Offset of an entry on one side. */
    static long offset(final long list, final int side, final int entry)
    {
        return UnsafeApi.getLong(list + (long)entry * RowList.STRIDE + side);
    }

    static IndexOutOfBoundsException outside(
        final String name, final int entry, final long offset, final long bytes, final long length)
    {
        return new IndexOutOfBoundsException(name + ": entry " + entry + " begins at byte " + offset + " and has " +
            bytes + " bytes, must lie within the region's " + length + " bytes");
    }

    private static void explain(
        final String name, final long length, final long first, final int from, final int count, final long bytes)
    {
        for (int i = 0; i < count; i++)
        {
            final long offset = UnsafeApi.getLong(first + (long)i * RowList.STRIDE);
            if (offset < 0 || offset > length - bytes)
            {
                throw outside(name, from + i, offset, bytes, length);
            }
        }
    }
}
