/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.RowList;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AllocationTest
{
    private static final ElementType[] TYPES = {ElementType.BF16, ElementType.F32};
    private static final int ROWS = 4;
    private static final int REGIONS = 2;
    private static final int HIDDEN = 640;
    private static final int ROW_BYTES = HIDDEN * Float.BYTES;
    private static final int REGION_BYTES = ROWS * ROW_BYTES;
    private static final int ATTEMPTS = 90;
    private static final int CALLS = 500;

    private final BufferRegion source = new BufferRegion(REGION_BYTES);
    private final BufferRegion target = new BufferRegion(REGION_BYTES);
    private final BufferRegion scales = new BufferRegion(REGION_BYTES);
    private final Reduction reduction = new Reduction(REGIONS);
    private final RowCopies copies = new RowCopies();
    private final RowScatter scatter = new RowScatter(REGIONS);

    static String[] modes()
    {
        return Modes.offered();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldAllocateNothingInSteadyState(final String mode)
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        try (RowKernels kernels = Modes.open(mode))
        {
            final RowList rows = kernels.allocateRows(ROWS).rowLength(HIDDEN);
            final RowTable groups = kernels.allocateWeightedTable(2, 2 * ROWS);
            groups.beginRow(0);
            for (int i = 0; i < ROWS; i++)
            {
                rows.set(i, (long)i * HIDDEN * 2, (long)i * HIDDEN * 2);
                groups.add(0, i, 0.5f);
            }

            groups.beginRow(0);
            groups.beginPart();
            for (int i = 0; i < ROWS; i++)
            {
                groups.add(i % REGIONS, i, 0.5f);
                if (i > 1)
                {
                    groups.beginPart();
                }
            }

            // The compiler works beside this thread, so that it is not known when the last call is compiled.
            long allocated = Long.MAX_VALUE;
            for (int attempt = 0; attempt < ATTEMPTS && allocated > 0; attempt++)
            {
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < CALLS; i++)
                {
                    submitAll(kernels, rows, groups);
                }
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }

            assertEquals(0, allocated, "bytes allocated by " + CALLS + " rounds of calls");
        }
    }

    private void submitAll(final RowKernels kernels, final RowList rows, final RowTable groups)
    {
        kernels.copyRows(source, target, rows, 0, ROWS);
        copies.clear();
        for (int i = 0; i < ROWS; i++)
        {
            copies.add(source, 0 == i % 2 ? target : scales, rows, i, 1);
        }

        kernels.copyRows(copies);
        kernels.zeroRows(target, rows, 0, ROWS);
        scatter.source(source, 0, ROW_BYTES, HIDDEN).target(0, target, 0, ROW_BYTES).target(1, scales, 0, ROW_BYTES)
            .scales(source, 0, ROW_BYTES, ROWS).scalesTarget(0, target, HIDDEN, ROW_BYTES)
            .scalesTarget(1, scales, HIDDEN, ROW_BYTES);
        kernels.scatterRows(scatter, groups, 0, 2);
        kernels.quantizeRows(source, target, rows, scales, rows, 0, ROWS, HIDDEN, ScaleFormat.AMAX);
        kernels.dequantizeRows(source, target, rows, scales, rows, 0, ROWS, HIDDEN);
        for (final ElementType sourceType : TYPES)
        {
            for (final ElementType targetType : TYPES)
            {
                reduction.source(0, source, 0, ROW_BYTES, sourceType).source(1, scales, 0, ROW_BYTES, sourceType)
                    .partType(targetType).target(target, 0, ROW_BYTES, targetType).hidden(HIDDEN);
                kernels.reduceRows(reduction.weighted(true).noBiases(), groups, 0, 2);
                kernels.reduceRows(
                    reduction.weighted(false).biases(target, 0, source, 0, ROW_BYTES), groups, 0, 2);
            }
        }
    }
}
