/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;

/** Copies rows to all of their entries, and their scales too. */
final class ScatterOperation extends TableOperation
{
    private final RowScatter scatter;

    ScatterOperation(
        final SteppingFabric fabric, final MemoryKind kind, final RowScatter given, final RowTable table,
        final int from, final int count)
    {
        super(fabric, kind, table, from, count);
        this.scatter = new RowScatter(given.targetRegions()).set(given);
    }

    @Override
    void checkTable()
    {
        scatter.check(table, from, count);
    }

    @Override
    boolean isSet(final int region)
    {
        return region < scatter.targetRegions() && null != scatter.target(region);
    }

    @Override
    void checkRow(final int index)
    {
        final String what = "row " + index;
        if (scatter.rowBytes() > 0)
        {
            RowAccess.check("source of " + what, kind, scatter.source(), source(index), scatter.rowBytes());
        }

        if (scatter.scalesBytes() > 0)
        {
            RowAccess.check("scales of " + what, kind, scatter.scales(), scales(index), scatter.scalesBytes());
        }

        for (int entry = table.firstEntry(index); entry < table.firstEntry(index + 1); entry++)
        {
            final int region = table.region(entry);
            if (scatter.rowBytes() > 0)
            {
                RowAccess.check(
                    "target of " + what, kind, scatter.target(region), target(entry), scatter.rowBytes());
            }

            if (scatter.scalesBytes() > 0)
            {
                RowAccess.check("scales target of " + what, kind, scatter.scalesTarget(region), scalesTarget(entry),
                    scatter.scalesBytes());
            }
        }
    }

    private long source(final int index)
    {
        return scatter.sourceBase() + table.row(index) * scatter.sourceStride();
    }

    private long scales(final int index)
    {
        return scatter.scalesBase() + table.row(index) * scatter.scalesStride();
    }

    private long target(final int entry)
    {
        final int region = known(table.region(entry));
        return scatter.targetBase(region) + table.entryRow(entry) * scatter.targetStride(region);
    }

    private long scalesTarget(final int entry)
    {
        final int region = known(table.region(entry));
        return scatter.scalesTargetBase(region) + table.entryRow(entry) * scatter.scalesTargetStride(region);
    }

    @Override
    void spoil(final Chance chance)
    {
        for (int entry = table.firstEntry(from), end = table.firstEntry(from + count); entry < end; entry++)
        {
            final int region = known(table.region(entry));
            spoil(chance, scatter.target(region), target(entry), scatter.rowBytes());
            if (!fabric.has(Fault.KRN_21))
            {
                spoil(chance, scatter.scalesTarget(region), scalesTarget(entry), scatter.scalesBytes());
            }
        }
    }

    private static void spoil(final Chance chance, final MemoryRegion region, final long offset, final int bytes)
    {
        if (bytes > 0)
        {
            final byte[] garbage = new byte[bytes];
            chance.garbage(garbage);
            RowAccess.write(region, offset, garbage);
        }
    }

    @Override
    void finish()
    {
        for (int i = from; i < from + count; i++)
        {
            final int first = table.firstEntry(i);
            final int end = fabric.has(Fault.KRN_19) ?
                Math.min(first + 1, table.firstEntry(i + 1)) : table.firstEntry(i + 1);
            for (int entry = first; entry < end; entry++)
            {
                final int region = known(table.region(entry));
                copy(scatter.source(), source(i), scatter.target(region), target(entry), scatter.rowBytes());
                if (!fabric.has(Fault.KRN_21))
                {
                    copy(scatter.scales(), scales(i), scatter.scalesTarget(region), scalesTarget(entry),
                        scatter.scalesBytes());
                }
            }
        }
    }

    private void copy(
        final MemoryRegion source, final long offset, final MemoryRegion target, final long to, final int bytes)
    {
        if (bytes > 0)
        {
            RowAccess.write(target, to, RowAccess.read(source, offset, bytes, submission()).array());
        }
    }
}
