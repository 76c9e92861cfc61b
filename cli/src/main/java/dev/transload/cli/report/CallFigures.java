/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Figures of all dispatches or all combines of a run.
 *
 * @param counted       iterations that min, median and p99 are of.
 * @param minMicros     of the slowest rank, least iteration.
 * @param medianMicros  of the slowest rank, middle iteration.
 * @param p99Micros     of the slowest rank, 99th percentile of the iterations.
 * @param scaleOutBytes that all ranks put to other nodes in one iteration.
 * @param scaleUpBytes  that all ranks put within their nodes in one iteration.
 * @param slowestNs     by iteration, the slowest rank's.
 */
public record CallFigures(
    int counted, double minMicros, double medianMicros, double p99Micros, long scaleOutBytes, long scaleUpBytes,
    long[] slowestNs)
{
    private static final double NS_PER_MICRO = 1e3;
    private static final double MICROS_PER_SECOND_PER_GB = 1e3;

    /**
     * From samples. Interrupted ones don't count, unless they are more than half of all.
     *
     * @param slowestNs     by iteration, the slowest rank's.
     * @param interrupted   iterations before or in which a rank did something else.
     * @param scaleOutBytes of one iteration.
     * @param scaleUpBytes  of one iteration.
     * @return figures.
     */
    static CallFigures of(
        final long[] slowestNs, final BitSet interrupted, final long scaleOutBytes, final long scaleUpBytes)
    {
        final long[] sorted = Arrays.stream(counted(0, slowestNs.length, interrupted))
            .mapToLong((iteration) -> slowestNs[iteration]).sorted().toArray();
        return new CallFigures(
            sorted.length, sorted[0] / NS_PER_MICRO, percentile(sorted, 50) / NS_PER_MICRO,
            percentile(sorted, 99) / NS_PER_MICRO, scaleOutBytes, scaleUpBytes, slowestNs);
    }

    /** Iterations that count: all from the first to before the end, or those that were not interrupted. */
    static int[] counted(final int first, final int end, final BitSet interrupted)
    {
        final boolean areAllCounted = 2 * interrupted.get(first, end).cardinality() > end - first;
        return IntStream.range(first, end)
            .filter((iteration) -> areAllCounted || !interrupted.get(iteration)).toArray();
    }

    /** Rate between nodes, of all ranks together, in the middle iteration. */
    public double scaleOutGBps()
    {
        return scaleOutBytes / medianMicros / MICROS_PER_SECOND_PER_GB;
    }

    /** Rate within nodes, of all ranks together, in the middle iteration. */
    public double scaleUpGBps()
    {
        return scaleUpBytes / medianMicros / MICROS_PER_SECOND_PER_GB;
    }

    /** Nearest rank: the least value that is not below so many percent of all. */
    private static long percentile(final long[] sorted, final int percent)
    {
        return sorted[Math.max(0, (sorted.length * percent + 99) / 100 - 1)];
    }
}
