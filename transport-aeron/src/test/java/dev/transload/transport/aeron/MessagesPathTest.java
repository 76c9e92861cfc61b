/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.WorkerAddress;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MessagesPathTest
{
    /** A stream holds half of a term at once. */
    private static final int TERM_LENGTH = 1 << 20;
    private static final int LENGTH = 3 * TERM_LENGTH;

    @TempDir
    private Path drivers;

    private Transport first;
    private Transport second;
    private Worker worker;
    private Worker peer;
    private Ranks.Operations operations;

    @BeforeEach
    void open()
    {
        first = open(0);
        second = open(1);
        worker = first.openWorker(0);
        peer = second.openWorker(0);
        operations = new Ranks.Operations(worker, worker.connect(1, 1, peer.address()));
        operations.connect();
    }

    @AfterEach
    void close()
    {
        first.close();
        second.close();
    }

    private Transport open(final int rank)
    {
        return new AeronTransportProvider().open(TransportConfig.builder().rank(rank).worldSize(2)
            .options(Map.of("data-path", "messages", "driver-directory", drivers.toString(), "term-length",
                String.valueOf(TERM_LENGTH))).build());
    }

    private static byte[] fill(final MemoryRegion region)
    {
        final byte[] bytes = new byte[(int)region.length()];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)(i * 31 + (i >> 10));
        }

        region.hostView(0, bytes.length).put(bytes);
        return bytes;
    }

    private static byte[] bytes(final MemoryRegion region)
    {
        final byte[] bytes = new byte[(int)region.length()];
        region.hostView(0, bytes.length).get(bytes);
        return bytes;
    }

    @Test
    void shouldSplitPutsThatNoStreamHoldsAtOnce()
    {
        final MemoryRegion source = first.allocate(MemoryKind.HOST, 0, LENGTH, Access.LOCAL);
        final MemoryRegion target = second.allocate(MemoryKind.HOST, 0, LENGTH, Access.REMOTE);
        final byte[] sent = fill(source);
        final RemoteRegion remote = worker.importRegion(1, target.descriptor());
        final Channel channel = operations.channel();
        assertEquals(1, operations.accept(() -> channel.put(source, 0, remote, 0, LENGTH)));
        assertTrue(channel.releasedPosition() < 1, "three terms were released before they had room");
        operations.flush();
        assertEquals(2, channel.releasedPosition());
        assertArrayEquals(sent, bytes(target));
    }

    @Test
    void shouldSplitLoadsThatNoStreamHoldsAtOnce()
    {
        final MemoryRegion source = second.allocate(MemoryKind.HOST, 0, LENGTH, Access.REMOTE);
        final MemoryRegion target = first.allocate(MemoryKind.HOST, 0, LENGTH, Access.LOCAL);
        final byte[] there = fill(source);
        final RemoteRegion remote = worker.importRegion(1, source.descriptor());
        final Channel channel = operations.channel();
        final long position = operations.accept(() -> channel.load(remote, 0, target, 0, LENGTH));
        Await.until(() -> worker.progress() >= 0 && channel.deliveredPosition() >= position);
        assertArrayEquals(there, bytes(target));
    }

    @Test
    void shouldFailTheChannelThatAddressesAClosedRegion()
    {
        final MemoryRegion source = first.allocate(MemoryKind.HOST, 0, 64, Access.LOCAL);
        final MemoryRegion target = second.allocate(MemoryKind.HOST, 0, 64, Access.REMOTE);
        final RemoteRegion remote = worker.importRegion(1, target.descriptor());
        final Channel bad = operations.channel();
        final Ranks.Operations other = new Ranks.Operations(worker, worker.connect(1, 1, peer.address()));
        other.connect();
        target.close();
        operations.accept(() -> bad.put(source, 0, remote, 0, 64));
        Await.until(() -> worker.progress() >= 0 && null != bad.failure());
        final String message = bad.failure().getMessage();
        assertTrue(message.contains("rank 0") && message.contains("rank 1") && message.contains("closed"), message);
        assertEquals(Channel.FAILED, bad.fence());
        other.flush();
        assertNull(other.channel().failure(), "another channel failed with it");
    }

    @Test
    void shouldFillTwoStreamsAgainstEachOtherWithoutADeadlock()
    {
        final MemoryRegion source = first.allocate(MemoryKind.HOST, 0, LENGTH, Access.LOCAL);
        final MemoryRegion target = second.allocate(MemoryKind.HOST, 0, LENGTH, Access.REMOTE);
        final MemoryRegion backSource = second.allocate(MemoryKind.HOST, 0, LENGTH, Access.LOCAL);
        final MemoryRegion backTarget = first.allocate(MemoryKind.HOST, 0, LENGTH, Access.REMOTE);
        final byte[] sent = fill(source);
        fill(backSource);
        final Ranks.Operations back = new Ranks.Operations(peer, peer.connect(0, 1, worker.address()));
        back.connect();
        final RemoteRegion remote = worker.importRegion(1, target.descriptor());
        final RemoteRegion backRemote = peer.importRegion(0, backTarget.descriptor());
        final Channel there = operations.channel();
        operations.accept(() -> there.put(source, 0, remote, 0, LENGTH));
        back.accept(() -> back.channel().put(backSource, 0, backRemote, 0, LENGTH));
        Await.until(() ->
        {
            worker.progress();
            peer.progress();
            return 1 == there.releasedPosition() && 1 == back.channel().releasedPosition();
        });
        operations.flush();
        back.flush();
        assertArrayEquals(sent, bytes(target));
        assertArrayEquals(sent, bytes(backTarget));
    }

    @Test
    void shouldRefuseAStreamThatIsNotMeantForIt()
    {
        final PeerIdentity identity = PeerIdentity.decode(AeronOptions.TRANSPORT, "test", second.peerInfo());
        final Channel stranger = worker.connect(1, 1, new WorkerAddress(0, withToken(identity, 1)).encode());
        Await.until(() -> worker.progress() >= 0 && null != stranger.failure());
        assertTrue(stranger.failure().getMessage().contains("an address of its own"),
            stranger.failure().getMessage());
    }

    @Test
    void shouldRefuseAWorkerThatIsNotOpen()
    {
        final PeerIdentity identity = PeerIdentity.decode(AeronOptions.TRANSPORT, "test", second.peerInfo());
        final Channel stranger = worker.connect(1, 1, new WorkerAddress(7, identity).encode());
        Await.until(() -> worker.progress() >= 0 && null != stranger.failure());
        assertTrue(stranger.failure().getMessage().contains("worker 7 is not open"), stranger.failure().getMessage());
        assertInstanceOf(MessageChannel.class, operations.channel());
        operations.flush();
    }

    private static PeerIdentity withToken(final PeerIdentity of, final long token)
    {
        return new PeerIdentity(of.transport(), of.rank(), of.incarnation(), of.transportId(), token, of.process(),
            of.place(), of.contact());
    }
}
