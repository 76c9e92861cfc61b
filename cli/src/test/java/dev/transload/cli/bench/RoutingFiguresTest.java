/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.input.RunInput;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.ReferenceWorld;
import dev.transload.reference.Routing;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two nodes of two ranks, two experts on each. */
class RoutingFiguresTest
{
    /** Rank 0: both experts of rank 1; one of ranks 0 and 3. Rank 2: one of rank 0. */
    private static RoutingFigures figures()
    {
        final Routing none = new Routing(0, 2, new long[0], new float[0]);
        final RunInput input = new RunInput(new ReferenceWorld(List.of(2, 2), 8, List.of(
            new Routing(2, 2, new long[]{ 2, 3, 1, 6 }, new float[4]), none,
            new Routing(1, 2, new long[]{ 0, -1 }, new float[2]), none)), 8, 2, 256, false, null, "");
        return RoutingFigures.of(input, WorldConfig.of(2, 2));
    }

    @Test
    void shouldCountARowForEachRankOfATokenAndAChoiceForEachExpert()
    {
        final RoutingFigures figures = figures();
        assertEquals(3, figures.tokens());
        assertArrayEquals(new long[]{ 1, 1, 1, 1, 0, 0, 1, 0 }, figures.expertLoads());
        assertArrayEquals(new long[]{ 2, 2, 0, 1 }, figures.rankAssignments());
        assertArrayEquals(new long[]{ 2, 1, 0, 1 }, figures.rankCopies());
        assertEquals(5, figures.assignments());
        assertEquals(4, figures.copies());
    }

    @Test
    void shouldTellWhichRowsStay()
    {
        final RoutingFigures figures = figures();
        // Rank 0's own; rank 1 beside it. Ranks 3 and 0 are of the other node than the token's.
        assertEquals(1, figures.localCopies());
        assertEquals(2, figures.nodeCopies());
    }

    @Test
    void shouldTellHowManyRanksATokenHas()
    {
        final RoutingFigures figures = figures();
        assertArrayEquals(new long[]{ 0, 2, 1, 0, 0 }, figures.fanouts());
        assertEquals(1, figures.leastFanout());
        assertEquals(2, figures.mostFanout());
    }

    @Test
    void shouldTakeTheDeviationOverTheMean()
    {
        assertEquals(0.5, RoutingFigures.variation(1, 3));
        assertEquals(0, RoutingFigures.variation(4, 4, 4));
        assertEquals(0, RoutingFigures.variation(0, 0));
    }
}
