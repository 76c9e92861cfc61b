/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import java.util.List;

/**
 * Time of iterations on end: of the slowest rank, from its start of the first one to its start of the one after the
 * last, over their number. Ranks need no common clock, and a rank that is ahead and waits in its next call is not
 * counted twice, as it is where the slowest rank of every single iteration is taken.
 *
 * <p>Counted is the second half of a run but its last iteration, in which FP8 rows are cast for verification; where
 * that leaves none, the last iteration.
 *
 * @param iterations     counted.
 * @param meanMicros     of an iteration, over all of them.
 * @param leastMicros    of an iteration, over the fastest of at most ten parts on end.
 * @param greatestMicros of an iteration, over the slowest of them.
 */
public record WallFigures(int iterations, double meanMicros, double leastMicros, double greatestMicros)
{
    private static final int PARTS = 10;

    /** In a shorter part, how far one rank happens to be ahead of another would count. */
    private static final int ITERATIONS_IN_PART = 4;

    private static final double NS_PER_MICRO = 1e3;

    /**
     * From laps.
     *
     * @param lapsNs of each rank, by iteration: from its start to that of the next one.
     * @return figures.
     */
    static WallFigures of(final List<long[]> lapsNs)
    {
        final int all = lapsNs.get(0).length;
        final int first = all / 2;
        final int count = Math.max(1, all - 1 - first);
        final int parts = Math.max(1, Math.min(PARTS, count / ITERATIONS_IN_PART));
        double least = Double.MAX_VALUE;
        double greatest = 0.0;
        for (int part = 0; part < parts; part++)
        {
            final double micros =
                meanMicros(lapsNs, first + part * count / parts, first + (part + 1) * count / parts);
            least = Math.min(least, micros);
            greatest = Math.max(greatest, micros);
        }

        return new WallFigures(count, meanMicros(lapsNs, first, first + count), least, greatest);
    }

    private static double meanMicros(final List<long[]> lapsNs, final int begin, final int end)
    {
        long slowestNs = 0;
        for (final long[] laps : lapsNs)
        {
            long ns = 0;
            for (int i = begin; i < end; i++)
            {
                ns += laps[i];
            }

            slowestNs = Math.max(slowestNs, ns);
        }

        return slowestNs / NS_PER_MICRO / (end - begin);
    }
}
