/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.input.RunInput;
import dev.transload.engine.World;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.Routing;
import java.util.Arrays;

/**
 * How the tokens of all ranks spread over experts, ranks and nodes. A copy is a token's row for one of its ranks, its
 * own rank included, however many of its experts are there.
 *
 * @param tokens          of all ranks.
 * @param expertLoads     choices of each expert.
 * @param rankAssignments choices of the experts of each rank.
 * @param rankCopies      copies for each rank.
 * @param fanouts         tokens by their number of copies, from 0.
 * @param localCopies     copies for the token's own rank.
 * @param nodeCopies      copies for ranks of the token's own node, its own rank included.
 */
record RoutingFigures(
    long tokens, long[] expertLoads, long[] rankAssignments, long[] rankCopies, long[] fanouts, long localCopies,
    long nodeCopies)
{
    /** Of all that an input sends. */
    static RoutingFigures of(final RunInput input, final WorldConfig config)
    {
        final World world = new World(config, 0);
        final int ranks = config.size();
        final int expertsPerRank = input.world().experts() / ranks;
        final long[] expertLoads = new long[input.experts()];
        final long[] rankAssignments = new long[ranks];
        final long[] rankCopies = new long[ranks];
        final long[] fanouts = new long[ranks + 1];
        long local = 0;
        long near = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            final Routing routing = input.world().routing(rank);
            for (int token = 0; token < routing.tokens(); token++)
            {
                final boolean[] isRank = new boolean[ranks];
                int copies = 0;
                for (int k = 0; k < routing.topk(); k++)
                {
                    final long expert = routing.expert(token, k);
                    if (expert >= 0)
                    {
                        final int at = (int)(expert / expertsPerRank);
                        expertLoads[(int)expert]++;
                        rankAssignments[at]++;
                        if (!isRank[at])
                        {
                            isRank[at] = true;
                            copies++;
                            rankCopies[at]++;
                            local += rank == at ? 1 : 0;
                            near += world.nodeOf(rank) == world.nodeOf(at) ? 1 : 0;
                        }
                    }
                }

                fanouts[copies]++;
            }
        }

        return new RoutingFigures(
            Arrays.stream(fanouts).sum(), expertLoads, rankAssignments, rankCopies, fanouts, local, near);
    }

    long copies()
    {
        return Arrays.stream(rankCopies).sum();
    }

    long assignments()
    {
        return Arrays.stream(rankAssignments).sum();
    }

    /** Least number of copies of a token. */
    int leastFanout()
    {
        int least = 0;
        while (least < fanouts.length - 1 && 0 == fanouts[least])
        {
            least++;
        }

        return least;
    }

    /** Largest number of copies of a token. */
    int mostFanout()
    {
        int most = fanouts.length - 1;
        while (most > 0 && 0 == fanouts[most])
        {
            most--;
        }

        return most;
    }

    /** Standard deviation over the mean, of all and not of a sample; 0 where the mean is. */
    static double variation(final long... loads)
    {
        final double mean = Arrays.stream(loads).average().orElse(0);
        final double squares = Arrays.stream(loads).mapToDouble((load) -> (load - mean) * (load - mean)).sum();
        return 0 == mean ? 0 : Math.sqrt(squares / loads.length) / mean;
    }
}
