/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.Worker;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SteppingFabricTest
{
    private static final int SEEDS = 200;
    private static final int ROWS = 16;
    private static final int ROW_LENGTH = 48;

    @Test
    void shouldShowRowsBeforeTheSignalBehindAFence()
    {
        for (final MemoryKind kind : new MemoryKind[] {MemoryKind.HOST, SteppingOptions.OPAQUE})
        {
            for (long seed = 0; seed < SEEDS; seed++)
            {
                final Duo duo = new Duo(seed, SteppingOptions.opaque().autonomousTarget(0 == seed % 2), kind);
                final byte[] sent = sendRows(duo, true);
                duo.await("signal", () -> duo.signals.getAcquire(0) == 1);
                duo.receiving.acquire(duo.target);
                assertArrayEquals(sent, duo.fabric.peek(duo.target, 0, ROWS * ROW_LENGTH), "seed " + seed);
            }
        }
    }

    @Test
    void shouldOvertakeRowsWithoutAFence()
    {
        int torn = 0;
        for (long seed = 0; seed < SEEDS; seed++)
        {
            final Duo duo = new Duo(seed, SteppingOptions.host(), MemoryKind.HOST);
            final byte[] sent = sendRows(duo, false);
            duo.await("signal", () -> duo.signals.getAcquire(0) == 1);
            torn += Arrays.equals(sent, duo.fabric.peek(duo.target, 0, ROWS * ROW_LENGTH)) ? 0 : 1;
        }

        assertTrue(torn > SEEDS / 4, "only " + torn + " of " + SEEDS + " seeds showed the missing fence");
    }

    @Test
    void shouldShowRowsBeforeTheSignalAndHoldNothingBackBehindIt()
    {
        int overtaken = 0;
        for (long seed = 0; seed < SEEDS; seed++)
        {
            final Duo duo = new Duo(seed, SteppingOptions.host().autonomousTarget(0 == seed % 2), MemoryKind.HOST);
            final byte[] sent = putRows(duo);
            duo.submit(() -> duo.channel.signal(duo.remoteSignals, 0, 1));
            duo.submit(() -> duo.channel.atomicAdd(duo.remoteSignals, 1, 1));
            duo.await("add behind the signal", () -> duo.signals.getAcquire(1) == 1);
            overtaken += duo.signals.getAcquire(0) == 0 ? 1 : 0;
            duo.await("signal", () -> duo.signals.getAcquire(0) == 1);
            assertArrayEquals(sent, duo.fabric.peek(duo.target, 0, ROWS * ROW_LENGTH), "seed " + seed);
        }

        assertTrue(overtaken > SEEDS / 4, "only in " + overtaken + " of " + SEEDS + " seeds did nothing wait");
    }

    @Test
    void shouldHideOpaqueMemoryUntilItIsAcquired()
    {
        int stale = 0;
        for (long seed = 0; seed < SEEDS; seed++)
        {
            final Duo duo = new Duo(seed, SteppingOptions.opaque(), SteppingOptions.OPAQUE);
            final byte[] sent = sendRows(duo, true);
            duo.await("signal", () -> duo.signals.getAcquire(0) == 1);
            stale += Arrays.equals(sent, duo.fabric.peek(duo.target, 0, ROWS * ROW_LENGTH)) ? 0 : 1;
        }

        assertTrue(stale > SEEDS / 2, "only " + stale + " of " + SEEDS + " seeds showed the missing acquire");
    }

    @Test
    void shouldRepeatARunFromItsSeed()
    {
        final long[] steps = new long[2];
        for (int run = 0; run < steps.length; run++)
        {
            final Duo duo = new Duo(42, SteppingOptions.host(), MemoryKind.HOST);
            sendRows(duo, true);
            while (duo.signals.getAcquire(0) == 0)
            {
                duo.move();
                steps[run]++;
            }
        }

        assertEquals(steps[0], steps[1]);
    }

    @Test
    void shouldFailChannelsToAKilledPeerAfterAWhile()
    {
        final Duo duo = new Duo(7, SteppingOptions.host(), MemoryKind.HOST);
        duo.await("connection", duo.channel::isConnected);
        duo.fabric.kill(1);
        assertTrue(duo.channel.fence() != Channel.FAILED, "noticed at once");
        duo.await("failure", () -> duo.channel.fence() == Channel.FAILED);
        assertEquals(1, assertInstanceOf(PeerFailedException.class, duo.channel.failure()).peer());
        assertTrue(duo.channel.isConnected());
    }

    @Test
    void shouldHoldBackWhatAPausedPeerIsSent()
    {
        final Duo duo = new Duo(8, SteppingOptions.host().aggressiveness(0), MemoryKind.HOST);
        duo.await("connection", duo.channel::isConnected);
        duo.fabric.pause(1);
        duo.submit(() -> duo.channel.atomicAdd(duo.remoteSignals, 0, 1));
        duo.fabric.steps(1000);
        assertEquals(0, duo.signals.getAcquire(0));
        duo.fabric.resume(1);
        duo.await("signal", () -> duo.signals.getAcquire(0) == 1);
    }

    @Test
    void shouldCatchASecondWriterOfASignal()
    {
        final Duo duo = new Duo(9, SteppingOptions.host(), MemoryKind.HOST);
        final Channel other = duo.sending.connect(1, 1, duo.receiving.address());
        duo.await("connections", () -> duo.channel.isConnected() && other.isConnected());
        duo.submit(() -> duo.channel.atomicAdd(duo.remoteSignals, 2, 1));
        assertThrows(IllegalStateException.class, () -> other.atomicAdd(duo.remoteSignals, 2, 1));
    }

    @Test
    void shouldCatchAnEntryChangedBeforeItsRelease()
    {
        final Duo duo = new Duo(10, SteppingOptions.host().aggressiveness(0), MemoryKind.HOST);
        duo.await("connection", duo.channel::isConnected);
        final RowList rows = duo.sender.allocateRows(1).rowLength(8);
        rows.set(0, 0, 8);
        assertEquals(1, duo.channel.putRows(duo.source, duo.remoteTarget, rows, 0, 1));
        rows.set(0, 8, 8);
        final IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> duo.fabric.steps(100));
        assertTrue(thrown.getMessage().contains("ROW-3"), thrown.getMessage());
    }

    @Test
    void shouldSendGarbageUnlessItStartsAfterTheKernels()
    {
        int spoiled = 0;
        for (long seed = 0; seed < SEEDS; seed++)
        {
            final byte[] expected = new byte[ROW_LENGTH];
            Arrays.fill(expected, (byte)7);
            assertArrayEquals(expected, sendKernelOutput(seed, true), "seed " + seed);
            spoiled += Arrays.equals(expected, sendKernelOutput(seed, false)) ? 0 : 1;
        }

        assertTrue(spoiled > SEEDS / 4, "only " + spoiled + " of " + SEEDS + " seeds showed the missing startAfter");
    }

    @Test
    void shouldNotLetTheJvmLookIntoOpaqueMemory()
    {
        final Duo duo = new Duo(11, SteppingOptions.opaque(), SteppingOptions.OPAQUE);
        assertThrows(UnsupportedOperationException.class, () -> duo.target.hostView(0, 8));
        assertFalse(duo.target.kind().isHost());
    }

    @Test
    void shouldForwardFromMemoryThatTwoNetworksShare()
    {
        for (long seed = 0; seed < SEEDS; seed++)
        {
            final Duo duo = new Duo(seed, SteppingOptions.opaque(), SteppingOptions.OPAQUE);
            final TransportProvider other = duo.fabric.provider("scale-up");
            final Transport forwarder = other.open(TransportConfig.builder().rank(1).worldSize(2).build());
            final Transport home = other.open(TransportConfig.builder().rank(0).worldSize(2).build());
            final Worker forwarding = forwarder.openWorker(0);
            final MemoryRegion ring = forwarder.register(
                SteppingOptions.OPAQUE, 0, duo.target.address(), duo.target.length(), Access.LOCAL);
            final MemoryRegion end = home.allocate(MemoryKind.HOST, 0, ROWS * ROW_LENGTH, Access.REMOTE);
            final RemoteRegion remoteEnd = forwarding.importRegion(0, end.descriptor());
            final Channel onward = forwarding.connect(0, 1, home.openWorker(0).address());

            final byte[] sent = sendRows(duo, true);
            duo.await("signal", () -> duo.signals.getAcquire(0) == 1);
            duo.receiving.acquire(duo.target);
            duo.submit(() ->
            {
                forwarding.progress();
                return onward.put(ring, 0, remoteEnd, 0, ROWS * ROW_LENGTH);
            });
            final long flushed = duo.submit(onward::flush);
            duo.await("delivery", () -> forwarding.progress() >= 0 && onward.deliveredPosition() >= flushed);
            assertArrayEquals(sent, duo.fabric.peek(end, 0, ROWS * ROW_LENGTH), "seed " + seed);
        }
    }

    @Test
    void shouldOfferOnANetworkTheKindsThatItWasGiven()
    {
        final SteppingFabric fabric = new SteppingFabric(1, 1, SteppingOptions.opaque());
        final SteppingProvider wire = fabric.provider("wire").kinds(Set.of(MemoryKind.HOST));
        final Transport transport = wire.open(TransportConfig.builder().rank(0).worldSize(1).build());
        assertEquals(Set.of(MemoryKind.HOST), transport.capabilities().kinds());
        assertThrows(IllegalArgumentException.class,
            () -> transport.allocate(SteppingOptions.OPAQUE, 0, ROW_LENGTH, Access.LOCAL));
        final MemoryRegion opaque = fabric.transport(0).allocate(SteppingOptions.OPAQUE, 0, ROW_LENGTH, Access.LOCAL);
        assertThrows(IllegalArgumentException.class, () -> transport.register(
            SteppingOptions.OPAQUE, 0, opaque.address(), ROW_LENGTH, Access.LOCAL));
        assertThrows(IllegalArgumentException.class, () -> wire.kinds(Set.of(SteppingOptions.OPAQUE)),
            "a transport is open");
        assertThrows(IllegalArgumentException.class,
            () -> fabric.provider("other").kinds(Set.of(MemoryKind.CUDA)), "the fabric has no such memory");
    }

    @Test
    void shouldNotConnectRanksThatANetworkDoesNotJoin()
    {
        final Duo duo = new Duo(12, SteppingOptions.host(), MemoryKind.HOST);
        final TransportProvider islands = duo.fabric.provider("islands", (from, to) -> from == to);
        final Transport one = islands.open(TransportConfig.builder().rank(0).worldSize(2).build());
        final Transport two = islands.open(TransportConfig.builder().rank(1).worldSize(2).build());
        assertFalse(one.canReach(1, two.peerInfo()).reachable());
        assertTrue(one.canReach(0, one.peerInfo()).reachable());
        final Channel channel = one.openWorker(0).connect(1, 1, two.openWorker(0).address());
        duo.await("failure", () -> channel.fence() == Channel.FAILED);
        assertFalse(channel.isConnected());
    }

    private static byte[] sendRows(final Duo duo, final boolean fenced)
    {
        final byte[] sent = putRows(duo);
        if (fenced)
        {
            duo.submit(duo.channel::fence);
        }

        duo.submit(() -> duo.channel.atomicAdd(duo.remoteSignals, 0, 1));
        return sent;
    }

    private static byte[] putRows(final Duo duo)
    {
        final byte[] sent = new byte[ROWS * ROW_LENGTH];
        for (int i = 0; i < sent.length; i++)
        {
            sent[i] = (byte)(i + 1);
        }

        duo.fabric.poke(duo.source, 0, sent);
        final RowList rows = duo.sender.allocateRows(ROWS).rowLength(ROW_LENGTH);
        for (int i = 0; i < ROWS; i++)
        {
            rows.set(i, (long)i * ROW_LENGTH, (long)i * ROW_LENGTH);
        }

        int done = 0;
        while (done < ROWS)
        {
            final int from = done;
            final long before = duo.channel.position();
            done += (int)(duo.submit(() -> duo.channel.putRows(duo.source, duo.remoteTarget, rows, from, ROWS - from)) -
                before);
        }

        return sent;
    }

    private static byte[] sendKernelOutput(final long seed, final boolean startsAfter)
    {
        final Duo duo = new Duo(seed, SteppingOptions.opaque(), SteppingOptions.OPAQUE);
        final byte[] row = new byte[ROW_LENGTH];
        Arrays.fill(row, (byte)7);
        duo.fabric.poke(duo.source, 0, row);
        duo.await("connection", duo.channel::isConnected);
        final RowKernels kernels = duo.fabric.kernels(0, SteppingOptions.OPAQUE);
        final RowList rows = kernels.allocateRows(1).rowLength(ROW_LENGTH);
        rows.set(0, 0, ROW_LENGTH);
        final long position = duo.submit(() -> kernels.copyRows(duo.source, duo.source, rows, 0, 1));
        if (startsAfter)
        {
            duo.submit(() -> duo.channel.startAfter(kernels, position));
        }

        duo.submit(() -> duo.channel.put(duo.source, ROW_LENGTH, duo.remoteTarget, 0, ROW_LENGTH));
        final long flushed = duo.submit(duo.channel::flush);
        duo.await("delivery", () -> duo.channel.deliveredPosition() >= flushed);
        duo.receiving.acquire(duo.target);
        return duo.fabric.peek(duo.target, 0, ROW_LENGTH);
    }
}
