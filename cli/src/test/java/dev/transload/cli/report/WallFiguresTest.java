/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class WallFiguresTest
{
    @Test
    void shouldNotCountTheWaitingOfARankThatIsAheadTwice()
    {
        // By turns, one rank begins early and waits; together they need 40 us for two iterations.
        final long[] one = { 9_000_000, 10_000, 30_000, 10_000, 30_000, 9_000_000 };
        final long[] other = { 9_000_000, 30_000, 10_000, 30_000, 10_000, 9_000_000 };

        assertEquals(new WallFigures(2, 20.0, 20.0, 20.0), WallFigures.of(List.of(one, other), new BitSet()));
    }

    @Test
    void shouldCountTheSecondHalfButTheLastIterationInTenParts()
    {
        final long[] laps = LongStream.rangeClosed(1, 200).map((i) -> 1000 * i).toArray();

        // 101 to 199 us; the first part has 9 of them, the last one 10.
        assertEquals(new WallFigures(99, 150.0, 105.0, 194.5), WallFigures.of(List.of(laps), new BitSet()));
    }

    @Test
    void shouldTakeTheSlowestRank()
    {
        final long[] fast = { 1, 1, 1, 20_000, 1 };
        final long[] slow = { 1, 1, 1, 40_000, 1 };

        assertEquals(20.0005, WallFigures.of(List.of(slow, fast), new BitSet()).meanMicros(), 1e-9);
    }

    @Test
    void shouldCountTheLastIterationWhereThereIsNoOther()
    {
        final BitSet all = BitSet.valueOf(new long[]{ 3 });
        assertEquals(new WallFigures(1, 7.0, 7.0, 7.0), WallFigures.of(List.of(new long[]{ 7000 }), all));
        assertEquals(new WallFigures(1, 8.0, 8.0, 8.0), WallFigures.of(List.of(new long[]{ 7000, 8000 }), all));
    }

    @Test
    void shouldLeaveInterruptedIterationsOutUnlessTheyAreMoreThanHalf()
    {
        final List<long[]> laps = List.of(new long[]{ 1, 1, 1, 1, 1, 10_000, 90_000, 20_000, 90_000, 1 });
        final BitSet interrupted = new BitSet();
        interrupted.set(0, 5);
        interrupted.set(6);
        interrupted.set(8);
        assertEquals(new WallFigures(2, 15.0, 15.0, 15.0), WallFigures.of(laps, interrupted));

        interrupted.set(7);
        assertEquals(new WallFigures(4, 52.5, 52.5, 52.5), WallFigures.of(laps, interrupted));
    }
}
