/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.List;

/**
 * Times of one candidate over those of another, measured in pairs one after the other.
 *
 * @param median of the pairs' ratios, below 1 for the faster one.
 * @param low    least ratio.
 * @param high   largest ratio.
 * @param pairs  how many.
 * @param wins   pairs with a ratio below 1.
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Ratio(double median, double low, double high, int pairs, int wins)
{
    static Ratio of(final List<Double> ratios)
    {
        final double[] sorted = ratios.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        final int middle = sorted.length / 2;
        final double median = 1 == sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Ratio(median, sorted[0], sorted[sorted.length - 1], sorted.length,
            (int)ratios.stream().filter((ratio) -> ratio < 1).count());
    }
}
