/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TimeBucketsTest
{
    @Test
    void shouldReachFromTenMicrosecondsToTenSeconds()
    {
        assertEquals(List.of(10_000L, 20_000L, 50_000L, 100_000L), bounds(0, 4));
        assertEquals(List.of(5_000_000_000L, 10_000_000_000L, Long.MAX_VALUE),
            bounds(TimeBuckets.COUNT - 3, TimeBuckets.COUNT));
        assertEquals(20, TimeBuckets.COUNT);
    }

    @Test
    void shouldCountATimeInTheFirstBucketThatItDoesNotExceed()
    {
        assertEquals(0, TimeBuckets.of(0));
        for (int bucket = 0; bucket < TimeBuckets.COUNT - 1; bucket++)
        {
            assertEquals(bucket, TimeBuckets.of(TimeBuckets.boundNs(bucket)));
            assertEquals(bucket + 1, TimeBuckets.of(TimeBuckets.boundNs(bucket) + 1));
        }
    }

    private static List<Long> bounds(final int from, final int to)
    {
        return IntStream.range(from, to).mapToObj(TimeBuckets::boundNs).toList();
    }
}
