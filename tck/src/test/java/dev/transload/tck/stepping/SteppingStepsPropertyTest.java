/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.StepCoverage;
import dev.transload.tck.StepWorld;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Worlds of stepping steps against brute force: words and pieces of rows come in any order that the rules allow, and
 * ranks stop anywhere. {@code -Dtest.seeds=N} runs more of them, {@code -Dtest.first-seed=S} begins at another seed.
 */
class SteppingStepsPropertyTest
{
    private static final long SEEDS = Long.getLong("test.seeds", 300);
    /** Enough worlds to meet everything a few times; fewer repeat a failure. */
    private static final long SEEDS_TO_MEET_ALL = 100;
    /** Steps of the stepping fabric reach near ranks only. */
    private static final Set<StepCoverage.Event> NEAR_ONLY =
        EnumSet.of(StepCoverage.Event.FAR_PAIR, StepCoverage.Event.PUSHED);
    private static final long FIRST_SEED = Long.getLong("test.first-seed", 1);

    @Test
    void shouldAgreeWithBruteForceOnHostMemory()
    {
        run(MemoryKind.HOST, SteppingOptions.host());
    }

    @Test
    void shouldAgreeWithBruteForceOnMemoryThatTheJvmCannotSee()
    {
        run(SteppingOptions.OPAQUE, SteppingOptions.opaque());
    }

    private static void run(final MemoryKind kind, final SteppingOptions options)
    {
        final StepCoverage coverage = new StepCoverage();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
        {
            final long of = seed;
            try
            {
                StepWorld.run(seed, (ranks) -> new SteppingStepsFixture(
                    new SteppingFabric(of, ranks, options), kind), coverage);
            }
            catch (final RuntimeException | Error ex)
            {
                throw new AssertionError("seed " + seed + ": " + ex, ex);
            }
        }

        if (SEEDS >= SEEDS_TO_MEET_ALL)
        {
            assertEquals(NEAR_ONLY, coverage.lessOftenThan(SEEDS / SEEDS_TO_MEET_ALL), coverage::toString);
        }
    }
}
