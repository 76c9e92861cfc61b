/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.RowList;
import dev.transload.spi.Transport;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;

/** Rules CON: how ranks get to each other. */
interface ConnectionRules extends ConformanceCase
{
    /** Most bytes of what peers exchange to know each other. */
    int PEER_INFO_LIMIT = 1024;

    /** Most bytes of a worker's address. */
    int ADDRESS_LIMIT = 4096;

    /** Looks at a channel that must not connect. */
    int LOOKS = 2000;

    /** How often kernels may end before a channel that does not wait for them is done. */
    int HELD_ROUNDS = 15;

    /** Copies of kernels that a channel waits for. */
    int HELD_COPIES = 64;

    /** Rounds in which it is seen how long a channel takes that waits for nothing. */
    int FREE_ROUNDS = 10;

    /** By how much longer kernels must be busy for a verdict. */
    int HELD_FACTOR = 2;

    /** How often a channel may refuse to wait for kernels before it counts as one that cannot. */
    int CHAIN_TRIES = 50;

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

    @Rule("CON-6")
    default void con6AChannelThatWaitsForKernelsHoldsUpNoOther()
    {
        in(2, (world) ->
        {
            boolean isTested = false;
            for (final MemoryKind kind : world.kinds())
            {
                final RowKernels kernels = world.kernels(kind, 0);
                if (null != kernels)
                {
                    isTested = true;
                    assertOverlap(world, kind, kernels);
                }
            }

            Assumptions.assumeTrue(isTested, "the fixture has no kernels");
        });
    }

    /**
     * Kernels are busy for as long as they like. So the verdict needs that in most rounds they were busy for longer
     * than a channel takes that waits for nothing.
     */
    private static void assertOverlap(final World world, final MemoryKind kind, final RowKernels kernels)
    {
        final Lane held = world.lane(0, 1, kind);
        final Lane free = world.lane(0, 1, kind);
        final RowList rows = kernels.allocateRows(1).rowLength(Lane.BYTES / 2);
        rows.set(0, 0, Lane.BYTES / 2);
        int freeLooks = 0;
        for (int round = 1; round <= FREE_ROUNDS; round++)
        {
            freeLooks = Math.max(freeLooks, looksUntilSeen(free, round, () -> true));
        }

        final int[] heldLooks = new int[HELD_ROUNDS];
        boolean isOverlapped = false;
        for (int round = 1; round <= HELD_ROUNDS && !isOverlapped; round++)
        {
            long last = 0;
            for (int i = 0; i < HELD_COPIES; i++)
            {
                last = world.submit("copy", () -> kernels.copyRows(held.source, held.source, rows, 0, 1));
            }

            final long position = last;
            if (isChained(held, kernels, position))
            {
                held.put(Lane.BYTES / 2, 0, Lane.BYTES / 2);
            }

            held.signal(0, 1);
            heldLooks[round - 1] =
                looksUntilSeen(free, FREE_ROUNDS + round, () -> kernels.completedPosition() < position);
            isOverlapped = kernels.completedPosition() < position;
            held.awaitSignal(0, round);
            world.await(() -> "kernels of " + kind + ": expected position " + position + ", seen " +
                kernels.completedPosition(), () -> kernels.completedPosition() >= position);
        }

        Arrays.sort(heldLooks);
        final int median = heldLooks[HELD_ROUNDS / 2];
        Assumptions.assumeTrue(isOverlapped || median > HELD_FACTOR * Math.max(1, freeLooks),
            "kernels are busy for less time than a channel takes");
        assertTrue(isOverlapped, "in none of " + HELD_ROUNDS + " rounds was a " + free +
            " done before the kernels that another one waits for: they were busy for " + median +
            " looks, and without them it takes " + freeLooks);
    }

    /** Puts and signals; how many looks saw neither the signal nor the end of a condition. */
    private static int looksUntilSeen(final Lane lane, final int round, final BooleanSupplier condition)
    {
        final int[] looks = new int[1];
        final byte[] sent = Lane.pattern(Lane.BYTES / 2, round);
        lane.fill(sent);
        lane.put(0, 0, sent.length);
        lane.signal(0, 1);
        lane.world.await(() -> "signal " + round + " of " + lane, () ->
        {
            final boolean isSeen = lane.signals.getAcquire(0) >= round;
            looks[0] += !isSeen && condition.getAsBoolean() ? 1 : 0;
            return isSeen;
        });
        assertArrayEquals(sent, lane.acquired(sent.length), "round " + round + " of " + lane);
        return looks[0];
    }

    /** A transport that cannot chain to kernels lets its caller wait; the caller then has nothing to send. */
    private static boolean isChained(final Lane lane, final RowKernels kernels, final long position)
    {
        for (int i = 0; i < CHAIN_TRIES; i++)
        {
            if (lane.channel.startAfter(kernels, position) >= 0)
            {
                return true;
            }
        }

        return false;
    }

    private static void assertOpaque(final String what, final ByteBuffer bytes, final int limit)
    {
        assertTrue(bytes.isReadOnly(), what + " can be written to");
        assertTrue(bytes.hasRemaining() && bytes.remaining() <= limit,
            what + " has " + bytes.remaining() + " bytes, must have 1 to " + limit);
    }
}
