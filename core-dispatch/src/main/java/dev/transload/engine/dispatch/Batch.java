/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.dispatch;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.RowList;

/** Rows on their way from a scale-up ring to the output: lists for one submission to the row kernels. */
final class Batch
{
    private final RowList rows;
    private final RowList scales;
    private int count;
    private long head;
    private long position;

    Batch(final RowKernels kernels, final int capacity)
    {
        this.rows = kernels.allocateRows(capacity);
        this.scales = kernels.allocateRows(capacity);
    }

    void begin(final int rowBytes, final int scaleBytes)
    {
        count = 0;
        rows.rowLength(rowBytes);
        scales.rowLength(scaleBytes);
    }

    void add(final long from, final long to)
    {
        rows.set(count++, from, to);
    }

    /** Scales of the row added last. */
    void addScales(final long from, final long to)
    {
        scales.set(count - 1, from, to);
    }

    void end(final long consumed)
    {
        head = consumed;
    }

    RowList rows()
    {
        return rows;
    }

    RowList scales()
    {
        return scales;
    }

    int count()
    {
        return count;
    }

    long head()
    {
        return head;
    }

    long position()
    {
        return position;
    }

    void submitted(final long kernelPosition)
    {
        position = kernelPosition;
    }
}
