/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.Tensor;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.RowList;

/** Makes BF16 rows of received FP8 rows, with the row kernels of the payload's memory kind. */
public final class Dequantizer implements AutoCloseable
{
    private static final int ROWS_AT_ONCE = 256;

    private final RowKernels kernels;
    private final RowList rows;
    private final RowList scaleRows;

    public Dequantizer(final EngineConfig config)
    {
        this.kernels = KernelRegistry.discover().open(config);
        this.rows = kernels.allocateRows(ROWS_AT_ONCE);
        this.scaleRows = kernels.allocateRows(ROWS_AT_ONCE);
    }

    /**
     * Cast rows, and wait for it.
     *
     * @param x       FP8 rows.
     * @param xScales their scales.
     * @param first   row to begin with.
     * @param count   rows.
     * @param answers BF16, filled at the same rows.
     */
    public void dequantize(
        final Tensor x, final Tensor xScales, final int first, final int count, final Tensor answers)
    {
        for (int from = first; from < first + count; from += ROWS_AT_ONCE)
        {
            final int chunk = Math.min(ROWS_AT_ONCE, first + count - from);
            for (int i = 0; i < chunk; i++)
            {
                rows.set(i, offset(x, from + i), offset(answers, from + i));
                scaleRows.set(i, offset(xScales, from + i), 0);
            }

            await(submit(x, xScales, answers, chunk));
        }
    }

    @Override
    public void close()
    {
        kernels.close();
    }

    private long submit(final Tensor x, final Tensor xScales, final Tensor answers, final int chunk)
    {
        long position;
        do
        {
            kernels.progress();
            position = kernels.dequantizeRows(x.memory().scaleUpRegion(), answers.memory().scaleUpRegion(), rows,
                xScales.memory().scaleUpRegion(), scaleRows, 0, chunk, answers.columns());
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
