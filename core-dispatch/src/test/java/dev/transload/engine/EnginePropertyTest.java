/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import org.junit.jupiter.api.Test;

/**
 * Whole worlds against the brute-force reference, on the transport that delays and reorders all that the rules allow.
 * {@code -Dtransload.seeds=N} runs more seeds, {@code -Dtransload.first-seed=S} begins at another one.
 */
class EnginePropertyTest
{
    private static final int SEEDS = Integer.getInteger("transload.seeds", 600);
    private static final long FIRST_SEED = Long.getLong("transload.first-seed", 1);

    @Test
    void shouldAgreeWithTheReferenceOnHostMemory()
    {
        run(MemoryKind.HOST);
    }

    @Test
    void shouldAgreeWithTheReferenceOnMemoryThatTheJvmCannotSee()
    {
        run(SteppingOptions.OPAQUE);
    }

    private static void run(final MemoryKind kind)
    {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
        {
            final Scenario scenario = Scenario.random(seed, kind);
            try (SteppingWorld world = new SteppingWorld(scenario))
            {
                world.runAndVerifyAll();
            }
            catch (final RuntimeException | Error ex)
            {
                throw new AssertionError(scenario + ": " + ex, ex);
            }
        }
    }
}
