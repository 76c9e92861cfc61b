/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.util.function.Consumer;

/** What tests of step rules share: worlds of few ranks, time and again, whose order of events differs. */
interface StepCase
{
    /** Worlds that a test tries, unless {@link #rounds()} says otherwise. */
    int ROUNDS = 40;

    /**
     * Worlds that a test tries.
     *
     * @return count, fewer where time is not the kit's.
     */
    default int rounds()
    {
        return ROUNDS;
    }

    /**
     * A fresh fixture.
     *
     * @param ranks of the world.
     * @return fixture.
     */
    StepsFixture fixture(int ranks);

    /**
     * Runs a test in worlds of busy ranks: tokens select experts of all ranks.
     *
     * @param ranks of each world.
     * @param test  to run.
     */
    default void inWorlds(final int ranks, final Consumer<StepWorld> test)
    {
        inWorlds(ranks, 4, test);
    }

    /**
     * Runs a test in such worlds.
     *
     * @param ranks     of each world.
     * @param maxTokens of each rank.
     * @param test      to run.
     */
    default void inWorlds(final int ranks, final int maxTokens, final Consumer<StepWorld> test)
    {
        inWorlds(ranks, maxTokens, false, test);
    }

    /**
     * Runs a test in such worlds, where all ranks are near each other, or all are far.
     *
     * @param ranks     of each world.
     * @param maxTokens of each rank.
     * @param isFar     whether rows and answers travel by posts.
     * @param test      to run.
     */
    default void inWorlds(final int ranks, final int maxTokens, final boolean isFar, final Consumer<StepWorld> test)
    {
        for (int round = 0; round < rounds(); round++)
        {
            final StepScenario scenario = new StepScenario(round + 1L);
            scenario.ranks = ranks;
            scenario.maxTokens = maxTokens;
            scenario.experts = 2 * ranks;
            scenario.maxExperts = 2 * ranks + 1;
            scenario.topk = 3;
            scenario.hidden = 256;
            scenario.maxHidden = 256;
            scenario.missing = 0;
            scenario.blocks = 1 + round % 4;
            for (int pair = 0; pair < ranks * ranks; pair++)
            {
                scenario.far.set(pair, isFar && pair / ranks != pair % ranks);
            }

            try (StepWorld world = new StepWorld(fixture(ranks), scenario))
            {
                test.accept(world);
            }
            catch (final AssertionError ex)
            {
                throw new AssertionError(scenario + ": " + ex.getMessage(), ex);
            }
        }
    }
}
