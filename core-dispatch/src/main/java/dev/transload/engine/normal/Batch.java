/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/** Rows on their way from a scale-up ring to the output: lists for one submission to the row kernels. */
final class Batch
{
    private final RowKernels kernels;
    private final RowList rows;
    private final RowList scales;
    private int count;
    private long head;
    private long position;
    private boolean areRowsSubmitted;

    Batch(final RowKernels kernels, final int capacity)
    {
        this.kernels = kernels;
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

    long head()
    {
        return head;
    }

    /** Of the kernels, once all of it is submitted: then its slots are free, and it may be filled again. */
    long position()
    {
        return position;
    }

    /** Hand on what the kernels take; false until they took all of it. */
    boolean submit(final DispatchCall call, final MemoryRegion ring)
    {
        if (0 == count)
        {
            position = kernels.completedPosition();
            return true;
        }

        if (!areRowsSubmitted)
        {
            final long submitted = kernels.copyRows(ring, call.outputRows(), rows, 0, count);
            if (submitted < 0)
            {
                return false;
            }

            position = submitted;
            areRowsSubmitted = true;
        }

        if (call.scaleBytes() > 0)
        {
            final long submitted = kernels.copyRows(ring, call.outputScales(), scales, 0, count);
            if (submitted < 0)
            {
                return false;
            }

            position = submitted;
        }

        areRowsSubmitted = false;
        return true;
    }
}
