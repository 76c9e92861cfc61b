/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.cli.verify.HostRows;
import dev.transload.engine.DataType;
import dev.transload.engine.HeapTensors;
import dev.transload.engine.Tensor;
import dev.transload.engine.WorldConfig;
import dev.transload.engine.lowlatency.LowLatencyOutput;
import dev.transload.engine.lowlatency.ScaleLayout;
import dev.transload.reference.E4m3;
import dev.transload.reference.Routing;
import java.util.Arrays;

/** What a faultless engine would give a rank of 2 x 2, by a walk through all tokens. */
final class SentCalls
{
    static final int HIDDEN = 256;
    static final int MAX_TOKENS = 5;
    static final int TOKENS = 12;
    static final int TOPK = 3;
    static final int EXPERTS = 8;
    static final int RANKS = 4;

    private SentCalls()
    {
    }

    static CallInput input(final boolean isFp8)
    {
        return CallInput.of(InputLoader.load(
            new InputOptions(null, TOKENS, null, EXPERTS, TOPK, HIDDEN, null, 5), WorldConfig.of(2, 2)),
            isFp8, MAX_TOKENS);
    }

    static CallExpectation expectation(final CallInput input, final int rank, final int call)
    {
        return new CallExpectation(input, rank, call, new ExpertAnswers(ExpertAnswers.DISTINCT, EXPERTS, HIDDEN));
    }

    static boolean[] all()
    {
        final boolean[] all = new boolean[RANKS];
        Arrays.fill(all, true);
        return all;
    }

    static CallOutputs outputs(final CallExpectation expectation, final boolean[] arrived, final boolean[] answered)
    {
        return outputs(expectation, arrived, answered, noneLost(expectation));
    }

    static int[][] noneLost(final CallExpectation expectation)
    {
        return new int[expectation.input().expertsPerRank()][RANKS];
    }

    static CallOutputs outputs(
        final CallExpectation expectation, final boolean[] arrived, final boolean[] answered, final int[][] lost)
    {
        final CallInput input = expectation.input();
        final int experts = input.expertsPerRank();
        final int slots = RANKS * MAX_TOKENS;
        final LowLatencyOutput received = new LowLatencyOutput(
            HeapTensors.of(input.isFp8() ? DataType.F8_E4M3 : DataType.BF16, experts * slots, HIDDEN),
            input.isFp8() ? HeapTensors.of(DataType.F32, experts * slots, HIDDEN / E4m3.GROUP) : null,
            ScaleLayout.ROWS, HeapTensors.of(DataType.I32, experts, 1), HeapTensors.of(DataType.I32, experts, slots),
            HeapTensors.of(DataType.I64, experts, RANKS));
        for (int expert = 0; expert < experts; expert++)
        {
            int row = 0;
            for (int source = 0; source < RANKS; source++)
            {
                final int begin = row;
                row = arrived[source] ? fill(expectation, received, expert, source, row) : row;
                HostRows.row(received.layoutRange(), expert)
                    .putLong(source * Long.BYTES, (long)begin << Integer.SIZE | row - begin);
                row += lost[expert][source];
            }

            HostRows.row(received.count(), expert).putInt(row);
        }

        final int tokens = input.tokens(expectation.rank(), expectation.call());
        final Tensor combined = HeapTensors.of(DataType.BF16, tokens, HIDDEN);
        for (int token = 0; token < tokens; token++)
        {
            HostRows.row(combined, token).asShortBuffer().put(expectation.combined(token, answered));
        }

        return new CallOutputs(received, combined, arrived, answered, lost);
    }

    private static int fill(
        final CallExpectation expectation, final LowLatencyOutput received, final int expert, final int source,
        final int first)
    {
        final CallInput input = expectation.input();
        final Routing routing = input.input().world().routing(source);
        int row = first;
        for (int token = 0; token < input.tokens(source, expectation.call()); token++)
        {
            for (int k = 0; k < TOPK; k++)
            {
                if (routing.expert(input.first(expectation.call()) + token, k) ==
                    expectation.rank() * input.expertsPerRank() + expert)
                {
                    put(expectation, received, expert, row, source, token);
                    row++;
                }
            }
        }

        return row;
    }

    private static void put(
        final CallExpectation expectation, final LowLatencyOutput received, final int expert, final int row,
        final int source, final int token)
    {
        final int at = expert * RANKS * MAX_TOKENS + row;
        final short[] x = new short[HIDDEN];
        expectation.input().input().rows().bf16(
            source, expectation.input().first(expectation.call()) + token, x);
        HostRows.row(received.srcInfo(), expert).putInt(row * Integer.BYTES, token);
        if (!expectation.input().isFp8())
        {
            HostRows.row(received.x(), at).asShortBuffer().put(x);
            return;
        }

        final byte[] q = new byte[HIDDEN];
        final float[] scales = new float[HIDDEN / E4m3.GROUP];
        E4m3.quantize(x, q, scales);
        HostRows.row(received.x(), at).put(q);
        HostRows.row(received.xScales(), at).asFloatBuffer().put(scales);
    }
}
