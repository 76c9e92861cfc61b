/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/** Copies rows, or zeroes them when there is no source. */
final class CopyOperation extends KernelOperation
{
    private final SteppingFabric fabric;
    private final MemoryKind kind;
    private final MemoryRegion src;
    private final MemoryRegion dst;
    private final RowList rows;
    private final int from;
    private final int count;
    private final int rowLength;

    CopyOperation(
        final SteppingFabric fabric, final MemoryKind kind, final MemoryRegion src, final MemoryRegion dst,
        final RowList rows, final int from, final int count)
    {
        this.fabric = fabric;
        this.kind = kind;
        this.src = src;
        this.dst = dst;
        this.rows = rows;
        this.from = from;
        this.count = count;
        this.rowLength = rows.rowLength();
    }

    @Override
    void check()
    {
        RowAccess.checkCount(from, count, rows.capacity());
        for (int i = from; i < from + count; i++)
        {
            if (null != src)
            {
                RowAccess.check("source row " + i, kind, src, rows.srcOffset(i), rowLength);
            }

            RowAccess.check("target row " + i, kind, dst, rows.dstOffset(i), rowLength);
        }
    }

    @Override
    boolean isEmpty()
    {
        return 0 == count;
    }

    @Override
    void spoil(final Chance chance)
    {
        final byte[] garbage = new byte[rowLength];
        for (int i = from; i < from + count; i++)
        {
            chance.garbage(garbage);
            RowAccess.write(dst, rows.dstOffset(i), garbage);
        }
    }

    @Override
    void finish()
    {
        for (int i = from; i < from + count; i++)
        {
            RowAccess.write(dst, rows.dstOffset(i), null == src ? new byte[rowLength] :
                RowAccess.read(src, rows.srcOffset(i), rowLength, submission()).array());
            if (fabric.has(null == src ? Fault.KRN_4 : Fault.KRN_3) && rows.dstOffset(i) + rowLength < dst.length())
            {
                RowAccess.write(dst, rows.dstOffset(i) + rowLength, new byte[1]);
            }
        }
    }
}
