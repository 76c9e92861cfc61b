/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.input.RunInput;
import dev.transload.engine.World;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.Routing;

/**
 * Bytes of all ranks as DeepEP's tests count them, whatever was put: what stays on its rank or its node counts too.
 *
 * @param dispatchOut between nodes: a row for each node of a token, the own one included ({@code test_internode.py}).
 * @param dispatchUp  within nodes: a row for each rank of a token, as received ({@code test_intranode.py}).
 * @param combineOut  the same rows in BF16.
 * @param combineUp   the same rows in BF16.
 */
record DeepEpBytes(long dispatchOut, long dispatchUp, long combineOut, long combineUp)
{
    private static final int SCALE_GROUP = 128;
    private static final int LOW_LATENCY_HEADER = 16;

    /** Of a dispatch and its combine in normal mode. */
    static DeepEpBytes normal(final RunInput input, final WorldConfig config)
    {
        final World world = new World(config, 0);
        final int ranks = config.size();
        final int expertsPerRank = input.world().experts() / ranks;
        long toNodes = 0;
        long toRanks = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            final Routing routing = input.world().routing(rank);
            for (int token = 0; token < routing.tokens(); token++)
            {
                final boolean[] isRank = new boolean[ranks];
                final boolean[] isNode = new boolean[config.nodes()];
                for (int k = 0; k < routing.topk(); k++)
                {
                    final long expert = routing.expert(token, k);
                    if (expert >= 0)
                    {
                        final int at = (int)(expert / expertsPerRank);
                        toRanks += isRank[at] ? 0 : 1;
                        isRank[at] = true;
                        final int node = world.nodeOf(at);
                        toNodes += isNode[node] ? 0 : 1;
                        isNode[node] = true;
                    }
                }
            }
        }

        final long bf16 = bf16(input.hidden());
        final long sent = input.isFp8() ? fp8(input.hidden()) : bf16;
        final long across = config.nodes() > 1 ? toNodes : 0;
        return new DeepEpBytes(across * sent, toRanks * sent, across * bf16, toRanks * bf16);
    }

    /** Of a low-latency dispatch and its combine, as between nodes: a row a choice ({@code test_low_latency.py}). */
    static DeepEpBytes lowLatency(final RunInput input, final boolean isFp8, final int calls)
    {
        long choices = 0;
        for (int rank = 0; rank < input.world().ranks(); rank++)
        {
            for (final long expert : input.world().routing(rank).idx())
            {
                choices += expert >= 0 ? 1 : 0;
            }
        }

        final long sent = isFp8 ? fp8(input.hidden()) + LOW_LATENCY_HEADER : bf16(input.hidden());
        return new DeepEpBytes(choices * sent / calls, 0, choices * bf16(input.hidden()) / calls, 0);
    }

    private static long bf16(final int hidden)
    {
        return (long)hidden * Short.BYTES;
    }

    private static long fp8(final int hidden)
    {
        return hidden + (long)hidden / SCALE_GROUP * Float.BYTES;
    }
}
