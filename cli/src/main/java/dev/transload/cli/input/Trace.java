/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.reference.Routing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A router's log.
 *
 * @param name    for messages.
 * @param experts of the log's head, 0 where it doesn't say.
 * @param topk    choices of each token.
 * @param ids     [T][K].
 * @param weights [T][K].
 * @param lines   [T] number of the line that each came from.
 */
record Trace(String name, int experts, int topk, long[][] ids, float[][] weights, int[] lines)
{
    /** First route of a rank's consecutive block. */
    int begin(final int rank, final int ranks)
    {
        return (int)((long)rank * ids.length / ranks);
    }

    /** Deals the routes to ranks in consecutive blocks and keeps the first choices of each. */
    List<Routing> deal(final int ranks, final int firstChoices)
    {
        final List<Routing> routings = new ArrayList<>(ranks);
        for (int rank = 0; rank < ranks; rank++)
        {
            final int begin = begin(rank, ranks);
            final int tokens = begin(rank + 1, ranks) - begin;
            final long[] idx = new long[tokens * firstChoices];
            final float[] weight = new float[tokens * firstChoices];
            for (int token = 0; token < tokens; token++)
            {
                System.arraycopy(ids[begin + token], 0, idx, token * firstChoices, firstChoices);
                System.arraycopy(weights[begin + token], 0, weight, token * firstChoices, firstChoices);
            }

            routings.add(new Routing(tokens, firstChoices, idx, weight));
        }

        return routings;
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof final Trace trace && name.equals(trace.name) && experts == trace.experts &&
            topk == trace.topk && Arrays.deepEquals(ids, trace.ids) && Arrays.deepEquals(weights, trace.weights) &&
            Arrays.equals(lines, trace.lines);
    }

    @Override
    public int hashCode()
    {
        return name.hashCode() * 31 + Arrays.deepHashCode(ids);
    }

    @Override
    public String toString()
    {
        return name + ": " + ids.length + " routes";
    }
}
