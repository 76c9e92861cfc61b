/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.spi.RowList;
import org.agrona.UnsafeApi;

/** Copies and clears rows that were checked before; neighbours in memory go as one piece. */
final class RowMemory
{
    private RowMemory()
    {
    }

    /** Copy rows of a list. */
    static void copy(
        final RegionView src, final RegionView dst, final RowList rows, final int from, final int count)
    {
        final long rowLength = rows.rowLength();
        long runSource = 0;
        long runTarget = 0;
        long runLength = 0;

        for (int i = from; i < from + count; i++)
        {
            final long source = rows.srcOffset(i);
            final long target = rows.dstOffset(i);

            if (source == runSource + runLength && target == runTarget + runLength)
            {
                runLength += rowLength;
            }
            else
            {
                UnsafeApi.copyMemory(src.addressOf(runSource), dst.addressOf(runTarget), runLength);
                runSource = source;
                runTarget = target;
                runLength = rowLength;
            }
        }

        UnsafeApi.copyMemory(src.addressOf(runSource), dst.addressOf(runTarget), runLength);
    }

    /** Set target rows of a list to zero bytes. */
    static void clear(final RegionView dst, final RowList rows, final int from, final int count)
    {
        final long rowLength = rows.rowLength();
        long runTarget = 0;
        long runLength = 0;

        for (int i = from; i < from + count; i++)
        {
            final long target = rows.dstOffset(i);

            if (target == runTarget + runLength)
            {
                runLength += rowLength;
            }
            else
            {
                UnsafeApi.setMemory(dst.addressOf(runTarget), runLength, (byte)0);
                runTarget = target;
                runLength = rowLength;
            }
        }

        UnsafeApi.setMemory(dst.addressOf(runTarget), runLength, (byte)0);
    }
}
