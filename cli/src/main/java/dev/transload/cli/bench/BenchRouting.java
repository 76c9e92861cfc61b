/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import java.util.SplittableRandom;

/** What tokens of all ranks choose in a bench of low-latency calls: distinct experts, the same in each run. */
final class BenchRouting
{
    private final int ranks;
    private final long[][] experts;

    BenchRouting(final int ranks)
    {
        this.ranks = ranks;
        this.experts = new long[ranks][];
        for (int rank = 0; rank < ranks; rank++)
        {
            final SplittableRandom random = new SplittableRandom(rank);
            experts[rank] = new long[LowLatencyBench.MAX_TOKENS * LowLatencyBench.TOPK];
            for (int token = 0; token < LowLatencyBench.MAX_TOKENS; token++)
            {
                System.arraycopy(random.longs(0, (long)LowLatencyBench.EXPERTS_PER_RANK * ranks).distinct()
                    .limit(LowLatencyBench.TOPK).toArray(), 0, experts[rank], token * LowLatencyBench.TOPK,
                    LowLatencyBench.TOPK);
            }
        }
    }

    /** Selections of a rank, [MAX_TOKENS · TOPK]. */
    long[] experts(final int rank)
    {
        return experts[rank];
    }

    /** Selections by the first T tokens of each rank, all together, of experts on other ranks. */
    int crossing(final int tokens)
    {
        int crossing = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            for (int at = 0; at < tokens * LowLatencyBench.TOPK; at++)
            {
                crossing += experts[rank][at] / LowLatencyBench.EXPERTS_PER_RANK == rank ? 0 : 1;
            }
        }

        return crossing;
    }
}
