/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class CallFiguresTest
{
    private static final long[] NS = { 1000, 9000, 2000, 3000, 8000 };

    @Test
    void shouldLeaveInterruptedIterationsOutOfTheFigures()
    {
        final CallFigures figures = CallFigures.of(NS, interrupted(1, 4), 10, 20);

        assertEquals(3, figures.counted());
        assertEquals(1.0, figures.minMicros());
        assertEquals(2.0, figures.medianMicros());
        assertEquals(3.0, figures.p99Micros());
        assertArrayEquals(NS, figures.slowestNs(), "no sample is lost");
    }

    @Test
    void shouldCountAllIterationsWhereMostAreInterrupted()
    {
        final CallFigures figures = CallFigures.of(NS, interrupted(0, 1, 4), 10, 20);

        assertEquals(5, figures.counted());
        assertEquals(9.0, figures.p99Micros());
    }

    private static BitSet interrupted(final int... iterations)
    {
        final BitSet set = new BitSet();
        for (final int iteration : iterations)
        {
            set.set(iteration);
        }

        return set;
    }
}
