/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Credit which the producer fetches: only when it needs more, and never more than there is. */
class PulledCreditTest
{
    private static final int SEEDS = 100;
    private static final int BATCH = 3;
    private static final long ROWS = 20 * BATCH;
    private static final int MAX_STEPS = 100_000;

    @Test
    void shouldStoreHeadsInBatches()
    {
        final PullRig rig = rig(BATCH);
        assertEquals(0, rig.back.report(2));
        assertFalse(rig.back.isDue(2));
        assertEquals(0, rig.stored());
        assertTrue(rig.back.isDue(3));
        assertEquals(1, rig.back.report(3));
        assertFalse(rig.back.isDue(3));
        assertEquals(3, rig.stored());
        assertEquals(0, rig.back.report(5));
        assertEquals(3, rig.stored());
        assertEquals(1, rig.back.report(9));
        assertEquals(9, rig.stored());
        assertEquals(0, rig.back.report(11));
        assertEquals(9, rig.stored());
    }

    @Test
    void shouldLoadOnlyWhenMoreIsNeeded()
    {
        final PullRig rig = rig(1);
        rig.back.report(5);
        assertEquals(0, rig.credit.head(0));
        assertEquals(0, rig.loads, "nothing was needed");
        assertEquals(0, rig.credit.head(3));
        assertEquals(0, rig.credit.head(4));
        assertEquals(1, rig.loads, "one load at a time");
        arrive(rig);
        assertEquals(5, rig.credit.head(3));
        assertEquals(5, rig.credit.head(5));
        assertEquals(1, rig.loads, "what is known suffices");
        rig.back.report(6);
        assertEquals(5, rig.credit.head(6));
        assertEquals(2, rig.loads);
        arrive(rig);
        assertEquals(6, rig.credit.head(6));
        assertEquals(2, rig.loads);
    }

    @Test
    void shouldLoadAgainWhenTheNewsAreNotEnough()
    {
        final PullRig rig = rig(1);
        rig.back.report(2);
        rig.credit.head(4);
        arrive(rig);
        assertEquals(2, rig.credit.head(4));
        assertEquals(2, rig.loads);
        rig.back.report(4);
        arrive(rig);
        rig.credit.head(4);
        arrive(rig);
        assertEquals(4, rig.credit.head(4));
    }

    @Test
    void shouldTakeALoadThatHasArrivedAtOnce()
    {
        final PullRig rig = rig(1);
        rig.isMapped = true;
        rig.back.report(4);
        assertEquals(4, rig.credit.head(1));
        rig.back.report(7);
        assertEquals(4, rig.credit.head(4));
        assertEquals(7, rig.credit.head(5));
        assertEquals(2, rig.loads);
    }

    @Test
    void shouldRetryALoadThatWasRefused()
    {
        final PullRig rig = rig(1);
        rig.back.report(4);
        rig.refusesLoads = true;
        assertEquals(0, rig.credit.head(1));
        arrive(rig);
        assertEquals(0, rig.credit.head(1));
        assertEquals(0, rig.flushes, "nothing was loaded");
        rig.refusesLoads = false;
        assertEquals(0, rig.credit.head(1));
        assertEquals(1, rig.loads);
        arrive(rig);
        assertEquals(4, rig.credit.head(1));
    }

    @Test
    void shouldRetryAFlushThatWasRefused()
    {
        final PullRig rig = rig(1);
        rig.back.report(4);
        rig.refusesFlushes = true;
        assertEquals(0, rig.credit.head(1));
        arrive(rig);
        assertEquals(0, rig.credit.head(1), "not delivered without a flush");
        assertEquals(1, rig.loads);
        rig.refusesFlushes = false;
        rig.credit.head(1);
        arrive(rig);
        assertEquals(4, rig.credit.head(1));
        assertEquals(1, rig.loads, "the load need not be repeated");
        assertEquals(1, rig.flushes, "one flush serves one load");
    }

    @Test
    void shouldNeverTellMoreThanWasStored()
    {
        for (long seed = 0; seed < SEEDS; seed++)
        {
            final Random random = new Random(seed);
            final SteppingFabric fabric =
                new SteppingFabric(seed, 2, SteppingOptions.host().autonomousTarget(0 == seed % 2));
            final PullRig rig = new PullRig(fabric.provider(), BATCH);
            long consumed = 0;
            long known = 0;
            int steps = 0;
            while (known < ROWS)
            {
                assertTrue(++steps < MAX_STEPS, "seed " + seed + ": head stays at " + known);
                consumed += consumed < ROWS && 0 == random.nextInt(8) ? 1 : 0;
                rig.back.report(consumed);
                final long head = rig.credit.head(known + 1);
                assertTrue(head <= rig.stored(), "seed " + seed + ": " + head + " of " + rig.stored());
                assertTrue(head >= known, "seed " + seed + ": " + head + " after " + known);
                known = head;
                fabric.step();
                rig.worker.progress();
                rig.peerWorker.progress();
            }

            assertEquals(ROWS, rig.stored());
        }
    }

    private static PullRig rig(final int batch)
    {
        return new PullRig(new LoopbackNetwork(0), batch);
    }

    private static void arrive(final PullRig rig)
    {
        rig.worker.progress();
    }
}
