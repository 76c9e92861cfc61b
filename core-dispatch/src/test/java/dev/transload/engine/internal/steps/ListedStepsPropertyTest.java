/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.StepWorld;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/**
 * Worlds of steps by this package's thread against brute force, with ranks that stop between two primitives, for a
 * while or for good. {@code -Dtest.seeds=N} runs more of them, {@code -Dtest.first-seed=S} begins at another seed.
 */
class ListedStepsPropertyTest
{
    private static final long SEEDS = Long.getLong("test.seeds", 300);
    private static final long FIRST_SEED = Long.getLong("test.first-seed", 1);

    @Test
    void shouldAgreeWithBruteForceOnHostMemory()
    {
        runAll(ListedStepsPropertyTest::runOnHost);
    }

    @Test
    void shouldAgreeWithBruteForceOnMemoryThatTheJvmCannotSee()
    {
        runAll(ListedStepsPropertyTest::runOnDevice);
    }

    /** One world, as mutants of the engine are run in it, too. */
    static void runOnHost(final long seed)
    {
        StepWorld.run(seed, (ranks) -> new ListedFixture(seed, ranks, MemoryKind.HOST));
    }

    static void runOnDevice(final long seed)
    {
        StepWorld.run(seed, (ranks) -> new ListedFixture(seed, ranks, SteppingOptions.OPAQUE));
    }

    private static void runAll(final LongConsumer test)
    {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
        {
            try
            {
                test.accept(seed);
            }
            catch (final RuntimeException | Error ex)
            {
                throw new AssertionError("seed " + seed + ": " + ex, ex);
            }
        }
    }
}
