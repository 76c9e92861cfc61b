/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RowList;
import org.agrona.UnsafeApi;

/** Copies the rows of a row list on the calling thread. */
public final class RowCopy
{
    /**
     * From so many bytes in one call on, rows are streamed. Rows of 14336 bytes between cold memories then go 1.36 to
     * 1.44 times as fast as by the JVM, whatever the number of bytes. But a reader that comes at once, on the same
     * core, would have found them in the cache: copy and read together take 1.5 times as long up to 256 KiB, 1.1 times
     * at 4 MiB, twice a core's cache. Half the engine's usual chunk within a node, whose rows go to their final places;
     * less is metadata or the end of a call.
     */
    static final int STREAM_MIN_BYTES = 64 * 1024;

    /**
     * From this length on, rows are streamed, 1.17 times as fast as by the JVM (4096 bytes: 1.34 times). The two ends
     * of a row of 512 bytes cost all that its middle gains.
     */
    static final int STREAM_MIN_ROW = 2048;

    /**
     * Up to this length, rows of whole words are copied word by word: what the JVM calls to copy costs more than that,
     * and what follows waits for it. Entries of metadata, 32 bytes each and far from one another: 40 ns instead of 150.
     */
    static final int WORDS_MAX_BYTES = 64;

    private RowCopy()
    {
    }

    /**
     * Copies a part of a row list. Rows that are adjacent both in the source and in the destination are copied
     * together. Rows are copied with streaming stores if the CPU supports these, each row has at least 2 KiB, all rows
     * of the call have at least 64 KiB, and they are written to their {@link RowList#hasFinalPlaces() final places}.
     * After the call returns, these stores are ordered like normal stores.
     *
     * @param srcAddress source address, to which the list's source offsets are added.
     * @param dstAddress destination address, to which the list's destination offsets are added.
     * @param rows       list of offsets with the length of a row, already checked.
     * @param from       index of the first entry.
     * @param end        index after the last entry.
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
        if (RowStream.WIDTH_NONE != streamWidth && rows.hasFinalPlaces() && isStreamed(rows.rowLength(), end - from))
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

            copyRun(srcAddress + srcOffset, dstAddress + dstOffset, run);
        }
    }

    /** Where the destination begins within the source, words would be overwritten before they are read. */
    private static void copyRun(final long src, final long dst, final long length)
    {
        if (length > WORDS_MAX_BYTES || 0 != length % Long.BYTES || Long.compareUnsigned(dst - src, length) < 0)
        {
            UnsafeApi.copyMemory(src, dst, length);
            return;
        }

        for (long at = 0; at < length; at += Long.BYTES)
        {
            UnsafeApi.putLong(dst + at, UnsafeApi.getLong(src + at));
        }
    }
}
