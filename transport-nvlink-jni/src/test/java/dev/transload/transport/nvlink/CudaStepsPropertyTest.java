/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.tck.StepWorld;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Worlds of steps by the kernels' host twins against the brute force that steps by a thread are held to, on the same
 * seeds. {@code -Dtest.seeds=N} runs N / 15 of them, since they take real time; {@code -Dtest.first-seed=S} begins at
 * another seed.
 */
class CudaStepsPropertyTest
{
    private static final long SEEDS = Math.max(1, Long.getLong("test.seeds", 300) / 15);
    private static final long FIRST_SEED = Long.getLong("test.first-seed", 1);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

    @Test
    void shouldAgreeWithBruteForce()
    {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
        {
            try
            {
                StepWorld.run(seed, (ranks) -> new CudaStepsFixture(ranks, TIMEOUT_NS));
            }
            catch (final RuntimeException | Error ex)
            {
                throw new AssertionError("seed " + seed + ": " + ex, ex);
            }
        }
    }
}
