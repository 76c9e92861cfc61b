/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.reference.E4m3;
import dev.transload.reference.ReferenceWorld;
import dev.transload.reference.Routing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** Inputs of all ranks of a scenario, as plain arrays. */
final class WorldData
{
    final Scenario scenario;
    final ReferenceWorld reference;
    final List<Routing> routings = new ArrayList<>();
    final short[][] x;
    final byte[][] q;
    final float[][] scales;
    final short[][] bias0;
    final short[][] bias1;

    WorldData(final Scenario scenario)
    {
        this.scenario = scenario;
        final Random random = new Random(scenario.seed ^ 0x5DEECE66DL);
        final SplittableRandom payload = new SplittableRandom(scenario.seed);
        final int ranks = scenario.ranks();
        x = new short[ranks][];
        q = new byte[ranks][];
        scales = new float[ranks][];
        bias0 = new short[ranks][];
        bias1 = new short[ranks][];
        for (int rank = 0; rank < ranks; rank++)
        {
            routings.add(null != scenario.routes ? scenario.routes.get(rank) :
                null == scenario.trace ? routing(random, rank) : traced(random, rank));
            final int elements = scenario.tokens[rank] * scenario.hidden;
            x[rank] = rows(payload, elements);
            bias0[rank] = rows(payload, elements);
            bias1[rank] = rows(payload, elements);
            if (scenario.isFp8)
            {
                quantize(rank);
            }
        }

        if (null != scenario.vectors)
        {
            scenario.vectors.writeInto(this);
        }

        reference = new ReferenceWorld(scenario.world().ranksOfNodes(), scenario.experts, taken());
    }

    /** What is left of the choices without absent ranks: they have no tokens, and choices of their experts are none. */
    private List<Routing> taken()
    {
        if (scenario.absent.isEmpty())
        {
            return routings;
        }

        final List<Routing> taken = new ArrayList<>();
        final int perRank = (scenario.experts + scenario.ranks() - 1) / scenario.ranks();
        for (int rank = 0; rank < routings.size(); rank++)
        {
            final Routing all = routings.get(rank);
            taken.add(scenario.absent.contains(rank) ? new Routing(0, all.topk(), new long[0], new float[0]) :
                new Routing(all.tokens(), all.topk(), Arrays.stream(all.idx()).map((expert) ->
                expert >= 0 && scenario.absent.contains((int)expert / perRank) ? -1 : expert).toArray(),
                all.weights()));
        }

        return taken;
    }

    /** Choices of a rank that are left out since they are of absent ranks' experts. */
    int leftOut(final int rank)
    {
        final int perRank = (scenario.experts + scenario.ranks() - 1) / scenario.ranks();
        return (int)Arrays.stream(routings.get(rank).idx())
            .filter((expert) -> expert >= 0 && scenario.absent.contains((int)expert / perRank)).count();
    }

    private void quantize(final int rank)
    {
        q[rank] = new byte[x[rank].length];
        scales[rank] = new float[x[rank].length / E4m3.GROUP];
        final short[] row = new short[scenario.hidden];
        final byte[] rowQ = new byte[scenario.hidden];
        final float[] rowScales = new float[scenario.hidden / E4m3.GROUP];
        for (int token = 0; token < scenario.tokens[rank]; token++)
        {
            System.arraycopy(x[rank], token * row.length, row, 0, row.length);
            E4m3.quantize(row, rowQ, rowScales);
            System.arraycopy(rowQ, 0, q[rank], token * row.length, row.length);
            System.arraycopy(rowScales, 0, scales[rank], token * rowScales.length, rowScales.length);
        }
    }

    private Routing routing(final Random random, final int rank)
    {
        final int tokens = scenario.tokens[rank];
        final long[] idx = new long[tokens * scenario.topk];
        final float[] weights = new float[idx.length];
        for (int token = 0; token < tokens; token++)
        {
            final List<Integer> choices = new ArrayList<>();
            for (int expert = 0; expert < scenario.experts; expert++)
            {
                choices.add(expert);
            }

            Collections.shuffle(choices, random);
            if (scenario.isHot)
            {
                choices.remove(Integer.valueOf(scenario.experts / 2));
                choices.add(0, scenario.experts / 2);
            }

            for (int k = 0; k < scenario.topk; k++)
            {
                final boolean isMissing = random.nextDouble() < missing(rank);
                idx[token * scenario.topk + k] = isMissing ? -1 : choices.get(k);
                weights[token * scenario.topk + k] = random.nextFloat();
            }
        }

        return new Routing(tokens, scenario.topk, idx, weights);
    }

    private double missing(final int rank)
    {
        return scenario.isMissingOnOddRanks && 1 == rank % 2 ? 1 : scenario.missing;
    }

    private Routing traced(final Random random, final int rank)
    {
        final Routing routing =
            scenario.traceRows.slice(rank * scenario.traceStride, scenario.tokens[rank], scenario.topk);
        for (int i = 0; i < routing.idx().length; i++)
        {
            if (random.nextDouble() < missing(rank))
            {
                routing.idx()[i] = -1;
            }
        }

        return routing;
    }

    /** Numbers of either sign between 2^-7 and 2^4, so that sums must round. */
    private static short[] rows(final SplittableRandom random, final int elements)
    {
        final short[] rows = new short[elements];
        for (int i = 0; i < elements; i++)
        {
            final int bits = random.nextInt();
            final int exponent = 120 + Math.floorMod(bits >> 8, 11);
            rows[i] = (short)(bits & 0x807F | exponent << 7);
        }

        return rows;
    }

    /** The weight that a rank combines for a choice of a row: large ones that cancel out, zeros of either sign, NaN. */
    float answerWeight(final int rank, final int source, final int token, final int k)
    {
        final float[] weights = {1e8f, -1e8f, 1f, 0.3f, -0f, 0f, Float.NaN, 3e-5f};
        final long seed = ((scenario.seed * 37 + rank) * 37 + source) * 1_000_033 + token * 19L + k;
        return weights[new SplittableRandom(seed).nextInt(weights.length)];
    }

    /** What a rank answers for a token, or one of its experts for one choice of the token. */
    short[] answer(final int rank, final int source, final int token, final int k)
    {
        if (null != scenario.vectors)
        {
            return scenario.vectors.answer(this, rank, source, token, k);
        }

        final long seed = ((scenario.seed * 31 + rank) * 31 + source) * 1_000_003 + token * 17L + k;
        return rows(new SplittableRandom(seed), scenario.hidden);
    }
}
