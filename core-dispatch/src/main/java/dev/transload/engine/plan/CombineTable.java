/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;

/**
 * Which rows a channel's tokens are summed from, at their home: those of the own node's ranks, as the forward table of
 * the own stream has them, and the slots of the other nodes' partial sums. Made by the first combine with a handle.
 */
public final class CombineTable
{
    private RowTable table;
    private int written;
    private boolean isInParts;

    CombineTable()
    {
    }

    /** A dispatch fills the handle anew. */
    void clear()
    {
        written = 0;
        if (null != table)
        {
            table.clear();
        }
    }

    /**
     * The table for a combine.
     *
     * @param tokens   of the channel.
     * @param sources  most of all of them together.
     * @param areParts whether each node's rows are a part.
     * @param kernels  which read it.
     * @return table, whose first {@link #written} tokens stand.
     */
    public RowTable open(final int tokens, final int sources, final boolean areParts, final RowKernels kernels)
    {
        if (null == table || table.rowCapacity() < tokens || table.entryCapacity() < sources)
        {
            table = kernels.allocateTable(Math.max(1, tokens), Math.max(1, sources));
            written = 0;
        }

        if (isInParts != areParts)
        {
            isInParts = areParts;
            written = 0;
        }

        if (0 == written)
        {
            table.clear();
        }

        return table;
    }

    RowTable table()
    {
        return table;
    }

    /**
     * Tokens that stand.
     *
     * @return count.
     */
    public int written()
    {
        return written;
    }

    /**
     * More tokens stand.
     *
     * @param tokens added.
     */
    public void wrote(final int tokens)
    {
        written += tokens;
    }
}
