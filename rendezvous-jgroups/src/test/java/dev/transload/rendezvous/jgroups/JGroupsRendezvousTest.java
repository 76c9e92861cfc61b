/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.Discovery;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.util.Tuple;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Several ranks in one JVM, each with a channel of its own. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class JGroupsRendezvousTest
{
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(6);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<JGroupsRendezvous> open = new ArrayList<>();
    private final Map<Integer, JChannel> channels = new ConcurrentHashMap<>();
    private final String address = "127.0.0.1:" + freePort();

    @AfterEach
    void closeAll() throws Exception
    {
        final List<Callable<Void>> closings = new ArrayList<>();
        open.forEach(rendezvous -> closings.add(() ->
        {
            rendezvous.close();
            return null;
        }));
        for (final Future<Void> closing : threads.invokeAll(closings))
        {
            closing.get();
        }
        threads.shutdown();
        assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldFormAWorldFromTheAddressOfRankZero() throws Exception
    {
        final List<JGroupsRendezvous> world = world(4, address);
        for (int rank = 0; rank < 4; rank++)
        {
            assertEquals(rank, world.get(rank).rank());
            assertEquals(4, world.get(rank).worldSize());
            for (int other = 0; other < 4; other++)
            {
                assertEquals(world.get(0).member(other), world.get(rank).member(other));
                assertEquals(other, world.get(rank).member(other).rank());
                assertEquals(ProcessHandle.current().pid(), world.get(rank).member(other).processId());
            }
        }
        assertNotEquals(world.get(0).member(1).incarnation(), world.get(0).member(2).incarnation());
    }

    @Test
    void shouldFormAWorldFromTheAddressesOfAllRanks() throws Exception
    {
        final String all = IntStream.range(0, 3).mapToObj(r -> "127.0.0.1:" + freePort())
            .collect(Collectors.joining(","));
        assertEquals(List.of("0", "1", "2"), gather(world(3, all), "all"));
    }

    /** As where a pod of the last start still waits while those of the next one begin. */
    @Test
    void shouldKeepGenerationsApart() throws Exception
    {
        final Future<JGroupsRendezvous> old = join(0, generation(0, 0, Duration.ofSeconds(2)));
        final Future<JGroupsRendezvous> next = join(1, generation(1, 1, LONG));

        final ExecutionException alone = assertThrows(ExecutionException.class, old::get);
        assertInstanceOf(RendezvousException.class, alone.getCause());
        final Future<JGroupsRendezvous> first = join(0, generation(0, 1, LONG));

        assertEquals(next.get().member(0), first.get().member(0));
    }

    private JGroupsRendezvousConfig generation(final int rank, final int generation, final Duration timeout)
    {
        return JGroupsRendezvousConfig.builder().rank(rank).worldSize(2).generation(generation).address(address)
            .timeout(timeout).build();
    }

    @Test
    void shouldTellAtWhichFreePortItListens() throws Exception
    {
        final CompletableFuture<String> told = new CompletableFuture<>();
        final Future<JGroupsRendezvous> first = join(0, JGroupsRendezvousConfig.builder().rank(0).worldSize(2)
            .anyPort("127.0.0.1", told::complete).timeout(LONG).build());
        final Future<JGroupsRendezvous> second = join(1, JGroupsRendezvousConfig.builder().rank(1).worldSize(2)
            .address(told.get(60, TimeUnit.SECONDS)).timeout(LONG).build());

        assertEquals(List.of("0", "1"), gather(List.of(first.get(), second.get()), "told"));
    }

    @Test
    void shouldLeaveNothingRunningWhereTheAddressCannotBeTold() throws Exception
    {
        final AtomicReference<String> told = new AtomicReference<>();
        final IllegalStateException failure = new IllegalStateException("nobody listens");
        final ExecutionException thrown = assertThrows(ExecutionException.class, join(0,
            JGroupsRendezvousConfig.builder().rank(0).worldSize(2).anyPort("127.0.0.1", (at) ->
            {
                told.set(at);
                throw failure;
            }).timeout(LONG).build())::get);

        assertEquals(failure, thrown.getCause());
        final int port = Integer.parseInt(told.get().substring("127.0.0.1:".length()));
        assertFalse(channels.get(0).isConnected(), "port " + port + " is still open");
    }

    @Test
    void shouldFormAWorldOfOne() throws Exception
    {
        assertEquals(List.of("0"), gather(world(1, address), "alone"));
    }

    @Test
    void shouldGatherBlobsOfDifferentLengths() throws Exception
    {
        final List<JGroupsRendezvous> world = world(3, address);
        final List<byte[]> blobs = List.of(new byte[0], random(1, 3 << 20), random(2, 70_001));
        final List<Future<List<ByteBuffer>>> gathered = world.stream().map(rendezvous -> threads.submit(() ->
            rendezvous.allGather("blobs", ByteBuffer.wrap(blobs.get(rendezvous.rank())), LONG))).toList();
        for (final Future<List<ByteBuffer>> result : gathered)
        {
            for (int rank = 0; rank < 3; rank++)
            {
                assertTrue(result.get().get(rank).isReadOnly());
                assertEquals(ByteBuffer.wrap(blobs.get(rank)), result.get().get(rank));
            }
        }
    }

    @Test
    void shouldNameTheRankThatGivesNothing() throws Exception
    {
        final List<JGroupsRendezvous> world = world(3, address);
        final Future<List<ByteBuffer>> zero = threads.submit(() -> give(world.get(0), "some", SHORT));
        final Future<List<ByteBuffer>> one = threads.submit(() -> give(world.get(1), "some", SHORT));
        for (final Future<?> result : List.of(zero, one))
        {
            final RendezvousException ex = failureOf(result);
            assertEquals(Reason.MISSING_RANKS, ex.reason());
            assertTrue(ex.getMessage().startsWith(world.get(2).member(2).describe()), ex.getMessage());
        }
    }

    @Test
    void shouldAnnounceInOrderAlsoToALateListener() throws Exception
    {
        final List<JGroupsRendezvous> world = world(3, address);
        final Recorder early = new Recorder();
        world.get(1).listen(early);
        for (int i = 0; i < 100; i++)
        {
            world.get(0).announce(ByteBuffer.allocate(4).putInt(0, i));
        }
        final List<String> expected = IntStream.range(0, 100).mapToObj(i -> "0 says " + i).toList();
        assertEquals(expected, early.take(100));
        final Recorder late = new Recorder();
        world.get(1).listen(late);
        assertEquals(expected, late.take(100));
    }

    @Test
    void shouldReportALostMemberOnceAndFailWhoWaitsForIt() throws Exception
    {
        final List<JGroupsRendezvous> world = world(4, address);
        final Future<List<ByteBuffer>> waiting = threads.submit(() -> give(world.get(1), "never", LONG));
        final Recorder one = new Recorder();
        final Recorder three = new Recorder();
        world.get(1).listen(one);
        world.get(3).listen(three);
        JGroupsRendezvousConformanceTest.Fixture.kill(channels.get(2));
        assertEquals(List.of("lost 2"), one.take(1));
        assertEquals(List.of("lost 2"), three.take(1));
        final RendezvousException ex = failureOf(waiting);
        assertEquals(Reason.MEMBER_LOST, ex.reason());
        assertTrue(ex.getMessage().contains("rank 2 (pid "), ex.getMessage());
        world.get(0).announce(ByteBuffer.allocate(4).putInt(0, 7));
        assertEquals(List.of("0 says 7"), one.take(1));
    }

    @Test
    void shouldSurviveTheLossOfRankZero() throws Exception
    {
        final List<JGroupsRendezvous> world = world(3, address);
        final Recorder one = new Recorder();
        world.get(1).listen(one);
        JGroupsRendezvousConformanceTest.Fixture.kill(channels.get(0));
        assertEquals(List.of("lost 0"), one.take(1));
        world.get(2).announce(ByteBuffer.allocate(4).putInt(0, 5));
        assertEquals(List.of("2 says 5"), one.take(1));
    }

    @Test
    void shouldNotCallAnOrderlyCloseALoss() throws Exception
    {
        final List<JGroupsRendezvous> world = world(3, address);
        final Recorder one = new Recorder();
        world.get(1).listen(one);
        world.get(2).announce(ByteBuffer.allocate(4).putInt(0, 1));
        world.get(2).close();
        world.get(0).announce(ByteBuffer.allocate(4).putInt(0, 2));
        assertEquals(List.of("0 says 2", "2 says 1"), one.take(2).stream().sorted().toList());
        final RendezvousException ex = assertThrows(RendezvousException.class,
            () -> give(world.get(1), "after", LONG));
        assertEquals(Reason.MEMBER_LOST, ex.reason());
        assertTrue(ex.getMessage().contains("closed its rendezvous"), ex.getMessage());
        assertEquals(Reason.CLOSED, assertThrows(RendezvousException.class,
            () -> give(world.get(2), "after", LONG)).reason());
    }

    @Test
    void shouldNameBothProcessesThatClaimOneRank() throws Exception
    {
        final List<Future<JGroupsRendezvous>> joins = List.of(
            join(0, 3, address, "", LONG), join(1, 3, address, "", LONG), join(1, 3, address, "", LONG));
        for (final Future<JGroupsRendezvous> join : joins)
        {
            final RendezvousException ex = failureOf(join);
            assertEquals(Reason.DUPLICATE_RANK, ex.reason());
            assertEquals(2, ex.getMessage().split("rank 1 \\(pid " + ProcessHandle.current().pid(), -1).length - 1,
                ex.getMessage());
        }
    }

    @Test
    void shouldFindTwoProcessesOfRankZeroByTheirCommonPort() throws Exception
    {
        final Future<JGroupsRendezvous> first = join(0, 2, address, "", LONG);
        final Future<JGroupsRendezvous> second = join(0, 2, address, "", LONG);
        assertEquals(Reason.DUPLICATE_RANK, failureOf(first).reason());
        assertEquals(Reason.DUPLICATE_RANK, failureOf(second).reason());
    }

    @Test
    void shouldRefuseALateDuplicateAndLeaveTheWorldAlone() throws Exception
    {
        final List<JGroupsRendezvous> world = world(2, address);
        assertEquals(Reason.DUPLICATE_RANK, failureOf(join(1, 2, address, "", LONG)).reason());
        assertEquals(List.of("0", "1"), gather(world, "undisturbed"));
    }

    @Test
    void shouldSayWhoWasToldWhichWorldSize() throws Exception
    {
        final Future<JGroupsRendezvous> zero = join(0, 2, address, "", LONG);
        final Future<JGroupsRendezvous> one = join(1, 3, address, "", LONG);
        for (final Future<JGroupsRendezvous> join : List.of(zero, one))
        {
            final RendezvousException ex = failureOf(join);
            assertEquals(Reason.WORLD_MISMATCH, ex.reason());
            assertTrue(ex.getMessage().matches("rank 0 .* world size 2, rank 1 .* world size 3; .*"),
                ex.getMessage());
        }
    }

    @Test
    void shouldNameTheRanksThatDidNotCome() throws Exception
    {
        final List<Future<JGroupsRendezvous>> joins =
            List.of(join(0, 4, address, "", SHORT), join(2, 4, address, "", SHORT));
        for (final Future<JGroupsRendezvous> join : joins)
        {
            final RendezvousException ex = failureOf(join);
            assertEquals(Reason.MISSING_RANKS, ex.reason());
            assertTrue(ex.getMessage().startsWith("ranks 1, 3 of 4 did not come"), ex.getMessage());
        }
    }

    @Test
    void shouldSayWhenRankZeroDidNotCome()
    {
        final RendezvousException ex = failureOf(join(1, 2, address, "", Duration.ofSeconds(1)));
        assertEquals(Reason.MISSING_RANKS, ex.reason());
        assertTrue(ex.getMessage().contains("rank 0") && ex.getMessage().contains(address), ex.getMessage());
    }

    @Test
    void shouldNameAPortThatAnotherProgramHolds() throws Exception
    {
        try (ServerSocket occupant = new ServerSocket())
        {
            occupant.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            final String taken = "127.0.0.1:" + occupant.getLocalPort();
            final RendezvousException ex = failureOf(join(0, 2, taken, "", LONG));
            assertEquals(Reason.ADDRESS_UNAVAILABLE, ex.reason());
            assertTrue(ex.getMessage().contains(taken), ex.getMessage());
        }
    }

    @Test
    void shouldListenOnAnotherPortWhereItsOwnIsTaken() throws Exception
    {
        try (ServerSocket occupant = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            assertEquals(List.of("0", "1"),
                gather(world(2, address + ",127.0.0.1:" + occupant.getLocalPort()), "elsewhere"));
        }
    }

    @Test
    void shouldNameBothProcessesOfARankByTheirCommonPort() throws Exception
    {
        final String all = IntStream.range(0, 3).mapToObj(r -> "127.0.0.1:" + freePort())
            .collect(Collectors.joining(","));
        final List<Future<JGroupsRendezvous>> joins =
            List.of(join(0, 3, all, "", LONG), join(1, 3, all, "", LONG), join(1, 3, all, "", LONG));
        for (final Future<JGroupsRendezvous> join : joins)
        {
            assertEquals(Reason.DUPLICATE_RANK, failureOf(join).reason());
        }
    }

    @Test
    void shouldTellAllWhoIsMissingWhenTheTimeOfRankZeroIsUp() throws Exception
    {
        final Future<JGroupsRendezvous> patient = join(1, 3, address, "", LONG);
        final Future<JGroupsRendezvous> zero = join(0, 3, address, "", Duration.ofSeconds(2));
        for (final Future<JGroupsRendezvous> join : List.of(zero, patient))
        {
            final RendezvousException ex = failureOf(join);
            assertEquals(Reason.MISSING_RANKS, ex.reason());
            assertEquals("rank 2 of 3 did not come within 2000 ms", ex.getMessage());
        }
    }

    @Test
    void shouldFormAWorldWithASecret() throws Exception
    {
        final List<Future<JGroupsRendezvous>> joins = IntStream.range(0, 3)
            .mapToObj(rank -> join(rank, 3, address, "open sesame", LONG)).toList();
        final List<JGroupsRendezvous> world = new ArrayList<>();
        for (final Future<JGroupsRendezvous> join : joins)
        {
            world.add(join.get());
        }
        assertEquals(List.of("0", "1", "2"), gather(world, "secret"));
        for (final String wrong : List.of("open barley", ""))
        {
            final RendezvousException ex = failureOf(join(1, 3, address, wrong, LONG));
            assertEquals(Reason.REFUSED, ex.reason());
            assertTrue(ex.getMessage().contains("secret"), ex.getMessage());
        }
        assertEquals(List.of("0", "1", "2"), gather(world, "undisturbed"));
    }

    /** Its messages are in clear, its discovery asks as any JGroups program does, and knows the name of the group. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldNeitherLetInNorHearAStrangerWhoKnowsJGroups(final boolean hasClaim) throws Exception
    {
        final List<Future<JGroupsRendezvous>> joins = IntStream.range(0, 2)
            .mapToObj(rank -> join(rank, 2, address, "open sesame", LONG)).toList();
        final List<JGroupsRendezvous> world = List.of(joins.get(0).get(), joins.get(1).get());
        final Recorder zero = new Recorder();
        world.get(0).listen(zero);
        final View before = channels.get(0).getView();
        final BlockingQueue<Message> overheard = new LinkedBlockingQueue<>();
        try (JChannel stranger = new JChannel(
            new TCP().setBindAddress(InetAddress.getLoopbackAddress()).setBindPort(freePort()),
            new TCPPING().initialHosts(List.of(new InetSocketAddress("127.0.0.1", portOf(address)))),
            new NAKACK2().useMcastXmit(false), new UNICAST3(),
            new GMS().setJoinTimeout(200).setMaxJoinAttempts(2).printLocalAddress(false)))
        {
            stranger.addAddressGenerator(() -> hasClaim ?
                new Claim(2, world.get(0).member(1)).toAddress(null) : UUID.randomUUID());
            stranger.setReceiver(new Receiver()
            {
                @Override
                public void receive(final Message message)
                {
                    overheard.add(message);
                }
            });
            stranger.connect("transload");
            assertEquals(1, stranger.getView().size());
            final Object seedsPort = channels.get(0).down(
                new Event(Event.GET_PHYSICAL_ADDRESS, channels.get(0).getAddress()));
            stranger.down(new Event(Event.ADD_PHYSICAL_ADDRESS,
                new Tuple<>(channels.get(0).getAddress(), (PhysicalAddress)seedsPort)));
            stranger.send(new BytesMessage(channels.get(0).getAddress(), new byte[]{ 1, 0, 0, 9, 9, 9, 9 }));
            stranger.send(new BytesMessage(channels.get(0).getAddress(), new byte[]{ 2, 0, 0 }));
            assertEquals(List.of("0", "1"), gather(world, "undisturbed"));
            world.get(1).announce(ByteBuffer.allocate(4).putInt(0, 4));
            assertEquals(List.of("1 says 4"), zero.take(1));
        }
        assertEquals(before, channels.get(0).getView());
        assertEquals(List.of(), List.copyOf(overheard));
    }

    @Test
    void shouldNotBelieveARefusalThatItDidNotAskFor() throws Exception
    {
        final Future<JGroupsRendezvous> one = join(1, 2, address, "open sesame", LONG);
        final SeedDiscovery discovery = await(() -> null == channels.get(1) || null == channels.get(1).getAddress() ?
            null : (SeedDiscovery)channels.get(1).getProtocolStack().findProtocol(SeedDiscovery.class));
        final Address stranger =
            new Claim(2, new Member(0, 1, "host", 1)).toAddress(GroupKey.deriveFrom("open barley"));
        discovery.up(new BytesMessage(channels.get(1).getAddress())
            .setArray(Discovery.marshal(new PingData(stranger, true))).setSrc(stranger)
            .putHeader(discovery.getId(), new PingHeader(PingHeader.GET_MBRS_RSP).clusterName("transload")));
        assertEquals(List.of("0", "1"),
            gather(List.of(join(0, 2, address, "open sesame", LONG).get(), one.get()), "joined"));
    }

    @Test
    void shouldRefuseASecretThatTheWorldDoesNotHave() throws Exception
    {
        final List<JGroupsRendezvous> world = world(2, address);
        assertEquals(Reason.REFUSED, failureOf(join(1, 2, address, "open sesame", LONG)).reason());
        assertEquals(List.of("0", "1"), gather(world, "undisturbed"));
    }

    @Test
    void shouldLeaveNoThreadBehind() throws Exception
    {
        final List<JGroupsRendezvous> world = world(2, address);
        world.get(0).listen(new Recorder());
        closeAll();
        open.clear();
        for (final Thread thread : Thread.getAllStackTraces().keySet())
        {
            if (thread.getName().startsWith("transload-rendezvous") || thread.getName().contains("rank "))
            {
                thread.join(LONG.toMillis());
                assertEquals(Thread.State.TERMINATED, thread.getState(), thread.getName());
            }
        }
    }

    private List<JGroupsRendezvous> world(final int size, final String at) throws Exception
    {
        final List<Future<JGroupsRendezvous>> joins = new ArrayList<>();
        for (int rank = size - 1; rank >= 0; rank--)
        {
            joins.add(0, join(rank, size, at, "", LONG));
        }
        final List<JGroupsRendezvous> world = new ArrayList<>();
        for (final Future<JGroupsRendezvous> join : joins)
        {
            world.add(join.get());
        }
        return world;
    }

    private Future<JGroupsRendezvous> join(
        final int rank, final int size, final String at, final String secret, final Duration timeout)
    {
        return join(rank, JGroupsRendezvousConfig.builder().rank(rank).worldSize(size).address(at).secret(secret)
            .timeout(timeout).failureTimeout(Duration.ofSeconds(5)).build());
    }

    private Future<JGroupsRendezvous> join(final int rank, final JGroupsRendezvousConfig config)
    {
        return threads.submit(() ->
        {
            final JGroupsRendezvous rendezvous =
                JGroupsRendezvous.join(config, channel -> channels.put(rank, channel));
            synchronized (open)
            {
                open.add(rendezvous);
            }
            return rendezvous;
        });
    }

    private List<String> gather(final List<JGroupsRendezvous> world, final String topic) throws Exception
    {
        final List<Future<List<ByteBuffer>>> results = new ArrayList<>();
        for (final JGroupsRendezvous rendezvous : world)
        {
            results.add(threads.submit(() -> give(rendezvous, topic, LONG)));
        }
        final List<ByteBuffer> first = results.get(0).get();
        for (final Future<List<ByteBuffer>> result : results)
        {
            assertEquals(first, result.get());
        }
        return first.stream().map(bytes -> String.valueOf(bytes.getInt(0))).toList();
    }

    private static List<ByteBuffer> give(final JGroupsRendezvous rendezvous, final String topic, final Duration timeout)
    {
        return rendezvous.allGather(topic, ByteBuffer.allocate(4).putInt(0, rendezvous.rank()), timeout);
    }

    private static RendezvousException failureOf(final Future<?> future)
    {
        return assertInstanceOf(RendezvousException.class,
            assertThrows(ExecutionException.class, future::get).getCause());
    }

    private static byte[] random(final long seed, final int bytes)
    {
        final byte[] blob = new byte[bytes];
        new Random(seed).nextBytes(blob);
        return blob;
    }

    private static <T> T await(final Supplier<T> value)
    {
        final long untilNs = System.nanoTime() + LONG.toNanos();
        T found = value.get();
        while (null == found && untilNs - System.nanoTime() > 0)
        {
            Thread.onSpinWait();
            found = value.get();
        }
        assertTrue(null != found, "it did not come true within " + LONG);
        return found;
    }

    private static int portOf(final String address)
    {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1));
    }

    static int freePort()
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return socket.getLocalPort();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException("no port is free", ex);
        }
    }
}
