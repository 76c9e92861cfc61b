/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SamplePlanTest
{
    private static final long COLD = 20;

    @ParameterizedTest
    @CsvSource({ "100", "2" })
    void shouldVerifyTheFirstFourAndEveryFifthWhereThatIsAQuarterOfTheRunOrLess(final long exchangeNs)
    {
        assertEquals(List.of(0), verified(new SamplePlan(1, false), 1, 1, exchangeNs, 1));
        assertEquals(List.of(0, 1, 2, 3, 4), verified(new SamplePlan(5, false), 5, 1, exchangeNs, 1));
        assertEquals(List.of(0, 1, 2, 3, 8, 13, 18, 19), verified(new SamplePlan(20, false), 20, 1, exchangeNs, 1));
    }

    /** A verified iteration and the next are not timed. */
    @Test
    void shouldLeaveHalfOfTheIterationsToBeTimed()
    {
        for (int all = 30; all < 60; all++)
        {
            final int verified = verified(new SamplePlan(all, false), all, 1, 100, 1).size();
            assertTrue(4 * verified <= 2 * all, verified + " of " + all);
        }
    }

    @Test
    void shouldVerifyEveryIterationWhereThatIsAskedFor()
    {
        assertEquals(300, verified(new SamplePlan(300, true), 300, 1000, 1, 1).size());
    }

    /** Also where the first verifications take much longer than the others, as in a cold JVM. */
    @ParameterizedTest
    @CsvSource({ "600, 400, 1", "3000, 100, 1", "3000, 4000, 1", "3000, 4000, 20", "30000, 100000, 20" })
    void shouldVerifyAnEvenSampleThatTakesATenthOfTheRunOrMore(
        final int all, final long verifyNs, final long cold)
    {
        final long exchangeNs = 100;
        final List<Integer> sample = verified(new SamplePlan(all, false), all, verifyNs, exchangeNs, cold);

        assertEquals(0, sample.get(0));
        assertEquals(all - 1, sample.get(sample.size() - 1));
        assertTrue(sample.size() < all, sample.size() + " of " + all);
        final long verifying = sample.size() * verifyNs;
        assertTrue(10 * verifying >= verifying + all * exchangeNs, sample.size() + " of " + all);
        for (int i = 2; i < sample.size(); i++)
        {
            final int gap = sample.get(i) - sample.get(i - 1);
            assertTrue(gap <= Math.max(5, 4 * (sample.get(i - 1) - sample.get(i - 2))), "gap of " + gap);
            assertTrue(gap <= Math.max(5, 3 * verifyNs / exchangeNs), "gap of " + gap);
        }
    }

    /** What is verified where a verification and an exchange take so long, the first ones so many times that. */
    private static List<Integer> verified(
        final SamplePlan plan, final int all, final long verifyNs, final long exchangeNs, final long cold)
    {
        final List<Integer> verified = new ArrayList<>();
        for (int iteration = 0; iteration < all; iteration++)
        {
            if (plan.isNext(iteration))
            {
                verified.add(iteration);
                if (plan.verified(verifyNs * (iteration < COLD ? cold : 1)))
                {
                    plan.agree(iteration, plan.leastNs(), exchangeNs);
                }
            }
        }

        return verified;
    }
}
