/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import java.util.BitSet;
import java.util.List;

/**
 * Time of iterations on end: of the slowest rank, from its start of the first one to its start of the one after the
 * last, over their number. Ranks need no common clock, and a rank that is ahead and waits in its next call is not
 * counted twice, as it is where the slowest rank of every single iteration is taken.
 *
 * <p>Counted is the second half of a run without its last iteration, in which FP8 rows are cast for verification, and
 * without interrupted ones, unless they are more than half of these. Where that leaves none, the last iteration counts.
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
     * @param lapsNs      of each rank, by iteration: from its start to that of the next one.
     * @param interrupted iterations before or in which a rank did something else.
     * @return figures.
     */
    static WallFigures of(final List<long[]> lapsNs, final BitSet interrupted)
    {
        final int all = lapsNs.get(0).length;
        final int first = all / 2;
        final int[] counted = CallFigures.counted(first, Math.max(all - 1, first + 1), interrupted);
        final int parts = Math.max(1, Math.min(PARTS, counted.length / ITERATIONS_IN_PART));
        double least = Double.MAX_VALUE;
        double greatest = 0.0;
        for (int part = 0; part < parts; part++)
        {
            final double micros =
                meanMicros(lapsNs, counted, part * counted.length / parts, (part + 1) * counted.length / parts);
            least = Math.min(least, micros);
            greatest = Math.max(greatest, micros);
        }

        return new WallFigures(counted.length, meanMicros(lapsNs, counted, 0, counted.length), least, greatest);
    }

    private static double meanMicros(
        final List<long[]> lapsNs, final int[] counted, final int begin, final int end)
    {
        long slowestNs = 0;
        for (final long[] laps : lapsNs)
        {
            long ns = 0;
            for (int i = begin; i < end; i++)
            {
                ns += laps[counted[i]];
            }

            slowestNs = Math.max(slowestNs, ns);
        }

        return slowestNs / NS_PER_MICRO / (end - begin);
    }
}
