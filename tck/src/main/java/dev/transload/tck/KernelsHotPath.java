/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.kernels.RowCopies;
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
    private final ReductionList list;
    private final Reduction reduction;
    private final RowCopies copies = new RowCopies();

    KernelsHotPath(final KernelsCase test)
    {
        this.test = test;
        final int rowLength = HIDDEN * Short.BYTES;
        source = test.filled(new byte[ROWS * rowLength]);
        target = test.filled(new byte[ROWS * rowLength]);
        rows = test.rows(ROWS, rowLength);
        list = test.kernels.allocateReduction(1, ROWS).clear();
        list.beginGroup(0, 0, 0);
        for (int i = 0; i < ROWS; i++)
        {
            list.addSource((long)i * rowLength, 1.0f);
        }

        reduction = new Reduction()
            .source(source, ElementType.BF16).target(target, ElementType.BF16).hidden(HIDDEN);
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

            while (test.kernels.reduceRows(reduction, list, 0, 1) < 0)
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
            throw new AssertionError("the kernels stand still at position " + test.kernels.completedPosition());
        }
    }
}
