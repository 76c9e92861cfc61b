/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.engine.World;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.Routing;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Group-limited gating of random scores, as routers with node-limited routing do it: a token scores every expert with
 * {@code |N(0,1)| + 1}, keeps the nodes with the best scores, and chooses its top-k among their experts. A weight is
 * the score's part in the sum of the chosen ones. Experts that only pad are never chosen.
 */
final class GatedRouting
{
    /** Most nodes that a token goes to. */
    private static final int MAX_NODES = 4;

    /** Sets the sequence of scores apart from those of rows, which belong to tokens of non-negative number. */
    private static final long SCORES = -1;

    private final int nodes;
    private final int[] nodeOfExpert;
    private final int experts;
    private final int topk;

    /** With E experts, padded to P ranks; E/P of them on a rank. */
    GatedRouting(final WorldConfig config, final int experts, final int topk)
    {
        final World world = new World(config, 0);
        final int expertsPerRank = (experts + world.size() - 1) / world.size();
        this.nodes = world.nodes();
        this.nodeOfExpert =
            IntStream.range(0, experts).map((expert) -> world.nodeOf(expert / expertsPerRank)).toArray();
        this.experts = experts;
        this.topk = topk;
    }

    Routing route(final long seed, final int rank, final int tokens)
    {
        final NormalNumbers numbers = new NormalNumbers(seed, rank, SCORES);
        final long[] idx = new long[tokens * topk];
        final float[] weights = new float[tokens * topk];
        final float[] scores = new float[experts];
        for (int token = 0; token < tokens; token++)
        {
            for (int expert = 0; expert < experts; expert++)
            {
                scores[expert] = Math.abs(numbers.next()) + 1.0f;
            }

            maskNodes(scores);
            choose(scores, idx, weights, token * topk);
        }

        return new Routing(tokens, topk, idx, weights);
    }

    /** Zero is below every score. */
    private void maskNodes(final float[] scores)
    {
        final float[] best = new float[nodes];
        for (int expert = 0; expert < experts; expert++)
        {
            best[nodeOfExpert[expert]] = Math.max(best[nodeOfExpert[expert]], scores[expert]);
        }

        final boolean[] isKept = new boolean[nodes];
        for (int kept = 0; kept < Math.min(nodes, MAX_NODES); kept++)
        {
            final int node = indexOfGreatest(best);
            isKept[node] = best[node] > 0.0f;
            best[node] = 0.0f;
        }

        for (int expert = 0; expert < experts; expert++)
        {
            scores[expert] = isKept[nodeOfExpert[expert]] ? scores[expert] : 0.0f;
        }
    }

    private void choose(final float[] scores, final long[] idx, final float[] weights, final int at)
    {
        Arrays.fill(idx, at, at + topk, -1);
        float sum = 0.0f;
        for (int k = 0; k < topk; k++)
        {
            final int expert = indexOfGreatest(scores);
            if (scores[expert] > 0.0f)
            {
                idx[at + k] = expert;
                weights[at + k] = scores[expert];
                sum += scores[expert];
                scores[expert] = 0.0f;
            }
        }

        for (int k = 0; k < topk; k++)
        {
            weights[at + k] = 0.0f == sum ? 0.0f : weights[at + k] / sum;
        }
    }

    /** The first of equals. */
    private static int indexOfGreatest(final float[] values)
    {
        int greatest = 0;
        for (int i = 1; i < values.length; i++)
        {
            greatest = values[i] > values[greatest] ? i : greatest;
        }

        return greatest;
    }
}
