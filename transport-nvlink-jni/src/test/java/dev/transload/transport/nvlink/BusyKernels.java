/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

import java.util.function.LongPredicate;

/** Keeps row kernels busy by one launch, for longer each time until it was long enough for what a test looks at. */
final class BusyKernels
{
    private static final int ROW_LENGTH = 1 << 20;
    private static final int FIRST_ROWS = 32;
    private static final int MOST_ROWS = FIRST_ROWS << 8;

    private final EmulatedDevice device;
    private final RowKernels kernels;
    private final MemoryRegion source;
    private final MemoryRegion target;

    BusyKernels(final EmulatedDevice device)
    {
        this.device = device;
        this.kernels = device.kernels();
        this.source = device.allocate(ROW_LENGTH);
        this.target = device.allocate(ROW_LENGTH);
    }

    /** Whether the kernels have not completed a position yet. */
    boolean isBusy(final long position)
    {
        return kernels.completedPosition() < position;
    }

    /**
     * Look at something while the kernels are busy.
     *
     * @param look given the position that they complete last; returns whether they were busy until it had seen all.
     */
    void during(final LongPredicate look)
    {
        final RowList rows = kernels.allocateRows(MOST_ROWS).rowLength(ROW_LENGTH);
        for (int i = 0; i < MOST_ROWS; i++)
        {
            rows.set(i, 0, 0);
        }

        boolean wasBusy = false;
        for (int count = FIRST_ROWS; !wasBusy && count <= MOST_ROWS; count *= 2)
        {
            final long position = kernels.copyRows(source, target, rows, 0, count);
            wasBusy = look.test(position);
            device.finish(position);
        }

        if (!wasBusy)
        {
            throw new AssertionError("copies of " + MOST_ROWS + " MiB were done before what a test looked at");
        }
    }
}
