/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.internal.world.Geometry;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;

/**
 * Which token of this rank each position of a stream to another node is. Written once a handle, in order. Where rows
 * are gathered before they are sent, row kernels read it as a table: each token's row goes to its slot.
 */
public final class SendTable
{
    private final SegmentedTable segments;
    private int[] tokens = new int[0];

    SendTable(final Geometry geometry)
    {
        this.segments = new SegmentedTable(geometry);
    }

    /** Make room. */
    public void begin(final int rows)
    {
        if (tokens.length < rows)
        {
            tokens = new int[rows];
        }
    }

    /**
     * Set.
     *
     * @param position in the stream, each in turn.
     */
    public void set(final int position, final int token)
    {
        tokens[position] = token;
    }

    /** Read. */
    public int token(final int position)
    {
        return tokens[position];
    }

    /**
     * Row kernels are to gather the stream.
     *
     * @param isNew whether they are set in this call.
     */
    public void open(final int rows, final boolean isNew, final RowKernels kernels)
    {
        final boolean isSame = segments.begin(rows, 1, kernels);
        if (isSame && !isNew)
        {
            segments.rewind();
        }
        else
        {
            segments.clear();
        }
    }

    /**
     * Have rows in the table: own rows are tokens, entries slots of the send buffer.
     *
     * @param from      first row, behind all that were asked for before.
     * @param completed position that the row kernels have passed.
     * @return how many of them are in {@link #table}, 0 to try again later.
     */
    public int fill(final int from, final int count, final int slots, final long completed)
    {
        final int end = Math.min(from + count, segments.end(from));
        if (segments.written() < end && !segments.isFree(completed))
        {
            return 0;
        }

        for (int position = segments.written(); position < end; position++)
        {
            final RowTable table = segments.writing();
            table.beginRow(tokens[position]);
            table.add(0, position % slots);
            segments.wrote(1);
        }

        return end - from;
    }

    /**
     * The table, for row kernels.
     *
     * @param position of a row that is in it.
     */
    public RowTable table(final int position)
    {
        return segments.table(position);
    }

    /** Where a row is in its table. */
    public int index(final int position)
    {
        return segments.index(position);
    }

    /**
     * Rows are gathered.
     *
     * @param end      position behind the last of them.
     * @param position that the row kernels pass when they have read them.
     */
    public void read(final int end, final long position)
    {
        segments.read(end, position);
    }
}
