/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.BadInputException;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rank that dies, is late or unwanted: calls go on without it, and it can come back. */
class RankMaskTest
{
    private static final int LOST = 2;

    private static Scenario scenario(final long seed)
    {
        final Scenario scenario = new Scenario(seed);
        scenario.ranksPerNode = 4;
        scenario.experts = 8;
        scenario.topk = 3;
        scenario.calls = 6;
        return scenario;
    }

    @Test
    void shouldWaitOnceForARankThatIsLate()
    {
        try (SteppingWorld world = new SteppingWorld(scenario(1)))
        {
            world.unwell(LOST);
            waitOnce(world, "its tokens did not come in time");
            assertTrue(world.engines.get(0).statistics().waitNsPerRank()[LOST] >= world.scenario.timeoutNs);
        }
    }

    @Test
    void shouldWaitOnceForARankThatTakesNothing()
    {
        try (SteppingWorld world = new SteppingWorld(scenario(1)))
        {
            world.pause(LOST);
            waitOnce(world, "it did not take what was sent to it in time");
        }
    }

    /** The lost rank makes no calls. */
    private static void waitOnce(final SteppingWorld world, final String reason)
    {
        callWithoutLost(world, 0, 1);
        final long waitedNs = world.nowNs();
        assertTrue(waitedNs >= world.scenario.timeoutNs, () -> "waited " + waitedNs + " ns");
        final int[] active = new int[4];
        assertEquals(3, world.engines.get(0).activeRanks(active));
        assertArrayEquals(new int[]{1, 1, 0, 1}, active);
        assertEquals(reason, world.engines.get(0).maskReason(LOST));
        assertNull(world.engines.get(0).maskReason(1));

        callWithoutLost(world, 1, 5);
        assertEquals(waitedNs, world.nowNs(), "later calls wait no more");
    }

    private static void callWithoutLost(final SteppingWorld world, final int from, final int to)
    {
        world.scripts.stream().filter((script) -> LOST != script.rank).forEach((script) -> script.calls(from, to));
        world.await(world::isDone);
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24, 25, 26, 27, 28})
    void shouldKeepARankThatWasHeldUpByAnother(final long seed)
    {
        try (SteppingWorld world = new SteppingWorld(scenario(seed)))
        {
            world.unwell(LOST);
            world.engines.get(LOST).mask(1);
            world.run();
            for (final int rank : new int[]{0, 1, 3})
            {
                assertEquals(1 == rank ? 3 : 4, world.engines.get(rank).activeRanks(new int[4]), "rank " + rank);
            }

            assertTrue(world.nowNs() < 2 * world.scenario.timeoutNs, () -> "waited " + world.nowNs() + " ns");
        }
    }

    @Test
    void shouldNotAwaitForeverARankThatWaitsItself()
    {
        final Scenario scenario = new Scenario(29);
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.unwell(0);
            world.unwell(1);
            scenario.overlap = 2;
            world.scripts.get(0).calls(0, 2);
            scenario.overlap = 0;
            world.scripts.get(1).calls(0, 2);
            world.await(world::isDone);
            assertTrue(world.engines.get(0).maskReason(1).contains("its tokens did not come in time"));
            assertTrue(world.engines.get(1).maskReason(0).contains("the answers of its experts did not come in time"));
            final long waited = world.nowNs() / scenario.timeoutNs;
            assertTrue(
                waited >= Patience.LONGEST - 1 && waited <= Patience.LONGEST, () -> "waited " + waited + " time-outs");
        }
    }

    @Test
    void shouldMaskARankThatTheRendezvousLostWithoutWaiting() throws InterruptedException
    {
        try (SteppingWorld world = new SteppingWorld(scenario(2)))
        {
            world.pause(LOST);
            final CountDownLatch heard = new CountDownLatch(3);
            world.rendezvous.stream().filter((each) -> LOST != each.rank()).forEach((each) -> each.listen(ear(heard)));
            world.rendezvous.get(LOST).lose("its process ended");
            assertTrue(heard.await(1, TimeUnit.MINUTES));
            world.scripts.forEach((script) -> script.calls(0, 3));
            world.await(world::isDone);
            assertEquals(0, world.nowNs());
            assertFalse(world.engines.get(3).isActive(LOST));
            assertTrue(world.engines.get(3).maskReason(LOST).contains("its process ended"));
        }
    }

    /** Hears after the engine, which listened first. */
    private static RendezvousListener ear(final CountDownLatch heard)
    {
        return new RendezvousListener()
        {
            @Override
            public void onMemberLost(final Member member, final String reason)
            {
                heard.countDown();
            }

            @Override
            public void onAnnouncement(final int rank, final ByteBuffer message)
            {
                throw new AssertionError("rank " + rank + " announced something");
            }
        };
    }

    @Test
    void shouldSayWhichAnswersAreLeftOut()
    {
        try (SteppingWorld world = new SteppingWorld(scenario(3)))
        {
            world.kill(LOST);
            world.run();
            long leftOut = 0;
            for (int call = 0; call < world.scenario.calls; call++)
            {
                for (final long expert : world.data[call].idx[0])
                {
                    leftOut += expert >= 0 && expert / 2 == LOST ? 1 : 0;
                }
            }

            assertTrue(leftOut > 0);
            assertEquals(leftOut, world.engines.get(0).statistics().leftOut());
        }
    }

    @Test
    void shouldWriteNothingToAMaskedRank()
    {
        try (SteppingWorld world = new SteppingWorld(scenario(4)))
        {
            world.unwell(LOST);
            world.engines.forEach((engine) ->
            {
                if (engine.world().rank() != LOST)
                {
                    engine.mask(LOST);
                }
            });

            world.run();
            assertEquals(0, world.scripts.get(LOST).countsFrom(0), "rows that rank 0 sent to the masked one");

            assertEquals(1, world.engines.get(LOST).activeRanks(new int[4]), "it hears of nobody");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6, 7, 8, 9, 10, 11, 12})
    void shouldTakeARankBackThatBothSidesClear(final long seed)
    {
        try (SteppingWorld world = new SteppingWorld(scenario(seed)))
        {
            for (int round = 0; round < 2; round++)
            {
                final int from = round * 5;
                world.scripts.forEach((script) -> script.calls(from, from + 4));
                world.pump((int)(20 * seed));
                world.pause(LOST);
                world.await(world::isDone);
                world.resume(LOST);
                world.await(world::isDone);
                clearAll(world);
                world.recover();
                world.scripts.forEach((script) -> script.calls(from + 4, from + 5));
                world.await(world::isDone);
                world.engines.forEach((engine) -> assertEquals(4, engine.activeRanks(new int[4])));
            }
        }
    }

    private static void clearAll(final SteppingWorld world)
    {
        for (final LowLatencyEngine engine : world.engines)
        {
            for (int rank = 0; rank < 4; rank++)
            {
                if (rank != engine.world().rank() && (LOST == rank || LOST == engine.world().rank()))
                {
                    engine.clear(rank);
                }
            }
        }
    }

    @Test
    void shouldRefuseToClearWhereItCannot()
    {
        try (SteppingWorld world = new SteppingWorld(scenario(13)))
        {
            final LowLatencyEngine engine = world.engines.get(0);
            assertThrows(BadInputException.class, () -> engine.clear(0));
            assertThrows(BadInputException.class, () -> engine.mask(4));
            for (int i = 1; i < Slots.GENERATIONS; i++)
            {
                engine.clear(1);
            }

            assertTrue(assertThrows(IllegalStateException.class, () -> engine.clear(1)).getMessage()
                .contains("15 times"));
            final RankTensors tensors = new RankTensors(world.scenario, engine, world.fabric);
            engine.calls().begin(tensors.dispatch(world.data[0]));
            assertTrue(assertThrows(IllegalStateException.class, () -> engine.clear(2)).getMessage()
                .contains("still alive"));
        }
    }
}
