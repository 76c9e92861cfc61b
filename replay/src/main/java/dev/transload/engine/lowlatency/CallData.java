/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.ScaleFormat;
import dev.transload.reference.Bf16;
import dev.transload.reference.E4m3;
import dev.transload.reference.Routing;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;

/** All ranks' inputs of one call, and by brute force what every rank must get. */
final class CallData
{
    private static final int POOL = 4099;

    final int[] tokens;
    final short[][][] x;
    final long[][] idx;
    final float[][] weights;
    private final Scenario scenario;
    private final long salt;
    private final short[] pool = new short[POOL];

    /** A row that came to an expert. */
    record Row(int source, int token, int k)
    {
    }

    CallData(final Scenario scenario, final int call)
    {
        this.scenario = scenario;
        this.salt = scenario.seed * 31 + call;
        final Random random = new Random(salt);
        final int ranks = scenario.ranks();
        for (int i = 0; i < POOL; i++)
        {
            pool[i] = Bf16.fromFloat((float)random.nextGaussian());
        }

        tokens = new int[ranks];
        x = new short[ranks][][];
        idx = new long[ranks][];
        weights = new float[ranks][];
        for (int rank = 0; rank < ranks; rank++)
        {
            final Routing routing =
                null == scenario.routes ? null : scenario.routes.get(call % scenario.routes.size()).get(rank);
            tokens[rank] = null != routing ? routing.tokens() :
                scenario.isEmptyRank && 0 == rank % 2 ? 0 : random.nextInt(scenario.maxTokens + 1);
            x[rank] = new short[tokens[rank]][scenario.hidden];
            idx[rank] = new long[tokens[rank] * scenario.topk];
            weights[rank] = new float[idx[rank].length];
            for (int token = 0; token < tokens[rank]; token++)
            {
                fill(random, x[rank][token]);
                if (null == routing)
                {
                    choose(random, rank, token);
                }
            }

            if (null != routing)
            {
                System.arraycopy(routing.idx(), 0, idx[rank], 0, idx[rank].length);
                System.arraycopy(routing.weights(), 0, weights[rank], 0, weights[rank].length);
            }
        }
    }

    private void fill(final Random random, final short[] row)
    {
        int at = random.nextInt(POOL);
        for (int i = 0; i < row.length; i++)
        {
            row[i] = pool[at];
            at = at + 1 == POOL ? 0 : at + 1;
        }
    }

    private void choose(final Random random, final int rank, final int token)
    {
        final List<Long> experts = new ArrayList<>();
        for (long expert = 0; expert < scenario.experts; expert++)
        {
            experts.add(expert);
        }

        for (int k = 0; k < scenario.topk; k++)
        {
            final int at = token * scenario.topk + k;
            final int choice = scenario.isHot ? 0 : random.nextInt(experts.size());
            idx[rank][at] = random.nextDouble() < scenario.missing ? -1 : experts.remove(choice);
            weights[rank][at] = (float)random.nextGaussian();
        }
    }

    /** Rows that come to an expert: sources ascending, then tokens. */
    List<Row> rows(final int expert, final IntPredicate isActive)
    {
        final List<Row> rows = new ArrayList<>();
        for (int source = 0; source < tokens.length; source++)
        {
            for (int at = 0; at < idx[source].length && isActive.test(source); at++)
            {
                if (idx[source][at] == expert)
                {
                    rows.add(new Row(source, at / scenario.topk, at % scenario.topk));
                }
            }
        }

        return rows;
    }

    /** What an expert makes of a token: nothing that follows from where the row lies. */
    short[] answer(final int expert, final int source, final int token)
    {
        final short[] row = new short[scenario.hidden];
        fill(new Random(salt ^ expert * 1_000_003L ^ source * 7_919L ^ token * 104_729L), row);
        return row;
    }

    /** Sum of a token's answers: F32, fused, k ascending, rounded to BF16. */
    short[] combined(final int rank, final int token, final IntPredicate isLeftOut)
    {
        final float[] sum = new float[scenario.hidden];
        for (int k = 0; k < scenario.topk; k++)
        {
            final int at = token * scenario.topk + k;
            if (idx[rank][at] >= 0 && !isLeftOut.test(k))
            {
                final short[] answer = answer((int)idx[rank][at], rank, token);
                for (int i = 0; i < sum.length; i++)
                {
                    sum[i] = Math.fma(weights[rank][at], Bf16.toFloat(answer[i]), sum[i]);
                }
            }
        }

        final short[] row = new short[sum.length];
        for (int i = 0; i < row.length; i++)
        {
            row[i] = Bf16.fromFloat(sum[i]);
        }

        return row;
    }

    /** Cast by the scenario's format. */
    void quantize(final short[] row, final byte[] q, final float[] scales)
    {
        E4m3.quantize(row, q, scales);
        for (int group = 0; group < scales.length && ScaleFormat.POWER_OF_TWO == scenario.format; group++)
        {
            final int begin = group * E4m3.GROUP;
            float amax = 1e-4f;
            for (int i = begin; i < begin + E4m3.GROUP; i++)
            {
                amax = Math.max(amax, Math.abs(Bf16.toFloat(row[i])));
            }

            scales[group] = leastPowerOfTwo(amax / 448.0);
            for (int i = begin; i < begin + E4m3.GROUP; i++)
            {
                q[i] = E4m3.fromFloat(Bf16.toFloat(row[i]) / scales[group]);
            }
        }
    }

    private static float leastPowerOfTwo(final double bound)
    {
        double power = 0x1p-126;
        while (power < bound)
        {
            power *= 2;
        }

        return (float)power;
    }
}
