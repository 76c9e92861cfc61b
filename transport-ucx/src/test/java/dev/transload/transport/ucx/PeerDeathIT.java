/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Peers that die or stop while operations to them are under way; this JVM must survive each. */
@NeedsUcx
@Timeout(180)
class PeerDeathIT
{
    private static final long LIVENESS_MS = 1_500;
    private static final int DEAD = 1;
    private static final int LIVING = 2;
    private static final int MANY = 64;

    /** Far beyond the liveness time-out, since the machine may be busy, but below what a hang would take. */
    private static final long PROMPT_NS = TimeUnit.SECONDS.toNanos(20);

    private final List<TransportException> failures = new CopyOnWriteArrayList<>();

    /** A channel to one peer, with memory at both ends. */
    private record Lane(Operations operations, MemoryRegion source, RemoteRegion target, RemoteSignals signals)
    {
        static Lane open(final Transport transport, final int worker, final RankProcess peer, final ByteBuffer memory)
        {
            final Worker opened = transport.openWorker(worker);
            return new Lane(Operations.connect(opened, opened.connect(peer.rank(), 1, peer.address())),
                transport.allocate(MemoryKind.HOST, 0, RankMain.LENGTH, Access.LOCAL),
                opened.importRegion(peer.rank(), memory), opened.importSignals(peer.rank(), peer.signals()));
        }

        Channel channel()
        {
            return operations.channel();
        }

        /** As many operations as the channel takes, of several sizes. */
        void push()
        {
            channel().put(source, 0, target, 0, RankMain.LENGTH / 8);
            channel().put(source, 0, target, 0, Long.BYTES);
            channel().atomicAdd(signals, 0, 1);
            channel().load(target, 0, source, RankMain.LENGTH / 2, RankMain.LENGTH / 8);
            channel().fence();
            operations.worker().progress();
        }
    }

    @ParameterizedTest
    @Thorough("the same by other ways and memory")
    @CsvSource({
        "STOP, posix;self, auto,  allocated",
        "KILL, posix;self, never, registered",
        "KILL, tcp,        auto,  allocated",
        "KILL, tcp,        auto,  registered"})
    void shouldNameTheDeadPeerByAnyWay(
        final String signal, final String tls, final String direct, final String memory)
    {
        shouldNameTheDeadPeerAndGoOnWithOthers(signal, tls, direct, memory);
    }

    @ParameterizedTest
    @CsvSource({
        "KILL, posix;self, auto,  allocated",
        "STOP, posix;self, never, registered",
        "STOP, tcp,        auto,  allocated"})
    void shouldNameTheDeadPeerAndGoOnWithOthers(
        final String signal, final String tls, final String direct, final String memory)
    {
        final Map<String, String> options = Map.of("tls", tls.replace(';', ','), "direct", direct);
        try (RankProcess dead = new RankProcess(DEAD, LIVENESS_MS, options);
            RankProcess living = new RankProcess(LIVING, 10 * LIVENESS_MS, options))
        {
            final Transport transport = open(options);
            final Lane lost = Lane.open(transport, 0, dead, "registered".equals(memory) ? dead.registered() :
                dead.allocated());
            final Lane other = Lane.open(transport, 1, living, living.allocated());
            push(List.of(lost, other));

            dead.signal(signal);
            final long killedNs = System.nanoTime();
            Await.until(() ->
            {
                lost.push();
                other.push();
                return null != lost.channel().failure();
            });
            assertTrue(System.nanoTime() - killedNs < PROMPT_NS, "noticed late");
            final PeerFailedException failure =
                assertInstanceOf(PeerFailedException.class, lost.channel().failure());
            assertEquals(DEAD, failure.peer());
            assertTrue(failure.getMessage().contains("rank " + DEAD), failure.getMessage());
            assertFalse(failure.getMessage().contains("canceled"), "that is no cause: " + failure.getMessage());
            assertEquals(Channel.FAILED, lost.channel().put(lost.source(), 0, lost.target(), 0, 8));
            assertEquals(Channel.FAILED, lost.channel().fence());
            Await.until(() -> 1 == failures.size());

            push(List.of(other));
            final long closedNs = System.nanoTime();
            lost.channel().close();
            push(List.of(other));
            assertNull(other.channel().failure());
            transport.close();
            assertTrue(System.nanoTime() - closedNs < PROMPT_NS, "closed late");
            assertEquals("bye", living.ask("quit"));
        }

        assertEquals(1, failures.size(), failures::toString);
    }

    /** No time to notice anything: closing comes first. */
    @ParameterizedTest
    @Thorough("the same by other ways and memory")
    @CsvSource({
        "KILL, posix;self, never, registered",
        "STOP, tcp,        auto,  allocated"})
    void shouldCloseWithOperationsUnderWayByAnyWay(
        final String signal, final String tls, final String direct, final String memory)
    {
        shouldCloseWithOperationsUnderWayToThePeerThatJustDied(signal, tls, direct, memory);
    }

    @ParameterizedTest
    @CsvSource({
        "KILL, posix;self, auto,  allocated",
        "STOP, posix;self, never, registered",
        "KILL, tcp,        auto,  allocated"})
    void shouldCloseWithOperationsUnderWayToThePeerThatJustDied(
        final String signal, final String tls, final String direct, final String memory)
    {
        final Map<String, String> options = Map.of("tls", tls.replace(';', ','), "direct", direct);
        try (RankProcess dead = new RankProcess(DEAD, LIVENESS_MS, options))
        {
            final Transport transport = open(options);
            final Lane lane = Lane.open(transport, 0, dead, "registered".equals(memory) ? dead.registered() :
                dead.allocated());
            push(List.of(lane));
            dead.signal(signal);
            for (int i = 0; i < 100; i++)
            {
                lane.push();
            }

            final long closedNs = System.nanoTime();
            lane.target().close();
            transport.close();
            assertTrue(System.nanoTime() - closedNs < PROMPT_NS, "closed late");
        }

        try (Transport again = open(options))
        {
            final Worker worker = again.openWorker(0);
            final Operations own = Operations.connect(worker, worker.connect(0, 1, worker.address()));
            own.flush();
        }
    }

    /** One that does not answer is waited for once, not by each channel. */
    @ParameterizedTest
    @CsvSource({"posix;self, never", "tcp, auto"})
    void shouldCloseManyChannelsToAPeerThatJustStopped(final String tls, final String direct)
    {
        final Map<String, String> options = Map.of("tls", tls.replace(';', ','), "direct", direct);
        try (RankProcess dead = new RankProcess(DEAD, LIVENESS_MS, options))
        {
            final Transport transport = new UcxTransportProvider().open(TransportConfig.builder().worldSize(8)
                .livenessTimeoutNs(TimeUnit.MINUTES.toNanos(10)).options(options).build());
            final Worker worker = transport.openWorker(0);
            final MemoryRegion source = transport.allocate(MemoryKind.HOST, 0, RankMain.LENGTH, Access.LOCAL);
            final RemoteRegion target = worker.importRegion(DEAD, dead.registered());
            final List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < MANY; i++)
            {
                final Channel channel = worker.connect(DEAD, 1, dead.address());
                Operations.connect(worker, channel).flush();
                channels.add(channel);
            }

            dead.signal("STOP");
            for (int i = 0; i < MANY; i++)
            {
                channels.forEach((channel) -> channel.put(source, 0, target, 0, RankMain.LENGTH));
            }

            final long closedNs = System.nanoTime();
            transport.close();
            assertTrue(System.nanoTime() - closedNs < PROMPT_NS, "closed late");
        }
    }

    /** Over TCP it is this process that carries out what a peer asks for, a peer that was given up and woke up too. */
    @Test
    void shouldSurviveLatePutsOfAPeerThatWasGivenUp()
    {
        final Map<String, String> options = Map.of("tls", "tcp");
        try (RankProcess late = new RankProcess(DEAD, 10 * LIVENESS_MS, options); Transport transport = open(options))
        {
            final Worker worker = transport.openWorker(0);
            final Channel channel = worker.connect(late.rank(), 1, late.address());
            Operations.connect(worker, channel);
            final MemoryRegion target = transport.allocate(MemoryKind.HOST, 0, RankMain.LENGTH, Access.REMOTE);
            late.tell("flood 0 " + RankMain.hex(worker.address()) + " " + RankMain.hex(target.descriptor()));
            assertEquals("flooding", late.answer());
            awaitWork(worker);

            late.signal("STOP");
            Await.until(() -> worker.progress() >= 0 && 1 == failures.size());
            target.close();
            late.signal("CONT");
            awaitWork(worker);
            assertEquals(Channel.FAILED, channel.fence());
        }
    }

    private static void awaitWork(final Worker worker)
    {
        final int[] work = new int[1];
        Await.until(() ->
        {
            work[0] += worker.progress();
            return work[0] > 1000;
        });
    }

    private Transport open(final Map<String, String> options)
    {
        return new UcxTransportProvider().open(TransportConfig.builder().worldSize(8)
            .livenessTimeoutNs(LIVENESS_MS * 1_000_000).errorHandler(failures::add).options(options).build());
    }

    private static void push(final List<Lane> lanes)
    {
        for (int i = 0; i < 50; i++)
        {
            lanes.forEach(Lane::push);
        }

        lanes.forEach((lane) -> lane.operations().flush());
    }
}
