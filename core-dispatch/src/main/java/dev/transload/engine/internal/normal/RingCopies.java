/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/** Rows on their way from scale-up rings to the output: a few lists in turn, each copied by row kernels. */
public final class RingCopies
{
    private static final int LISTS = 4;

    private final RowKernels kernels;
    private final int capacity;
    private final RowList[] rows = new RowList[LISTS];
    private final RowList[] scales = new RowList[LISTS];
    private final long[] positions = new long[LISTS];
    private DispatchCall call;
    private int current;
    private int count;
    private boolean areRowsSubmitted;
    private long position;

    /**
     * Of a channel.
     *
     * @param capacity most rows of a list, a row for each of its places.
     */
    public RingCopies(final RowKernels kernels, final int capacity)
    {
        this.kernels = kernels;
        this.capacity = capacity;
    }

    void begin(final DispatchCall next)
    {
        call = next;
        count = 0;
        areRowsSubmitted = false;
    }

    /** Whether a list can be filled. */
    boolean isFree()
    {
        return 0 == count && kernels.completedPosition() >= positions[current];
    }

    /** Rows that a list holds, for each of their places. */
    int capacity()
    {
        return capacity;
    }

    void add(final long from, final int row)
    {
        if (0 == count)
        {
            open();
        }

        rows[current].set(count, from, call.outputOffset(row));
        if (call.scaleBytes() > 0)
        {
            scales[current].set(count, from + call.rowBytes(), call.outputScaleOffset(row));
        }

        count++;
    }

    private void open()
    {
        if (null == rows[current])
        {
            rows[current] = kernels.allocateRows(capacity);
            scales[current] = kernels.allocateRows(capacity);
        }

        rows[current].rowLength(call.rowBytes());
        scales[current].rowLength(call.scaleBytes());
    }

    /** Hand on what was added; false until the kernels took all of it. */
    boolean submit(final MemoryRegion ring)
    {
        if (count > 0 && !areRowsSubmitted)
        {
            final long submitted = kernels.copyRows(ring, call.outputRows(), rows[current], 0, count);
            if (submitted < 0)
            {
                return false;
            }

            position = submitted;
            areRowsSubmitted = true;
        }

        if (count > 0 && call.scaleBytes() > 0)
        {
            final long submitted = kernels.copyRows(ring, call.outputScales(), scales[current], 0, count);
            if (submitted < 0)
            {
                return false;
            }

            position = submitted;
        }

        areRowsSubmitted = false;
        count = 0;
        positions[current] = position;
        current = (current + 1) % LISTS;
        return true;
    }

    /** Of the kernels, when all that was submitted is copied. */
    long position()
    {
        return position;
    }
}
