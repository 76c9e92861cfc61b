/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.stepping.SteppingOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of dispatches that receive at once are packed by copies that wait on the device; scripts verify all. */
class GatedPackingTest
{
    private static final int LOST = 3;

    /** Four ranks; the first one's kernels are watched. */
    private static Scenario scenario(final long seed)
    {
        final Scenario scenario = Scenario.ofFour(seed);
        scenario.kind = SteppingOptions.OPAQUE;
        scenario.isFp8 = 0 == seed % 2;
        scenario.missing = 0;
        scenario.isAtOnce = true;
        scenario.isPatient = true;
        return scenario;
    }

    private static void run(final SteppingWorld world)
    {
        world.scripts.forEach((script) -> script.calls(0, world.scenario.calls));
        world.await(world::isDone);
    }

    /** Calls of rank 0 that say that they receive at once, as the script has it. */
    private static int callsAtOnce(final Scenario scenario)
    {
        return scenario.calls - (scenario.calls + 2) / 3;
    }

    /** Ranks open side by side, so that a seed alone does not say when rows come: what may happen is summed. */
    @Test
    void shouldSubmitOneCopyAheadOfTheRows()
    {
        int openings = 0;
        int submitted = 0;
        for (long seed = 61; seed < 77; seed++)
        {
            try (SteppingWorld world = SteppingWorld.faulty(scenario(seed)))
            {
                run(world);
                assertEquals(callsAtOnce(world.scenario), world.faulty.gates().submitted());
                assertEquals(0, world.faulty.gates().left());
                openings += world.faulty.gates().openings();
                submitted += world.faulty.gates().submitted();
            }
        }

        assertTrue(openings > submitted, "the rows of all ranks were there whenever they were submitted");
    }

    @ParameterizedTest
    @ValueSource(longs = {63, 64})
    void shouldPackWhatComesTooLateByItself(final long seed)
    {
        for (int late = 0; late < 4; late++)
        {
            final int first = late;
            try (SteppingWorld world = SteppingWorld.faulty(scenario(seed)))
            {
                world.faulty.openLate((opening) -> opening >= first);
                run(world);
                assertEquals(callsAtOnce(world.scenario), world.faulty.gates().submitted());
            }
        }
    }

    /** It may end in the very moment between two looks at it. */
    @ParameterizedTest
    @ValueSource(longs = {71, 72, 73, 74, 75, 76, 77, 78})
    void shouldNotTakeForPackedWhatWasOpenedTooLate(final long seed)
    {
        try (SteppingWorld world = SteppingWorld.faulty(scenario(seed)))
        {
            world.faulty.goOnBetweenLooks();
            world.faulty.openLate((opening) -> true);
            run(world);
            assertTrue(world.faulty.gates().submitted() > 0);
        }
    }

    @Test
    void shouldNotSubmitItWhereRowsAreReceivedLater()
    {
        final Scenario scenario = scenario(65);
        scenario.isAtOnce = false;
        try (SteppingWorld world = SteppingWorld.faulty(scenario))
        {
            run(world);
            assertEquals(0, world.faulty.gates().submitted());
        }
    }

    /** Its message has come, so that a copy waits for its rows, and would for ever. */
    @ParameterizedTest
    @ValueSource(longs = {67, 68})
    void shouldWaitNoLongerForRowsOfARankThatIsLost(final long seed)
    {
        try (SteppingWorld world = SteppingWorld.faulty(scenario(seed)))
        {
            world.unwell(LOST);
            world.scripts.forEach((script) -> script.calls(1, 2));
            world.await(() -> world.faulty.gates().submitted() > 0);
            world.kill(LOST);
            world.await(world::isDone);
            assertEquals(1, world.faulty.gates().submitted());
            assertTrue(world.faulty.gates().left() > 0);
            assertFalse(world.engines.get(0).isActive(LOST));
            assertEquals(0, world.scripts.get(0).countsFrom(LOST));
        }
    }
}
