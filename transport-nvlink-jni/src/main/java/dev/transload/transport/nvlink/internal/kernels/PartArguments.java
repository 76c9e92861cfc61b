/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.kernels.RowCopies;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/** Checks copies of several parts, and writes them into the arguments of a kernel. */
final class PartArguments
{
    private final RegionAddresses regions;
    private final KernelArguments arguments;
    private long bytes;

    PartArguments(final RegionAddresses regions, final KernelArguments arguments)
    {
        this.regions = regions;
        this.arguments = arguments;
    }

    /** Write the parts that have bytes, one behind the other. */
    int putFilled(final RowCopies copies)
    {
        bytes = 0;
        int filled = 0;
        for (int part = 0; part < copies.parts(); part++)
        {
            // What has no bytes is written over by the next part.
            filled += 0 == put(copies, part, filled) ? 0 : 1;
        }

        return filled;
    }

    /** Bytes of the rows that were written last. */
    long bytes()
    {
        return bytes;
    }

    private long put(final RowCopies copies, final int part, final int place)
    {
        final MemoryRegion src = copies.src(part);
        final MemoryRegion dst = copies.dst(part);
        final RowList rows = copies.rows(part);
        final int from = copies.from(part);
        final int count = copies.count(part);
        final long source = regions.of("src", src);
        final long target = regions.of("dst", dst);
        final long list = RowRanges.listWithin(src, dst, rows, from, count);
        final int length = rows.rowLength();
        arguments.putPart(place, RowRanges.entry(list, from), count, length, source, target);
        final long partBytes = (long)count * length;
        bytes += partBytes;
        return partBytes;
    }
}
