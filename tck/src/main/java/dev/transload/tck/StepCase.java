/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import java.util.function.Predicate;

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
        inWorlds(ranks, maxTokens, isFar, 1, (world) ->
        {
            test.accept(world);
            return true;
        });
    }

    /**
     * Runs a test that depends on time in such worlds, each again where the machine was too busy for it.
     *
     * @param ranks     of each world.
     * @param maxTokens of each rank.
     * @param isFar     whether rows and answers travel by posts.
     * @param attempts  at each world.
     * @param test      to run; false where time was up before it could look.
     */
    default void inWorlds(
        final int ranks, final int maxTokens, final boolean isFar, final int attempts, final Predicate<StepWorld> test)
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

            boolean isShown = false;
            for (int attempt = 0; attempt < attempts && !isShown; attempt++)
            {
                isShown = isShownIn(scenario, test);
            }

            assertTrue(isShown, () -> scenario + ": time was up " + attempts + " times before the test could look");
        }
    }

    private boolean isShownIn(final StepScenario scenario, final Predicate<StepWorld> test)
    {
        try (StepWorld world = new StepWorld(fixture(scenario.ranks), scenario))
        {
            return test.test(world);
        }
        catch (final AssertionError ex)
        {
            throw new AssertionError(scenario + ": " + ex.getMessage(), ex);
        }
    }
}
