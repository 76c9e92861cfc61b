/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.BadInputException;
import dev.transload.kernels.StepShape;
import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousListener;
import dev.transload.spi.Channel;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rank that dies, is late or unwanted: calls go on without it. */
class RankMaskTest
{
    private static final int LOST = 2;

    @Test
    void shouldWaitOnceForARankThatIsLate()
    {
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(1)))
        {
            world.unwell(LOST);
            waitOnce(world, "its tokens did not come in time");
            assertTrue(world.engines.get(0).statistics().waitNsPerRank()[LOST] >= world.scenario.timeoutNs);
        }
    }

    @Test
    void shouldWaitOnceForARankThatTakesNothing()
    {
        final Scenario scenario = Scenario.ofFour(1);
        scenario.isFar = true;
        try (SteppingWorld world = new SteppingWorld(scenario))
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
        final Scenario scenario = Scenario.ofFour(seed);
        scenario.isFar = 0 == seed % 2;
        try (SteppingWorld world = new SteppingWorld(scenario))
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
                waited >= StepShape.LONGEST_WAIT - 1 && waited <= StepShape.LONGEST_WAIT,
                () -> "waited " + waited + " time-outs");
        }
    }

    @Test
    void shouldMaskARankThatTheRendezvousLostWithoutWaiting() throws InterruptedException
    {
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(2)))
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
            public void onMemberLost(final Member member, final Loss loss, final String reason)
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
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(3)))
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
        final Scenario scenario = Scenario.ofFour(4);
        scenario.calls = 1;
        try (SteppingWorld world = new SteppingWorld(scenario))
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

    @Test
    void shouldCloseNoChannelAmidAStep()
    {
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(13)))
        {
            world.unwell(LOST);
            final RankScript waiting = world.scripts.get(0).calls(0, 1);
            world.await(() -> Exchange.Phase.RECEIVING == world.parts.get(0).exchange(1).phase());
            final Channel channel = world.parts.get(0).link(LOST).channel(0);
            world.parts.get(0).mask().mask(LOST, "a test");
            world.pump(100);
            assertFalse(waiting.isDone());
            assertFalse(world.engines.get(0).isActive(LOST));
            assertNotEquals(Channel.CLOSED, channel.flush(), "others have not arrived");

            world.scripts.get(1).calls(0, 1);
            world.scripts.get(3).calls(0, 1);
            world.await(world::isDone);
            assertEquals(Channel.CLOSED, channel.flush());
        }
    }

    @Test
    void shouldCloseChannelsAtOnceBetweenCalls()
    {
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(14)))
        {
            final Channel channel = world.parts.get(0).link(LOST).channel(0);
            world.engines.get(0).mask(LOST);
            assertEquals(Channel.CLOSED, channel.flush());
            assertThrows(BadInputException.class, () -> world.engines.get(0).mask(4));
        }
    }
}
