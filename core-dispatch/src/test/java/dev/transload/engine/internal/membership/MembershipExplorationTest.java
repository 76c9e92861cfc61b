/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.internal.membership.Exploration.Bounds;
import dev.transload.engine.internal.membership.Exploration.Result;
import dev.transload.gate.Thorough;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** The protocol keeps its promises in all states that small worlds can come to. */
class MembershipExplorationTest
{
    @Test
    void shouldAgreeInAPair()
    {
        explore("2 ranks, any cut, a death, a false alarm, a return", 2, cuts(2), new Bounds(1, 1, 1, 0, false));
    }

    @Test
    void shouldAgreeWhereThreeRanksDie()
    {
        explore("3 ranks, two deaths, a false alarm", 3, none(), new Bounds(2, 1, 0, 0, false));
    }

    @Test
    void shouldAgreeWhereLinksOfThreeRanksAreCut()
    {
        explore("3 ranks, any cut", 3, cuts(3), new Bounds(0, 0, 0, 0, false));
    }

    @Test
    void shouldAgreeWhereLinksOfThreeRanksAreCutAndOneDies()
    {
        explore("3 ranks, any cut, a death", 3, cuts(3), new Bounds(1, 0, 0, 0, false));
        explore("3 ranks, two parts, a death that all are told of", 3, parts(3), new Bounds(1, 0, 0, 0, true));
    }

    @Test
    void shouldReadmitAtACallThatNobodyHasBegun()
    {
        explore("3 ranks, a death, a return, a call", 3, none(), new Bounds(1, 0, 1, 1, false));
    }

    @Test
    void shouldReadmitWhereTwoRanksDie()
    {
        explore("3 ranks, two deaths, a return", 3, none(), new Bounds(2, 0, 1, 0, false));
    }

    @Test
    void shouldAgreeWhereFourRanksDie()
    {
        explore("4 ranks, two deaths", 4, none(), new Bounds(2, 0, 0, 0, false));
    }

    @Test
    void shouldAgreeWhereFourRanksAreHalved()
    {
        final List<boolean[][]> halves = Collections.singletonList(cut(4, (x, y) -> x / 2 != y / 2));
        explore("4 ranks, halves", 4, halves, new Bounds(0, 0, 0, 0, false));
    }

    /** Two ranks propose, each without the other: votes of one are asked for when the other view is decided. */
    @Test
    @Thorough("MembershipTest takes one way to such an end; 700,000 states")
    void shouldHaveOneViewOfAnEpochWhereTwoRanksPropose()
    {
        final Exploration exploration =
            new Exploration(3, null, new Bounds(0, 2, 0, 0, false)).alarmed(0, 1).alarmed(1, 0);
        System.out.println("membership: 3 ranks, two suspect each other, two more false alarms: " + exploration.run());
    }

    @Test
    @Thorough("smaller bounds and worlds are explored in the gate")
    void shouldAgreeWithinLargerBounds()
    {
        explore("3 ranks, any cut, two deaths that all are told of", 3, cuts(3), new Bounds(2, 0, 0, 0, true));
        explore("3 ranks, two deaths, two false alarms", 3, none(), new Bounds(2, 2, 0, 0, false));
        explore("4 ranks, any cut", 4, cuts(4), new Bounds(0, 0, 0, 0, false));
        explore("4 ranks, two deaths, a return", 4, none(), new Bounds(2, 0, 1, 0, false));
    }

    private static void explore(final String what, final int size, final List<boolean[][]> cuts, final Bounds bounds)
    {
        Result sum = new Result(0, 0, 0);
        final ThreadMXBean times = ManagementFactory.getThreadMXBean();
        final long beginNs = times.getCurrentThreadCpuTime();
        for (final boolean[][] cut : cuts)
        {
            sum = sum.plus(new Exploration(size, cut, bounds).run());
        }

        assertTrue(sum.ends() > 0);
        System.out.println("membership: " + what + ": " + sum + " in " +
            (times.getCurrentThreadCpuTime() - beginNs) / 1_000_000 + " ms of processor time");
    }

    private static List<boolean[][]> none()
    {
        final List<boolean[][]> none = new ArrayList<>();
        none.add(null);
        return none;
    }

    /** One link one way; all that a rank hears, or says; and the world in two parts. */
    private static List<boolean[][]> cuts(final int size)
    {
        final List<boolean[][]> cuts = new ArrayList<>();
        for (int one = 0; one < size; one++)
        {
            final int rank = one;
            for (int other = 0; other < size; other++)
            {
                final int to = other;
                if (one != other)
                {
                    cuts.add(cut(size, (x, y) -> x == rank && y == to));
                }
            }

            cuts.add(cut(size, (x, y) -> x == rank));
            cuts.add(cut(size, (x, y) -> y == rank));
        }

        cuts.addAll(parts(size));
        return cuts;
    }

    /** The world in two parts; that with rank 0 varies. */
    private static List<boolean[][]> parts(final int size)
    {
        final List<boolean[][]> cuts = new ArrayList<>();
        for (int half = 1; half < (1 << size) - 1; half += 2)
        {
            final int part = half;
            cuts.add(cut(size, (x, y) -> (part >> x & 1) != (part >> y & 1)));
        }

        return cuts;
    }

    private static boolean[][] cut(final int size, final BiPredicate<Integer, Integer> isCut)
    {
        final boolean[][] cut = new boolean[size][size];
        for (int from = 0; from < size; from++)
        {
            for (int to = 0; to < size; to++)
            {
                cut[from][to] = from != to && isCut.test(from, to);
            }
        }

        return cut;
    }
}
