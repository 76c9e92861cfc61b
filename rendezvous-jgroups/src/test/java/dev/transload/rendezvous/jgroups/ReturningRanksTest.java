/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.gate.Thorough;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS.GmsHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** New processes of lost ranks, each with a channel of its own. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ReturningRanksTest
{
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<JGroupsRendezvous> open = new ArrayList<>();
    private final Map<Integer, JChannel> channels = new ConcurrentHashMap<>();
    /** By rank, also of a process that has not joined yet. */
    private final Map<Integer, JChannel> prepared = new ConcurrentHashMap<>();
    /** By rank, what its latest process is told. */
    private final Map<Integer, Recorder> told = new ConcurrentHashMap<>();
    /** By rank, its latest process. */
    private final Map<Integer, JGroupsRendezvous> latest = new ConcurrentHashMap<>();
    private String address = "127.0.0.1:" + JGroupsRendezvousTest.freePort();
    private String secret = "";
    private Duration timeout = LONG;
    private int size;
    private int topics;

    @AfterEach
    void closeAll() throws Exception
    {
        final List<Callable<Object>> closings =
            open.stream().map(rendezvous -> Executors.callable(rendezvous::close)).toList();
        for (final Future<?> closing : threads.invokeAll(closings))
        {
            closing.get();
        }
        threads.shutdown();
        assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldTakeItsPlaceWhileAnotherRankStaysLost() throws Exception
    {
        form(4);
        final Member before = latest.get(0).member(2);
        lose(2);
        lose(3);

        comeBack(2);

        assertEquals(List.of("lost 3"), told.get(2).take(1));
        assertTold("returned 2", 0, 1);
        assertTrue(latest.get(2).hasReturned());
        assertFalse(latest.get(0).hasReturned());
        assertEquals(latest.get(2).member(2), latest.get(0).member(2));
        assertEquals(latest.get(2).member(2), latest.get(1).member(2));
        assertNotEquals(before.incarnation(), latest.get(0).member(2).incarnation());
        assertEquals(latest.get(0).member(3), latest.get(2).member(3));
        assertGathered(0, 1, 2);
    }

    /** Nobody listens at the only address that it knows: the others look for it there. */
    @ParameterizedTest
    @ValueSource(strings = { "", "open sesame" })
    void shouldFindTheWorldAsRankZero(final String with) throws Exception
    {
        secret = with;
        form(3);
        lose(0);

        comeBack(0);

        assertTold("returned 0", 1, 2);
        assertTrue(latest.get(0).hasReturned());
        assertEquals(latest.get(1).member(0), latest.get(0).member(0));
        assertGathered(0, 1, 2);
    }

    @ParameterizedTest
    @CsvSource({ "1, 2", "0, 2", "3, 0" })
    void shouldTakeTheirPlacesAtOnce(final int one, final int other) throws Exception
    {
        form(4);
        lose(one);
        lose(other);

        final Future<JGroupsRendezvous> first = join(one);
        final Future<JGroupsRendezvous> second = join(other);

        enter(one, first.get());
        enter(other, second.get());
        assertTrue(latest.get(one).hasReturned() && latest.get(other).hasReturned());
        assertGathered(0, 1, 2, 3);
        final int survivor = IntStream.range(0, 4).filter(rank -> rank != one && rank != other).findFirst().orElse(0);
        assertEquals(Stream.of(one, other).sorted().map(rank -> "returned " + rank).toList(),
            told.get(survivor).take(2).stream().sorted().toList());
    }

    /** A new rank 0 is alone until a member of the world asks for it, and may be joined before. */
    @Test
    void shouldBringAlongWhoHasJoinedItsOwnGroup() throws Exception
    {
        form(4);
        lose(0);
        lose(2);
        final AtomicBoolean isUnasked = new AtomicBoolean(true);
        for (final int survivor : List.of(1, 3))
        {
            LosingProtocol.insertInto(channels.get(survivor), message -> isUnasked.get() && isDiscovery(message));
        }
        final Future<JGroupsRendezvous> zero = join(0);
        final Future<JGroupsRendezvous> two = join(2);
        await(() -> null != prepared.get(0) && null != prepared.get(0).getView() &&
            prepared.get(0).getView().size() == 2);
        isUnasked.set(false);

        enter(0, zero.get());
        enter(2, two.get());

        assertTrue(latest.get(0).hasReturned() && latest.get(2).hasReturned());
        assertGathered(0, 1, 2, 3);
    }

    @Test
    @Thorough("single returns in the gate; here several of one rank")
    void shouldTakeItsPlaceAgainAfterEachLoss() throws Exception
    {
        form(3);
        for (int round = 0; round < 3; round++)
        {
            lose(2);
            comeBack(2);
            assertTold("returned 2", 0, 1);
            assertGathered(0, 1, 2);
        }
    }

    @Test
    @Thorough("single returns in the gate; here one after the other")
    void shouldReturnRankByRankUntilAllProcessesAreNew() throws Exception
    {
        form(3);
        for (int rank = 0; rank < 3; rank++)
        {
            lose(rank);
            comeBack(rank);
            for (int other = 0; other < 3; other++)
            {
                if (other != rank)
                {
                    assertTold("returned " + rank, other);
                }
            }
        }
        assertGathered(0, 1, 2);
    }

    /** Rank 0 leads the group; where all addresses are listed, the others let in who comes meanwhile. */
    @Test
    void shouldBeLetInByOthersWhileRankZeroIsLost() throws Exception
    {
        address = IntStream.range(0, 4).mapToObj(rank -> "127.0.0.1:" + JGroupsRendezvousTest.freePort())
            .collect(Collectors.joining(","));
        form(4);
        lose(2);
        lose(0);

        comeBack(2);

        assertEquals(List.of("lost 0"), told.get(2).take(1));
        assertTold("returned 2", 1, 3);
        assertGathered(1, 2, 3);
        comeBack(0);
        assertTold("returned 0", 1, 2, 3);
        assertGathered(0, 1, 2, 3);
    }

    /** Before the others have noticed its end. */
    @ParameterizedTest
    @ValueSource(ints = { 2, 0 })
    void shouldWaitUntilItsPredecessorIsLost(final int rank) throws Exception
    {
        form(3);
        kill(rank);

        comeBack(rank);

        assertEquals(List.of("lost " + rank, "returned " + rank), told.get(1).take(2));
        assertGathered(0, 1, 2);
    }

    @Test
    void shouldRefuseATwinOfAProcessThatHasReturned() throws Exception
    {
        form(3);
        lose(2);
        comeBack(2);

        final RendezvousException ex = failureOf(join(2));

        assertEquals(Reason.DUPLICATE_RANK, ex.reason());
        assertTrue(ex.getMessage().startsWith("two processes claim one rank: " + latest.get(0).member(2).describe()),
            ex.getMessage());
        assertGathered(0, 1, 2);
    }

    @Test
    void shouldLetInOneOfTwoNewProcesses() throws Exception
    {
        form(3);
        lose(2);
        final List<Future<JGroupsRendezvous>> twins = List.of(join(2), join(2));
        int count = 0;
        for (final Future<JGroupsRendezvous> twin : twins)
        {
            try
            {
                latest.put(2, twin.get());
                count++;
            }
            catch (final ExecutionException ex)
            {
                assertEquals(Reason.DUPLICATE_RANK,
                    assertInstanceOf(RendezvousException.class, ex.getCause()).reason(), ex.getMessage());
            }
        }
        assertEquals(1, count);
        assertEquals(latest.get(2).member(2), latest.get(0).member(2));
        assertGathered(0, 1, 2);
    }

    @Test
    void shouldTakeThePlaceOfAProcessThatHasClosed() throws Exception
    {
        form(3);
        latest.get(2).close();

        comeBack(2);

        assertEquals(List.of("returned 2"), told.get(0).take(1));
        assertGathered(0, 1, 2);
    }

    @Test
    void shouldSayWhichWorldSizeTheFormedWorldHas() throws Exception
    {
        form(3);
        lose(2);
        size = 4;

        final RendezvousException ex = failureOf(join(2));

        assertEquals(Reason.WORLD_MISMATCH, ex.reason());
        assertTrue(ex.getMessage().matches("rank 0 .* world size 3, rank 2 .* world size 4; .*"), ex.getMessage());
    }

    /** It is asked for at the address of a rank 0 that is lost. */
    @Test
    void shouldNotDisturbAWorldOfItsOwn() throws Exception
    {
        form(2);
        lose(0);
        size = 1;
        final JGroupsRendezvous alone = join(0).get();
        final long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        await(() -> System.nanoTime() - untilNs > 0);

        assertFalse(alone.hasReturned());
        assertEquals(1, alone.allGather("own", ByteBuffer.allocate(1), SHORT).size());
        assertTrue(told.get(1).isEmpty());
    }

    /** What a new process says may arrive before the view that gives it its place. */
    @Test
    void shouldHearWhatANewProcessSaysBeforeItIsSeen() throws Exception
    {
        form(3);
        lose(2);
        final AtomicBoolean isBlind = new AtomicBoolean(true);
        LosingProtocol.insertInto(channels.get(1), message -> false, message -> isBlind.get() && isView(message));

        comeBack(2);
        latest.get(2).announce(ByteBuffer.allocate(4).putInt(0, 7));

        final UNICAST3 unicast = channels.get(2).getProtocolStack().findProtocol(UNICAST3.class);
        await(() -> unicast.getNumUnackedMessages(channels.get(1).getAddress()) == 0);
        assertTrue(told.get(1).isEmpty());
        isBlind.set(false);
        assertEquals(List.of("returned 2", "2 says 7"), told.get(1).take(2));
    }

    @Test
    void shouldSayThatItsRankStillCounts() throws Exception
    {
        form(3);
        final AtomicBoolean isMute = new AtomicBoolean(true);
        LosingProtocol.insertInto(channels.get(2), message -> isMute.get() && null != message.getDest() &&
            !message.getDest().equals(channels.get(0).getAddress()) && isDiscovery(message));
        timeout = Duration.ofSeconds(2);

        final RendezvousException ex = failureOf(join(2));

        assertEquals(Reason.MISSING_RANKS, ex.reason());
        assertTrue(ex.getMessage().contains("did not let rank 2"), ex.getMessage());
        isMute.set(false);
        assertGathered(0, 1, 2);
    }

    @Test
    void shouldStopLookingForRankZero() throws Exception
    {
        form(2);
        final Set<Thread> before = seekers();
        lose(0);
        await(() -> !before.containsAll(seekers()));
        latest.get(1).close();
        await(() -> before.containsAll(seekers()));
    }

    /** Also those of ranks that were killed, but live on in this process. */
    private static Set<Thread> seekers()
    {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> "transload-rendezvous-seeker".equals(thread.getName())).collect(Collectors.toSet());
    }

    private static boolean isView(final Message message)
    {
        return message.getHeaders().values().stream()
            .anyMatch(header -> header instanceof GmsHeader gms && gms.getType() == GmsHeader.VIEW);
    }

    private static boolean isDiscovery(final Message message)
    {
        return message.getHeaders().values().stream().anyMatch(header -> header instanceof PingHeader);
    }

    private void form(final int ranks) throws Exception
    {
        size = ranks;
        final List<Future<JGroupsRendezvous>> joins = IntStream.range(0, ranks).mapToObj(this::join).toList();
        for (int rank = 0; rank < ranks; rank++)
        {
            enter(rank, joins.get(rank).get());
        }
    }

    private void comeBack(final int rank) throws Exception
    {
        enter(rank, join(rank).get());
        assertTrue(latest.get(rank).hasReturned());
    }

    private void enter(final int rank, final JGroupsRendezvous rendezvous)
    {
        final Recorder recorder = new Recorder();
        rendezvous.listen(recorder);
        told.put(rank, recorder);
        latest.put(rank, rendezvous);
    }

    private void lose(final int lost) throws Exception
    {
        kill(lost);
        for (final Recorder recorder : told.values())
        {
            assertEquals(List.of("lost " + lost), recorder.take(1));
        }
    }

    private void kill(final int rank)
    {
        JGroupsRendezvousConformanceTest.Fixture.kill(channels.get(rank));
        open.remove(latest.remove(rank));
        told.remove(rank);
    }

    private void assertTold(final String event, final int... ranks) throws Exception
    {
        for (final int rank : ranks)
        {
            assertEquals(List.of(event), told.get(rank).take(1), "rank " + rank);
        }
    }

    private Future<JGroupsRendezvous> join(final int rank)
    {
        final JGroupsRendezvousConfig config = JGroupsRendezvousConfig.builder().rank(rank).worldSize(size)
            .address(address).secret(secret).timeout(timeout).failureTimeout(Duration.ofSeconds(2)).build();
        return threads.submit(() ->
        {
            final List<JChannel> own = new ArrayList<>();
            final JGroupsRendezvous rendezvous = JGroupsRendezvous.join(config, channel ->
            {
                own.add(channel);
                prepared.put(rank, channel);
            });
            channels.put(rank, own.get(own.size() - 1));
            synchronized (open)
            {
                open.add(rendezvous);
            }
            return rendezvous;
        });
    }

    private void assertGathered(final int... ranks) throws Exception
    {
        final String topic = "topic " + topics++;
        final List<Integer> some = IntStream.of(ranks).boxed().toList();
        await(() -> some.stream().allMatch(rank -> some.stream().allMatch(
            other -> latest.get(other).member(rank).equals(latest.get(rank).member(rank)))));
        final List<Future<List<ByteBuffer>>> results = new ArrayList<>();
        for (final int rank : ranks)
        {
            final JGroupsRendezvous member = latest.get(rank);
            results.add(threads.submit(
                () -> member.allGather(topic, ByteBuffer.allocate(4).putInt(0, rank), LONG,
                some.stream().map(member::member).toList())));
        }
        for (final Future<List<ByteBuffer>> result : results)
        {
            assertEquals(some, result.get().stream().map(bytes -> bytes.getInt(0)).toList());
        }
    }

    private static RendezvousException failureOf(final Future<?> future)
    {
        return assertInstanceOf(RendezvousException.class,
            assertThrows(ExecutionException.class, future::get).getCause());
    }

    private static void await(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + LONG.toNanos();
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "the condition did not come true in time");
            LockSupport.parkNanos(POLL_NS);
        }
    }
}
