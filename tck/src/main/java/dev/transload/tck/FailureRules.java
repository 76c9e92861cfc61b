/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.PeerFailedException;
import org.junit.jupiter.api.Assumptions;

/** Rules FAIL: peers that die, and peers that only sleep. */
interface FailureRules extends ConformanceCase
{
    @Rule("FAIL-1")
    default void fail1ChannelsToADeadPeerFailAndNameIt()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            lane.flush();
            assertNull(lane.channel.failure());
            kill(world, 1);
            awaitFailure(world, lane);
            assertEquals(1, assertInstanceOf(PeerFailedException.class, lane.channel.failure()).peer());
        });
    }

    @Rule("FAIL-2")
    default void fail2ChannelsToOtherPeersGoOn()
    {
        in(3, (world) ->
        {
            final Lane dying = world.lane(0, 1, MemoryKind.HOST);
            final Lane living = world.lane(0, 2, MemoryKind.HOST);
            kill(world, 1);
            awaitFailure(world, dying);
            world.fixture().idle();
            living.add(0, 3);
            living.flush();
            living.awaitSignal(0, 3);
            assertNull(living.channel.failure(), "the channel to a living peer failed");
        });
    }

    @Rule("FAIL-3")
    default void fail3FailureIsTerminalAndNothingThrows()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            lane.flush();
            kill(world, 1);
            awaitFailure(world, lane);
            final long position = lane.channel.position();
            final int unit = world.aligned(8);
            for (int i = 0; i < 100; i++)
            {
                world.move();
                assertEquals(Channel.FAILED, lane.channel.put(lane.source, 0, lane.remote, 0, unit));
                assertEquals(Channel.FAILED, lane.channel.put(lane.source, Lane.BYTES, lane.remote, 0, unit),
                    "a put from outside its region, on a failed channel");
                assertEquals(Channel.FAILED, lane.channel.load(lane.remote, 0, lane.source, 0, unit));
                assertEquals(Channel.FAILED, lane.channel.load(lane.remote, -unit, lane.source, 0, unit),
                    "a load from outside its region, on a failed channel");
                assertEquals(Channel.FAILED, lane.channel.atomicAdd(lane.remoteSignals, 0, 1));
                assertEquals(Channel.FAILED, lane.channel.atomicAdd(lane.remoteSignals, Lane.SIGNALS, 0),
                    "an add that is none to a signal that is none, on a failed channel");
                assertEquals(Channel.FAILED, lane.channel.fence());
                assertEquals(Channel.FAILED, lane.channel.flush());
                assertEquals(position, lane.channel.position(), "position of a failed channel");
                assertTrue(lane.channel.isConnected(), "isConnected went back");
            }
        });
    }

    @Rule("FAIL-4")
    default void fail4AnIdlePeerIsNotDead()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            lane.flush();
            world.fixture().idle();
            lane.add(0, 1);
            lane.flush();
            lane.awaitSignal(0, 1);
            assertNull(lane.channel.failure(), "idling was taken for death");
        });
    }

    private static void kill(final World world, final int rank)
    {
        Assumptions.assumeTrue(world.fixture().kill(rank), "the fixture cannot kill a rank");
        world.forget(rank);
    }

    private static void awaitFailure(final World world, final Lane lane)
    {
        final long[] status = new long[1];
        world.await(() -> "the channel of rank " + lane.from + " to dead rank " + lane.to +
            " to fail: expected status FAILED, seen " + status[0], () ->
        {
            status[0] = lane.channel.fence();
            return Channel.FAILED == status[0];
        });
    }
}
