/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.StepCoverage;
import dev.transload.tck.StepWorld;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Worlds of steps by this package's thread against brute force, with ranks that stop between two primitives, for a
 * while or for good. {@code -Dtest.seeds=N} runs more of them, {@code -Dtest.first-seed=S} begins at another seed.
 */
class ListedStepsPropertyTest
{
    /** Enough worlds to meet everything; fewer repeat a failure. */
    private static final long SEEDS_TO_MEET_ALL = 300;
    private static final long SEEDS = Long.getLong("test.seeds", 300);
    private static final long FIRST_SEED = Long.getLong("test.first-seed", 1);

    @Test
    void shouldAgreeWithBruteForceOnHostMemory()
    {
        runAll(MemoryKind.HOST);
    }

    @Test
    void shouldAgreeWithBruteForceOnMemoryThatTheJvmCannotSee()
    {
        runAll(SteppingOptions.OPAQUE);
    }

    /** One world, as mutants of the engine are run in it, too. */
    static void runOnHost(final long seed)
    {
        run(seed, MemoryKind.HOST, new StepCoverage());
    }

    static void runOnDevice(final long seed)
    {
        run(seed, SteppingOptions.OPAQUE, new StepCoverage());
    }

    private static void run(final long seed, final MemoryKind kind, final StepCoverage coverage)
    {
        StepWorld.run(seed, (ranks) -> new ListedFixture(seed, ranks, kind), coverage);
    }

    private static void runAll(final MemoryKind kind)
    {
        final StepCoverage coverage = new StepCoverage();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
        {
            try
            {
                run(seed, kind, coverage);
            }
            catch (final RuntimeException | Error ex)
            {
                throw new AssertionError("seed " + seed + ": " + ex, ex);
            }
        }

        if (SEEDS >= SEEDS_TO_MEET_ALL)
        {
            assertEquals(Set.of(), coverage.lessOftenThan(SEEDS / SEEDS_TO_MEET_ALL), coverage::toString);
        }
    }
}
