/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;

/**
 * Which token of this rank each position of a stream to another node is. Written once a handle, in order. Where rows
 * are gathered before they are sent, row kernels read it as a table: each token's row goes to its slot.
 */
public final class SendTable
{
    private int[] tokens = new int[0];
    private RowTable table;
    private int slots;

    SendTable()
    {
    }

    /**
     * Make room.
     *
     * @param rows    of the stream.
     * @param ring    slots of the send buffer.
     * @param kernels which gather, null where nothing is gathered.
     */
    public void begin(final int rows, final int ring, final RowKernels kernels)
    {
        slots = ring;
        if (tokens.length < rows)
        {
            tokens = new int[rows];
        }

        if (null != kernels && (null == table || table.rowCapacity() < rows))
        {
            table = kernels.allocateTable(Math.max(1, rows), Math.max(1, rows));
        }

        if (null != table)
        {
            table.clear();
        }
    }

    /**
     * Set.
     *
     * @param position in the stream, each in turn.
     * @param token    of this rank.
     */
    public void set(final int position, final int token)
    {
        tokens[position] = token;
        if (null != table)
        {
            table.beginRow(token);
            table.add(0, position % slots);
        }
    }

    /**
     * Read.
     *
     * @param position in the stream.
     * @return token of this rank.
     */
    public int token(final int position)
    {
        return tokens[position];
    }

    /**
     * The table, for row kernels: own rows are tokens, entries slots of the send buffer.
     *
     * @return table.
     */
    public RowTable table()
    {
        return table;
    }
}
