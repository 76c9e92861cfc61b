/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RowList;
import org.agrona.UnsafeApi;

/** Copies rows by the calling thread, as their list says. */
public final class RowCopy
{
    private RowCopy()
    {
    }

    /**
     * Copy a part of a list; rows that follow each other on both sides are one copy.
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
