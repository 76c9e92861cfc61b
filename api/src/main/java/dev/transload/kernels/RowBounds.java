/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/** Whether the rows of a table lie in the regions of a call; looks at the greatest row of each region only. */
final class RowBounds
{
    private RowBounds()
    {
    }

    static void range(final RowTable table, final int from, final int count)
    {
        if ((from | count) < 0 || from > table.rows() - count)
        {
            throw new IllegalArgumentException("from = " + from + ", count = " + count + ": must lie within the " +
                table.rows() + " rows of table");
        }
    }

    /** Row 0 to the greatest one; nothing where there is no row, which is -1. */
    static void rows(
        final String name, final MemoryRegion region, final long base, final long stride, final int greatestRow,
        final long bytes)
    {
        if (null == region)
        {
            throw new IllegalArgumentException(name + " is null: must be a region");
        }

        if ((base | stride) < 0)
        {
            throw new IllegalArgumentException(
                name + ": base = " + base + ", stride = " + stride + ": must not be negative");
        }

        final long room = region.length() - bytes - base;
        if (greatestRow >= 0 && (room < 0 || greatestRow > 0 && stride > room / greatestRow))
        {
            throw new IndexOutOfBoundsException(name + ": the table names row " + greatestRow + ", which has " + bytes +
                " bytes at " + base + " + " + greatestRow + " * " + stride + ", must lie within the region's " +
                region.length() + " bytes");
        }
    }

    static IllegalArgumentException unset(final String name, final int index, final int regions)
    {
        return new IllegalArgumentException("table: an entry names region " + index + ": must be one of the " +
            regions + " " + name + " regions, and set");
    }
}
