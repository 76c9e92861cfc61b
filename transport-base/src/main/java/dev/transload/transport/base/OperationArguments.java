/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RowList;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/** Checks of the arguments of operations, before memory is touched; they allocate only when they throw. */
public final class OperationArguments
{
    private OperationArguments()
    {
    }

    /**
     * A range of bytes.
     *
     * @param name   of the region, {@code src} or {@code dst}.
     * @param offset of the first byte.
     * @param length in bytes.
     * @param extent of the region in bytes.
     * @throws IndexOutOfBoundsException when it is not within the region.
     */
    public static void checkRange(final String name, final long offset, final long length, final long extent)
    {
        if ((offset | length) < 0 || offset > extent - length)
        {
            throw new IndexOutOfBoundsException(name + "Offset=" + offset + ", length=" + length + ": " + name +
                " has " + extent + " bytes");
        }
    }

    /**
     * A put or a load whose ranges are good.
     *
     * @param srcOffset    of the source.
     * @param dstOffset    of the destination.
     * @param length       in bytes.
     * @param alignment    of all three, a power of two.
     * @param maxPutLength most bytes.
     * @throws IllegalArgumentException when it is too long, or one of the three is not a multiple of the alignment.
     */
    public static void checkTransfer(
        final long srcOffset, final long dstOffset, final long length, final int alignment, final long maxPutLength)
    {
        if (0 != ((srcOffset | dstOffset | length) & alignment - 1) || length > maxPutLength)
        {
            throw new IllegalArgumentException("srcOffset=" + srcOffset + ", dstOffset=" + dstOffset + ", length=" +
                length + ": must be multiples of " + alignment + ", and length at most " + maxPutLength);
        }
    }

    /**
     * As {@link #checkTransfer} for each of a list's rows, whose ranges are good.
     *
     * @param rows         list.
     * @param from         first entry.
     * @param count        of entries.
     * @param alignment    of offsets and lengths, a power of two.
     * @param maxPutLength most bytes of a row.
     * @throws IllegalArgumentException when a row is too long, or not aligned.
     */
    public static void checkTransfers(
        final RowList rows, final int from, final int count, final int alignment, final long maxPutLength)
    {
        for (int i = from; i < from + count; i++)
        {
            checkTransfer(rows.srcOffset(i), rows.dstOffset(i), rows.rowLength(), alignment, maxPutLength);
        }
    }

    /**
     * A word of a destination.
     *
     * @param offset of its first byte.
     * @param extent of the region in bytes.
     * @throws IllegalArgumentException  when it is not aligned to 8 bytes.
     * @throws IndexOutOfBoundsException when it is not within the region.
     */
    public static void checkWord(final long offset, final long extent)
    {
        if (0 != (offset & Long.BYTES - 1))
        {
            throw new IllegalArgumentException("dstOffset=" + offset + ": must be a multiple of 8");
        }

        checkRange("dst", offset, Long.BYTES, extent);
    }

    /**
     * An add to a signal.
     *
     * @param name  of the signals.
     * @param index of the signal.
     * @param delta to be added.
     * @param count of signals.
     * @throws IndexOutOfBoundsException when there is no such signal.
     * @throws IllegalArgumentException  when the delta is not positive.
     */
    public static void checkAdd(final String name, final int index, final long delta, final long count)
    {
        if (index < 0 || index >= count)
        {
            throw new IndexOutOfBoundsException("index=" + index + ": " + name + " has " + count + " signals");
        }

        if (delta <= 0)
        {
            throw new IllegalArgumentException("delta=" + delta + ": must be positive");
        }
    }

    /**
     * A part of a list of rows.
     *
     * @param rows  list.
     * @param from  first entry.
     * @param count of entries.
     * @throws IndexOutOfBoundsException when the list has no such part.
     */
    public static void checkRows(final RowList rows, final int from, final int count)
    {
        if ((from | count) < 0 || from > rows.capacity() - count)
        {
            throw new IndexOutOfBoundsException("from=" + from + ", count=" + count + ": rows has a capacity of " +
                rows.capacity());
        }
    }

    /**
     * The ranges of all rows, before the first is written: misuse has no effect. Rows that are put again as they are
     * are not looked at again.
     *
     * @param rows      list, of which the part has been checked.
     * @param from      first entry.
     * @param count     of entries.
     * @param srcExtent of the source in bytes.
     * @param dstExtent of the destination in bytes.
     * @throws IndexOutOfBoundsException when a row is not within both.
     */
    public static void checkRanges(
        final RowList rows, final int from, final int count, final long srcExtent, final long dstExtent)
    {
        if (rows.isWithin(from, count, srcExtent, dstExtent))
        {
            return;
        }

        // All at once, without a branch that depends on a row, and then again to explain.
        final long entries = BufferUtil.address(rows.memory()) + (long)from * RowList.STRIDE;
        final long srcLast = srcExtent - rows.rowLength();
        final long dstLast = dstExtent - rows.rowLength();
        long outside = 0;
        for (int i = 0; i < count; i++)
        {
            final long srcOffset = UnsafeApi.getLong(entries + (long)i * RowList.STRIDE);
            final long dstOffset = UnsafeApi.getLong(entries + (long)i * RowList.STRIDE + Long.BYTES);
            outside |= srcOffset | srcLast - srcOffset | dstOffset | dstLast - dstOffset;
        }

        if (outside < 0)
        {
            explainRanges(rows, from, count, srcExtent, dstExtent);
        }

        rows.noteWithin(from, count, srcExtent, dstExtent);
    }

    private static void explainRanges(
        final RowList rows, final int from, final int count, final long srcExtent, final long dstExtent)
    {
        final int length = rows.rowLength();
        for (int i = from; i < from + count; i++)
        {
            final long srcOffset = rows.srcOffset(i);
            final long dstOffset = rows.dstOffset(i);
            if ((srcOffset | dstOffset) < 0 || srcOffset > srcExtent - length || dstOffset > dstExtent - length)
            {
                throw new IndexOutOfBoundsException("row " + i + ": srcOffset=" + srcOffset + ", dstOffset=" +
                    dstOffset + ", rowLength=" + length + ": src has " + srcExtent + " bytes and dst " + dstExtent);
            }
        }
    }
}
