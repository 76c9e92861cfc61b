/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** The shape of a distribution: steps become finer towards its tail, as HdrHistogram's own output has them. */
public final class Percentiles
{
    private static final int STEPS_PER_HALVING = 5;
    private static final double NS_PER_MICRO = 1e3;
    private static final double DIGITS = 1e3;

    private Percentiles()
    {
    }

    /**
     * Pairs, ascending; the last is of 100 percent, which is the greatest value.
     *
     * @param histogram of nanoseconds, not empty.
     * @return [n][2]: percent, microseconds.
     */
    public static ArrayNode of(final Histogram histogram)
    {
        final ArrayNode pairs = JsonNodeFactory.instance.arrayNode();
        for (final HistogramIterationValue step : histogram.percentiles(STEPS_PER_HALVING))
        {
            pairs.addArray().add(step.getPercentileLevelIteratedTo())
                .add(Math.round(step.getValueIteratedTo() / NS_PER_MICRO * DIGITS) / DIGITS);
        }

        return pairs;
    }
}
