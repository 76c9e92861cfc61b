/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RowList;
import org.agrona.UnsafeApi;

/** Copies rows by the calling thread, as their list says. */
public final class RowCopy
{
    /**
     * From so many bytes in one call on, rows are streamed: less is likely to be still in the cache when its reader
     * comes, more would push out of the cache what others need there.
     */
    static final int STREAM_MIN_BYTES = 128 * 1024;

    /** From this length on, rows are streamed: the two ends of a shorter one cost more than its middle gains. */
    static final int STREAM_MIN_ROW = 2048;

    private RowCopy()
    {
    }

    /**
     * Copy a part of a list; rows that follow each other on both sides are one copy. Many long rows go by streaming
     * stores, where there are any; behind the return they are ordered as plain stores are.
     *
     * @param srcAddress of the source, to which the list's source offsets are added.
     * @param dstAddress of the destination, to which the list's destination offsets are added.
     * @param rows       offsets and row length, checked.
     * @param from       first entry.
     * @param end        behind the last entry.
     */
    public static void copy(
        final long srcAddress, final long dstAddress, final RowList rows, final int from, final int end)
    {
        copy(srcAddress, dstAddress, rows, from, end, RowStream.widest());
    }

    /** With streaming stores of some width, or none. */
    static void copy(
        final long srcAddress,
        final long dstAddress,
        final RowList rows,
        final int from,
        final int end,
        final int streamWidth)
    {
        if (RowStream.WIDTH_NONE != streamWidth && isStreamed(rows.rowLength(), end - from))
        {
            RowStream.copy(srcAddress, dstAddress, rows, from, end, streamWidth);
        }
        else
        {
            copyPlain(srcAddress, dstAddress, rows, from, end);
        }
    }

    static boolean isStreamed(final int rowLength, final int count)
    {
        return rowLength >= STREAM_MIN_ROW && (long)rowLength * count >= STREAM_MIN_BYTES;
    }

    private static void copyPlain(
        final long srcAddress, final long dstAddress, final RowList rows, final int from, final int end)
    {
        final int length = rows.rowLength();
        int i = from;
        while (i < end)
        {
            final long srcOffset = rows.srcOffset(i);
            final long dstOffset = rows.dstOffset(i);
            long run = length;
            i++;
            while (i < end && rows.srcOffset(i) == srcOffset + run && rows.dstOffset(i) == dstOffset + run)
            {
                run += length;
                i++;
            }

            UnsafeApi.copyMemory(srcAddress + srcOffset, dstAddress + dstOffset, run);
        }
    }
}
