/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.internal.world.Geometry;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;

/**
 * The part of a long table that row kernels can read: a few segments of equal length, in memory that does not grow with
 * the table. A table that fits stays as it was written. Of a longer one a segment is written anew once nothing reads
 * its rows any more, and a later call writes the table again from its first row on.
 */
final class SegmentedTable
{
    /** One is read and one is written, and row kernels may be behind. */
    private static final int SEGMENTS = 4;

    private final RowTable[] segments = new RowTable[SEGMENTS];
    private final long[] positions = new long[SEGMENTS];
    private final long bytes;
    private final int leastRows;
    private int shift;
    private int rows;
    private int written;
    private int read;

    /**
     * Empty.
     *
     * @param geometry which says how long it may get.
     */
    SegmentedTable(final Geometry geometry)
    {
        this.bytes = geometry.tableBytes();
        this.leastRows = geometry.leastTableRows();
    }

    /**
     * Make room for a table, nothing of which is written. What is there stays if it is large enough.
     *
     * @param entriesPerRow most of a row.
     * @return whether all that was written is still there.
     */
    boolean begin(final int count, final int entriesPerRow, final RowKernels kernels)
    {
        final long most = bytes / SEGMENTS / (RowTable.ROW_STRIDE + (long)entriesPerRow * RowTable.ENTRY_STRIDE);
        // A power of two, for quick look-ups.
        final int segmentRows =
            Integer.highestOneBit((int)Math.max(leastRows, Math.min(most, Integer.MAX_VALUE / SEGMENTS)));
        boolean isSame = shift == Integer.numberOfTrailingZeros(segmentRows);
        shift = Integer.numberOfTrailingZeros(segmentRows);
        rows = count;
        for (int segment = 0; segment < SEGMENTS; segment++)
        {
            final int needed = (int)Math.min(segmentRows, rows - ((long)segment << shift));
            if (0 == segment || needed > 0)
            {
                isSame &= !reserve(segment, Math.max(1, needed), entriesPerRow, kernels);
            }
        }

        return isSame;
    }

    private boolean reserve(final int segment, final int count, final int entriesPerRow, final RowKernels kernels)
    {
        final RowTable table = segments[segment];
        final int entries = Math.multiplyExact(count, entriesPerRow);
        if (null != table && table.rowCapacity() >= count && table.entryCapacity() >= entries)
        {
            return false;
        }

        segments[segment] = kernels.allocateTable(count, Math.max(1, entries));
        return true;
    }

    /** Write all rows anew. */
    void clear()
    {
        written = 0;
        rewind();
    }

    /** Another call reads the table from its first row on. */
    void rewind()
    {
        read = 0;
        for (int segment = 0; segment < SEGMENTS; segment++)
        {
            positions[segment] = 0;
        }

        written = isWhole() ? written : 0;
    }

    /** Whether all rows fit. */
    boolean isWhole()
    {
        return rows <= (long)SEGMENTS << shift;
    }

    /** Rows written: those that are not among the last segments are gone again. */
    int written()
    {
        return written;
    }

    /**
     * Whether the next row can be written, with all others up to the end of its segment.
     *
     * @param completed position that the row kernels have passed.
     */
    boolean isFree(final long completed)
    {
        final int segment = written >>> shift;
        return segment < SEGMENTS || 0 != (written & (1 << shift) - 1) ||
            read >= (segment - SEGMENTS + 1) << shift && completed >= positions[segment % SEGMENTS];
    }

    /** Segment of the next row, which is free. */
    RowTable writing()
    {
        final RowTable table = segments[(written >>> shift) % SEGMENTS];
        if (0 == (written & (1 << shift) - 1))
        {
            table.clear();
        }

        return table;
    }

    void wrote(final int count)
    {
        written += count;
    }

    /** Segment that has a row. */
    RowTable table(final int row)
    {
        return segments[(row >>> shift) % SEGMENTS];
    }

    /** Index of a row in its segment. */
    int index(final int row)
    {
        return row & (1 << shift) - 1;
    }

    /** Row behind the last one of a row's segment. */
    int end(final int row)
    {
        return (row >>> shift) + 1 << shift;
    }

    /**
     * Rows are needed no more.
     *
     * @param end      row behind the last of them.
     * @param position that the row kernels pass when they have read these; 0 if they do not.
     */
    void read(final int end, final long position)
    {
        read = end;
        if (end > 0)
        {
            positions[(end - 1 >>> shift) % SEGMENTS] = position;
        }
    }
}
