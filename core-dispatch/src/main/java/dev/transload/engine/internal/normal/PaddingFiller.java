/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.internal.plan.ReceiveLayout;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.RowList;

/** Fills the padding rows of an expert-major output: zero elements and scales, no expert, no source. */
final class PaddingFiller
{
    private static final int ROWS_A_STEP = 128;

    private final RowKernels kernels;
    private final RowList rows;
    private final RowList scales;
    private DispatchCall call;
    private ReceiveLayout experts;
    private int expert;
    private int row;
    private int count;
    private boolean areRowsSubmitted;
    private long lastPosition;

    PaddingFiller(final RowKernels kernels)
    {
        this.kernels = kernels;
        this.rows = kernels.allocateRows(ROWS_A_STEP);
        this.scales = kernels.allocateRows(ROWS_A_STEP);
    }

    void begin(final DispatchCall next)
    {
        call = next;
        experts = call.plan().receiveLayout();
        expert = call.plan().isExpanded() ? 0 : experts.localExperts();
        row = 0;
        count = 0;
        areRowsSubmitted = false;
        lastPosition = 0;
        rows.rowLength(call.rowBytes());
        scales.rowLength(call.scaleBytes());
    }

    int step()
    {
        if (kernels.completedPosition() < lastPosition)
        {
            return 0;
        }

        if (0 == count && 0 == collect())
        {
            return 0;
        }

        return submit() ? 1 : 0;
    }

    boolean isComplete()
    {
        return null == call || !(0 != count || expert < experts.localExperts()) &&
            kernels.completedPosition() >= lastPosition;
    }

    private int collect()
    {
        while (expert < experts.localExperts() && count < ROWS_A_STEP)
        {
            final int first = experts.countOf(expert);
            final int end = experts.rowsPerExpert(expert);
            while (first + row < end && count < ROWS_A_STEP)
            {
                blank(experts.expertBase(expert) + first + row);
                row++;
            }

            if (first + row >= end)
            {
                expert++;
                row = 0;
            }
        }

        return count;
    }

    private void blank(final int place)
    {
        rows.set(count, 0, call.outputOffset(place));
        if (call.scaleBytes() > 0)
        {
            scales.set(count, 0, call.outputScaleOffset(place));
        }

        if (call.hasMetadata())
        {
            call.metadata().selection(place, -1, 0f);
            call.metadata().source(place, -1);
        }

        count++;
    }

    private boolean submit()
    {
        if (!areRowsSubmitted)
        {
            final long position = kernels.zeroRows(call.outputRows(), rows, 0, count);
            if (position < 0)
            {
                return false;
            }

            areRowsSubmitted = true;
            lastPosition = position;
        }

        if (call.scaleBytes() > 0)
        {
            final long position = kernels.zeroRows(call.outputScales(), scales, 0, count);
            if (position < 0)
            {
                return false;
            }

            lastPosition = position;
        }

        areRowsSubmitted = false;
        count = 0;
        return true;
    }
}
