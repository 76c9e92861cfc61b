/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.internal.world.Geometry;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;

/**
 * Which rows a channel's tokens are summed from, at their home: those of the own node's ranks, as the forward table of
 * the own stream has them, and the slots of the other nodes' partial sums. Made by the first combine with a handle; one
 * that does not fit its segments is made anew by each.
 */
public final class CombineTable
{
    private final SegmentedTable segments;
    private boolean isInParts;
    private boolean isMade;

    CombineTable(final Geometry geometry)
    {
        this.segments = new SegmentedTable(geometry);
    }

    /** A dispatch fills the handle anew. */
    void clear()
    {
        isMade = false;
        segments.clear();
    }

    /**
     * A combine is to read it.
     *
     * @param sources  most of a token.
     * @param areParts whether each node's rows are a part.
     */
    public void open(final int tokens, final int sources, final boolean areParts, final RowKernels kernels)
    {
        final boolean isSame = segments.begin(tokens, sources, kernels) && isInParts == areParts;
        isInParts = areParts;
        isMade = true;
        if (isSame)
        {
            segments.rewind();
        }
        else
        {
            segments.clear();
        }
    }

    /** A combine reads the forward table in its place, since that says the same. */
    public void leaveToForwardTable()
    {
        isMade = true;
    }

    /**
     * Whether a combine has read rows in place.
     *
     * @return false before the first one.
     */
    boolean isMade()
    {
        return isMade;
    }

    /** Tokens that stand, or stood: those that were read may be gone. */
    public int written()
    {
        return segments.written();
    }

    /**
     * Whether the next token can be written: what it takes the memory of is not read any more.
     *
     * @param completed position that the row kernels have passed.
     */
    public boolean isFree(final long completed)
    {
        return segments.isFree(completed);
    }

    /** Where the next token is to be written, and all up to {@link #end}. */
    public RowTable writing()
    {
        return segments.writing();
    }

    /** More tokens stand. */
    public void wrote(final int tokens)
    {
        segments.wrote(tokens);
    }

    /**
     * The table that has a token.
     *
     * @param index of the token in the channel.
     */
    public RowTable table(final int index)
    {
        return segments.table(index);
    }

    /**
     * Where a token is in its table.
     *
     * @param index of the token in the channel.
     * @return index of the row.
     */
    public int row(final int index)
    {
        return segments.index(index);
    }

    /**
     * How far the table of a token goes.
     *
     * @param index of the token in the channel.
     * @return index behind the last one that it can have.
     */
    public int end(final int index)
    {
        return segments.end(index);
    }

    /**
     * Tokens are summed.
     *
     * @param end      index behind the last of them.
     * @param position that the row kernels pass when they have read them.
     */
    public void read(final int end, final long position)
    {
        segments.read(end, position);
    }
}
