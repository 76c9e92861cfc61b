/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RowList;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/** Checks the arguments of operations before memory is accessed. Objects are allocated only when a check fails. */
public final class OperationArguments
{
    private OperationArguments()
    {
    }

    /**
     * Checks a range of bytes in a region.
     *
     * @param name   name of the region for error messages, {@code src} or {@code dst}.
     * @param offset offset of the first byte.
     * @param length length in bytes.
     * @param extent number of bytes of the region.
     * @throws IndexOutOfBoundsException if the range is not within the region.
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
     * Checks the length and the alignment of a put or a load. The caller has already checked the ranges.
     *
     * @param srcOffset    source offset in bytes.
     * @param dstOffset    destination offset in bytes.
     * @param length       length in bytes.
     * @param alignment    number of bytes, a power of two, to which both offsets and the length must be aligned.
     * @param maxPutLength largest allowed length in bytes.
     * @throws IllegalArgumentException if the length is too large, or an offset or the length is not a multiple of the
     *                                  alignment.
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
     * Checks each row of a list like {@link #checkTransfer}. The caller has already checked the ranges.
     *
     * @param rows         list of rows.
     * @param from         index of the first entry.
     * @param count        number of entries.
     * @param alignment    number of bytes, a power of two, to which offsets and lengths must be aligned.
     * @param maxPutLength largest allowed number of bytes of a row.
     * @throws IllegalArgumentException if a row is too long or not aligned.
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
     * Checks the offset of an 8-byte word in a region.
     *
     * @param offset byte offset of the word.
     * @param extent number of bytes of the region.
     * @throws IllegalArgumentException  if the offset is not a multiple of 8.
     * @throws IndexOutOfBoundsException if the word is not within the region.
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
     * Checks the arguments of an add to a signal.
     *
     * @param name  name of the argument that contains the signals, for error messages.
     * @param index index of the signal.
     * @param delta value to add.
     * @param count number of signals.
     * @throws IndexOutOfBoundsException if the index is out of range.
     * @throws IllegalArgumentException  if the delta is not positive.
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
     * Checks that entries are within a list of rows.
     *
     * @param rows  list of rows.
     * @param from  index of the first entry.
     * @param count number of entries.
     * @throws IndexOutOfBoundsException if an entry is not within the list.
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
     * Checks the ranges of all rows before the first row is written, so that an invalid call changes no memory. Rows
     * that an earlier call checked are not checked again while they are unchanged.
     *
     * @param rows      list of rows. {@link #checkRows} must already have checked {@code from} and {@code count}.
     * @param from      index of the first entry.
     * @param count     number of entries.
     * @param srcExtent number of bytes of the source.
     * @param dstExtent number of bytes of the destination.
     * @throws IndexOutOfBoundsException if a row is not within the source or not within the destination.
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
