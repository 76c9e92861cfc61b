/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CallTimesTest
{
    @Test
    void shouldLeaveTheWarmupOut()
    {
        final CallTimes times = made(2, 3);

        assertEquals(5, times.made());
        assertEquals(5, times.all());
        assertArrayEquals(new long[]{ 12, 13, 14 }, times.dispatchNs());
        assertArrayEquals(new long[]{ 22, 23, 24 }, times.combineNs());
    }

    @Test
    void shouldMeasureLapsFromStartToStartAndTheLastOneToItsEnd()
    {
        assertArrayEquals(new long[]{ 1000, 1000, 700 }, made(2, 3).lapNs());
        assertArrayEquals(new long[]{ 1000, 700 }, made(0, 2).lapNs());
    }

    @Test
    void shouldNumberTheCallsThatCount()
    {
        final CallTimes times = new CallTimes(2, 2);
        for (final int expected : new int[]{ -1, -1, 0, 1, 2 })
        {
            assertEquals(expected, times.index());
            times.begin(0);
            if (expected < 2)
            {
                times.end(1, 1, 2);
            }
        }
    }

    @Test
    void shouldNameTheCountedCallBehindAnInterruption()
    {
        final CallTimes times = new CallTimes(1, 3);
        times.exclude(50);
        for (int call = 0; call < 4; call++)
        {
            times.begin(1000L * call);
            times.end(1, 1, 1000L * call + 700);
            if (1 == call || 3 == call)
            {
                times.exclude(50);
            }
        }

        assertArrayEquals(new int[]{ 1 }, times.interrupted(), "one before the warm-up, and one after the last call");
    }

    @Test
    void shouldGiveTheFirstCallsAlone()
    {
        final CallTimes times = made(1, 3);
        final CallTimes first = times.first(2);
        times.exclude(50);

        assertArrayEquals(new long[]{ 11, 12 }, first.dispatchNs());
        assertArrayEquals(new long[]{ 21, 22 }, first.combineNs());
        assertArrayEquals(new long[]{ 1000, 1000 }, first.lapNs());
    }

    /** Each call begins 1000 after the one before and ends 700 later. */
    private static CallTimes made(final int warmup, final int counted)
    {
        final CallTimes times = new CallTimes(warmup, counted);
        for (int call = 0; call < warmup + counted; call++)
        {
            times.begin(1000L * call);
            times.end(10 + call, 20 + call, 1000L * call + 700);
        }

        return times;
    }
}
