/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.concurrent.TimeUnit;

/** A loop of kernel operations that itself allocates nothing. */
final class KernelsHotPath
{
    private static final int ROWS = 4;
    private static final int HIDDEN = 128;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);

    private final KernelsCase test;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final RowList rows;
    private final RowTable table;
    private final RowTable copied;
    private final Reduction reduction;
    private final RowScatter scatter;
    private final RowCopies copies = new RowCopies();

    KernelsHotPath(final KernelsCase test)
    {
        this.test = test;
        final int rowLength = HIDDEN * Short.BYTES;
        source = test.filled(new byte[ROWS * rowLength]);
        target = test.filled(new byte[ROWS * rowLength]);
        rows = test.rows(ROWS, rowLength);
        table = test.kernels.allocateTable(1, ROWS).clear();
        table.beginRow(0);
        for (int i = 0; i < ROWS; i++)
        {
            table.add(0, i);
        }

        copied = test.kernels.allocateTable(1, 1).clear();
        copied.beginRow(ROWS - 1);
        copied.add(0, 0);
        reduction = new Reduction().source(0, source, 0, rowLength, ElementType.BF16)
            .target(target, 0, rowLength, ElementType.BF16).hidden(HIDDEN);
        final int scaleLength = rowLength / 2;
        scatter = new RowScatter(2).source(source, 0, rowLength, scaleLength).target(0, target, 0, rowLength)
            .scales(source, scaleLength, rowLength, scaleLength).scalesTarget(0, target, scaleLength, rowLength);
    }

    void run(final int rounds)
    {
        final long deadline = System.nanoTime() + DEADLINE_NS;
        for (int round = 0; round < rounds; round++)
        {
            while (test.kernels.copyRows(source, target, rows, 0, ROWS) < 0)
            {
                check(deadline);
            }

            copies.clear().add(source, target, rows, 1, ROWS - 1).add(source, target, rows, 0, 1);
            while (test.kernels.copyRows(copies) < 0)
            {
                check(deadline);
            }

            while (test.kernels.reduceRows(reduction, table, 0, 1) < 0)
            {
                check(deadline);
            }

            while (test.kernels.scatterRows(scatter, copied, 0, 1) < 0)
            {
                check(deadline);
            }

            while (test.kernels.completedPosition() < test.kernels.position())
            {
                check(deadline);
            }
        }
    }

    private void check(final long deadline)
    {
        test.move();
        if (System.nanoTime() - deadline > 0)
        {
            throw new AssertionError("the kernels are stalled at position " + test.kernels.completedPosition());
        }
    }
}
