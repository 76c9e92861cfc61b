/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.Transport;
import java.nio.ByteBuffer;

/** Rules CON: how ranks get to each other. */
interface ConnectionRules extends ConformanceCase
{
    /** Most bytes of what peers exchange to know each other. */
    int PEER_INFO_LIMIT = 1024;

    /** Most bytes of a worker's address. */
    int ADDRESS_LIMIT = 4096;

    /** Looks at a channel that must not connect. */
    int LOOKS = 2000;

    @Rule("CON-1")
    default void con1PeerInfoIsSmallAndAnswersWhetherAPeerIsReached()
    {
        in(2, (world) ->
        {
            for (int rank = 0; rank < 2; rank++)
            {
                final Transport transport = world.transport(rank);
                final ByteBuffer info = world.transport(1 - rank).peerInfo();
                assertOpaque("peerInfo", info, PEER_INFO_LIMIT);
                final Reachability verdict = transport.canReach(1 - rank, info);
                assertTrue(verdict.reachable(), "rank " + rank + " does not reach " + (1 - rank));
                assertFalse(verdict.reason().isBlank(), "no reason given");
            }
        });
    }

    @Rule("CON-2")
    default void con2OperationsAreRefusedUntilTheHandshakeIsDone()
    {
        in(2, (world) ->
        {
            final ByteBuffer address = world.worker(1).address();
            assertOpaque("address", address, ADDRESS_LIMIT);
            final Channel channel = world.worker(0).connect(1, World.INCARNATION, address);
            world.await(() -> "a channel of rank 0 to 1 to connect", () ->
            {
                if (channel.isConnected())
                {
                    return true;
                }

                // A thread of the transport may finish the handshake between the calls; then isConnected() says so.
                final long status = channel.fence();
                if (Channel.NOT_CONNECTED == status)
                {
                    assertEquals(0, channel.position(), "position before the handshake is done");
                }
                else
                {
                    assertTrue(channel.isConnected(), "status before the handshake is done was " + status);
                }

                return false;
            });
            assertEquals(1, channel.peer());
            world.flush(channel);
        });
    }

    @Rule("CON-3")
    default void con3NoOtherLifeOfAPeerIsConnectedTo()
    {
        in(2, (world) ->
        {
            final Channel stranger =
                world.worker(0).connect(1, World.INCARNATION + 1, world.worker(1).address());
            final Channel meant = world.connect(0, 1);
            world.flush(meant);
            for (int i = 0; i < LOOKS; i++)
            {
                world.move();
                assertFalse(stranger.isConnected(), "connected to another incarnation");
                assertTrue(stranger.fence() < 0, "accepted an operation for another incarnation");
            }
        });
    }

    @Rule("CON-4")
    default void con4TheOwnRankIsAPeerLikeAnyOther()
    {
        forKinds(2, (world, kind) ->
        {
            final Lane lane = world.lane(0, 0, kind);
            final byte[] sent = Lane.pattern(Lane.BYTES, 1);
            lane.fill(sent);
            lane.put(0, 0, Lane.BYTES);
            lane.fence();
            lane.add(0, 1);
            lane.awaitSignal(0, 1);
            assertArrayEquals(sent, lane.acquired(Lane.BYTES), lane.toString());
        });
    }

    @Rule("CON-5")
    default void con5ChannelsToOnePeerAreIndependent()
    {
        in(2, (world) ->
        {
            final Lane one = world.lane(0, 1, MemoryKind.HOST);
            final Lane other = world.lane(0, 1, MemoryKind.HOST);
            assertNotSame(one.channel, other.channel);
            one.add(0, 1);
            assertEquals(1, one.channel.position());
            assertEquals(0, other.channel.position(), "one channel counts the operations of another");
            other.add(0, 2);
            one.awaitSignal(0, 1);
            other.awaitSignal(0, 2);
        });
    }

    private static void assertOpaque(final String what, final ByteBuffer bytes, final int limit)
    {
        assertTrue(bytes.isReadOnly(), what + " can be written to");
        assertTrue(bytes.hasRemaining() && bytes.remaining() <= limit,
            what + " has " + bytes.remaining() + " bytes, must have 1 to " + limit);
    }
}
