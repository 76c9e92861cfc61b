/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.RowList;

/** A scatter as copies, one for each target region and plane: those of the rows first, then those of the scales. */
final class ScatterCopies
{
    private RowScatter scatter = new RowScatter(1);
    private RowTable table;
    private int from;
    private int end;
    private int next;
    private int regions;

    /** Keeps a copy of the scatter, whose owner may change it after the call. */
    void begin(final RowScatter given, final RowTable rowTable, final int first, final int count)
    {
        if (scatter.targetRegions() < given.targetRegions())
        {
            scatter = new RowScatter(given.targetRegions());
        }

        scatter.set(given);
        table = rowTable;
        from = first;
        end = first + count;
        next = 0;
        regions = Math.min(given.targetRegions(), rowTable.regions());
    }

    /**
     * The operation becomes the next copy.
     *
     * @param operation of the scatter.
     * @param moves     where its rows are written, until it is submitted.
     * @return false where none is left.
     */
    boolean take(final KernelOperation operation, final Moves moves)
    {
        while (next < 2 * regions)
        {
            final int region = next % regions;
            final boolean areScales = next >= regions;
            final int bytes = areScales ? scatter.scalesBytes() : scatter.rowBytes();
            next++;
            final int rows = bytes > 0 && table.greatestRow(region) >= 0 ? list(region, areScales, moves) : 0;
            if (rows > 0)
            {
                final RowList list = moves.list().rowLength(bytes);
                operation.set(KernelOperation.Kind.COPY, 0, rows)
                    .rows(areScales ? scatter.scales() : scatter.source(),
                        areScales ? scatter.scalesTarget(region) : scatter.target(region), list);
                return true;
            }
        }

        return false;
    }

    private int list(final int region, final boolean areScales, final Moves moves)
    {
        final long source = areScales ? scatter.scalesBase() : scatter.sourceBase();
        final long sourceStride = areScales ? scatter.scalesStride() : scatter.sourceStride();
        final long target = areScales ? scatter.scalesTargetBase(region) : scatter.targetBase(region);
        final long targetStride = areScales ? scatter.scalesTargetStride(region) : scatter.targetStride(region);
        moves.reserve(table.firstEntry(end) - table.firstEntry(from));
        int count = 0;
        for (int i = from; i < end; i++)
        {
            for (int entry = table.firstEntry(i); entry < table.firstEntry(i + 1); entry++)
            {
                if (region == table.region(entry))
                {
                    moves.set(count, source + table.row(i) * sourceStride,
                        target + table.entryRow(entry) * targetStride);
                    count++;
                }
            }
        }

        return count;
    }

    /** Holds on to no table of the caller's. */
    void clear()
    {
        table = null;
        next = 0;
        regions = 0;
    }
}
