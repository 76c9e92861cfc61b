/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.engine.DispatchOutput;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.engine.assembly.KernelRegistry;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.RowList;

/** Makes BF16 rows of received FP8 rows, with the row kernels of the payload's memory kind. */
final class Dequantizer implements AutoCloseable
{
    private static final int ROWS_AT_ONCE = 256;

    private final RowKernels kernels;
    private final RowList rows;
    private final RowList scaleRows;

    Dequantizer(final EngineConfig config)
    {
        this.kernels = KernelRegistry.discover().open(config);
        this.rows = kernels.allocateRows(ROWS_AT_ONCE);
        this.scaleRows = kernels.allocateRows(ROWS_AT_ONCE);
    }

    void dequantize(final DispatchOutput received, final int count, final Tensor answers)
    {
        for (int from = 0; from < count; from += ROWS_AT_ONCE)
        {
            final int chunk = Math.min(ROWS_AT_ONCE, count - from);
            for (int i = 0; i < chunk; i++)
            {
                rows.set(i, offset(received.x(), from + i), offset(answers, from + i));
                scaleRows.set(i, offset(received.xScales(), from + i), 0);
            }

            await(submit(received, answers, chunk));
        }
    }

    @Override
    public void close()
    {
        kernels.close();
    }

    private long submit(final DispatchOutput received, final Tensor answers, final int chunk)
    {
        long position;
        do
        {
            kernels.progress();
            position = kernels.dequantizeRows(
                received.x().memory().scaleUpRegion(), answers.memory().scaleUpRegion(), rows,
                received.xScales().memory().scaleUpRegion(), scaleRows, 0, chunk, answers.columns());
        }
        while (RowKernels.BACK_PRESSURED == position);

        return position;
    }

    private void await(final long position)
    {
        while (kernels.completedPosition() < position)
        {
            kernels.progress();
            Thread.onSpinWait();
        }
    }

    private static long offset(final Tensor tensor, final int row)
    {
        return tensor.offset() + row * tensor.rowBytes();
    }
}
