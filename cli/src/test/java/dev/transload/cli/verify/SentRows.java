/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.input.RunInput;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.HeapTensors;
import dev.transload.engine.Tensor;
import dev.transload.engine.WorldConfig;
import dev.transload.kernels.Fp8;
import dev.transload.reference.ReferenceDispatch;

/** What a faultless engine would give a rank, made from the expectation itself. */
final class SentRows
{
    static final int HIDDEN = 128;

    private SentRows()
    {
    }

    static RunInput input(final String dtype)
    {
        return InputLoader.load(new InputOptions(null, 12, null, 8, 3, HIDDEN, dtype, 5), WorldConfig.of(2, 2));
    }

    static Outputs outputs(final Expectation expectation, final EngineConfig config)
    {
        final RunInput input = expectation.input();
        final ReferenceDispatch dispatch = expectation.dispatch();
        final int rows = dispatch.rows();
        final DispatchOutput received = new DispatchOutput(
            HeapTensors.of(input.isFp8() ? DataType.F8_E4M3 : DataType.BF16, rows, HIDDEN),
            input.isFp8() ? HeapTensors.of(DataType.F32, rows, Fp8.scales(HIDDEN)) : null,
            HeapTensors.of(DataType.I64, rows, dispatch.topk()),
            HeapTensors.of(DataType.F32, rows, dispatch.topk()),
            HeapTensors.of(DataType.I32, rows, 1));
        for (int row = 0; row < rows; row++)
        {
            fill(input, dispatch, received, row);
        }

        final int tokens = input.world().routing(expectation.rank()).tokens();
        final Tensor combined = HeapTensors.of(DataType.BF16, tokens, HIDDEN);
        final Tensor weights = HeapTensors.of(DataType.F32, tokens, input.topk());
        for (int token = 0; token < tokens; token++)
        {
            HostRows.row(combined, token).asShortBuffer().put(expectation.combinedRow(token));
            HostRows.row(weights, token).asFloatBuffer()
                .put(expectation.combinedWeights(), token * input.topk(), input.topk());
        }

        return new Outputs(rows, received, dispatch.rowsPerExpert().clone(), dispatch.rankPrefixSum().clone(),
            combined, weights);
    }

    private static void fill(
        final RunInput input, final ReferenceDispatch dispatch, final DispatchOutput received, final int row)
    {
        HostRows.row(received.srcTokenIdx(), row).putInt(dispatch.srcTokenIdx()[row]);
        HostRows.row(received.topkIdx(), row).asLongBuffer()
            .put(dispatch.topkIdx(), row * dispatch.topk(), dispatch.topk());
        HostRows.row(received.topkWeights(), row).asFloatBuffer()
            .put(dispatch.topkWeights(), row * dispatch.topk(), dispatch.topk());
        if (dispatch.srcRank()[row] < 0)
        {
            return;
        }

        if (input.isFp8())
        {
            final byte[] q = new byte[HIDDEN];
            final float[] scales = new float[Fp8.scales(HIDDEN)];
            input.rows().fp8(dispatch.srcRank()[row], dispatch.srcTokenIdx()[row], q, scales);
            HostRows.row(received.x(), row).put(q);
            HostRows.row(received.xScales(), row).asFloatBuffer().put(scales);
        }
        else
        {
            final short[] x = new short[HIDDEN];
            input.rows().bf16(dispatch.srcRank()[row], dispatch.srcTokenIdx()[row], x);
            HostRows.row(received.x(), row).asShortBuffer().put(x);
        }
    }
}
