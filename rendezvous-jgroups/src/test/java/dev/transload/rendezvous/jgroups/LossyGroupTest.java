/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import dev.transload.rendezvous.RendezvousListener;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Header;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS.GmsHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Ranks whose group loses messages for good, where JGroups does not notice or cannot help. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class LossyGroupTest
{
    private static final int RANKS = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(1);
    /** In which ranks that hear each other have met, also on a busy machine. */
    private static final Duration ENOUGH = Duration.ofSeconds(8);
    private static final Duration FAILURE_TIMEOUT = Duration.ofSeconds(10);
    /** In which JGroups has given its verdict on a suspected member: twice the time of its VERIFY_SUSPECT2. */
    private static final Duration VERIFIED = Duration.ofMillis(1_100);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Predicate<Message> NONE = message -> false;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final JChannel[] channels = new JChannel[RANKS];
    private List<JGroupsRendezvous> world = List.of();

    @AfterEach
    void closeAll() throws Exception
    {
        for (final Future<?> closing : threads.invokeAll(
            world.stream().map(rank -> Executors.callable(rank::close)).toList()))
        {
            closing.get();
        }
        threads.shutdown();
        assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldFormThoughTheFirstAnswersOfDiscoveryAreLost() throws Exception
    {
        final AtomicInteger left = new AtomicInteger(8);
        form(message -> isDiscoveryAnswer(message) && left.getAndDecrement() > 0);
        assertTrue(left.get() < 0, "answers were lost");
        assertGathered("formed");
    }

    @Test
    void shouldEndTheJoinAtItsDeadlineWhereNoAnswerOfDiscoveryArrives() throws Exception
    {
        final String address = "127.0.0.1:" + JGroupsRendezvousTest.freePort();
        final List<String> sentences = eachOnItsThread(rank -> assertMissing(() ->
            join(rank, address, SHORT, LossyGroupTest::isDiscoveryAnswer)));
        assertEquals("ranks 1, 2 of 3 did not come within 1000 ms", sentences.get(0));
        final String seedIsMissing = "rank 0 did not come: no rank 0 answered at " + address + " in time";
        assertEquals(List.of(seedIsMissing, seedIsMissing), sentences.subList(1, RANKS));
    }

    @Test
    void shouldEndTheJoinAtItsDeadlineWhereNoJoinArrives() throws Exception
    {
        final String address = "127.0.0.1:" + JGroupsRendezvousTest.freePort();
        // Rank 1 waits no longer before the others do, and leaves: it has come nevertheless.
        final List<String> sentences = eachOnItsThread(rank -> assertMissing(() -> join(rank, address,
            rank == 1 ? ENOUGH.minusSeconds(1) : ENOUGH, message -> rank == 2 &&
            headersOf(message).stream().anyMatch(header -> header instanceof GmsHeader))));
        assertEquals("rank 2 of 3 did not come within 8000 ms", sentences.get(0));
        assertEquals("rank 2 of 3 did not come within 7000 ms", sentences.get(1));
        // Whichever of them it asked last.
        assertTrue(sentences.get(2).matches("rank [01] \\(pid .* but did not let rank 2 \\(pid .*"),
            sentences.get(2));
    }

    @Test
    void shouldFormThoughRankZeroTookARankForDeadBeforeTheLastOneCame() throws Exception
    {
        final String address = "127.0.0.1:" + JGroupsRendezvousTest.freePort();
        final AtomicBoolean isCut = new AtomicBoolean();
        final CountDownLatch excluded = new CountDownLatch(1);
        final AtomicInteger joins = new AtomicInteger();
        world = eachOnItsThread(rank ->
        {
            if (rank == 2)
            {
                excluded.await();
            }
            return join(rank, address, TIMEOUT, SHORT, message -> rank == 1 && isCut.get(), channel ->
            {
                if (rank == 1)
                {
                    joins.incrementAndGet();
                }
                if (rank == 0)
                {
                    threads.submit(() ->
                    {
                        await(() -> hasMembers(channel, 2));
                        isCut.set(true);
                        await(() -> hasMembers(channel, 1));
                        isCut.set(false);
                        excluded.countDown();
                    });
                }
            });
        });
        assertGathered("again");
        assertEquals(2, joins.get(), "joins of rank 1");
    }

    @Test
    void shouldKeepASuspectedRankThoughTheFirstQuestionIsLost() throws Exception
    {
        form(NONE);
        final BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
        world.get(0).listen(new Recorder(heard));
        final AtomicInteger questions = new AtomicInteger();
        LosingProtocol.insertInto(channels[0], message -> headersOf(message).stream()
            .anyMatch(header -> header instanceof VERIFY_SUSPECT2.VerifyHeader) && questions.getAndIncrement() == 0);
        channels[0].getProtocolStack().getTransport().getUpProtocol()
            .up(new Event(Event.SUSPECT, List.of(channels[2].getAddress())));
        await(() -> questions.get() > 1);
        assertGathered("kept");
        assertEquals(null, heard.poll(VERIFIED.toMillis(), TimeUnit.MILLISECONDS));
    }

    @Test
    void shouldAskRankZeroForAddressesThatWereForgotten() throws Exception
    {
        form(NONE);
        final TP transport = channels[2].getProtocolStack().getTransport();
        transport.clearLogicalAddressCache();
        assertGathered("asked");
    }

    @Test
    void shouldEndTheGatherAtItsDeadlineAndNameTheRankWhoseMessagesAreLostForGood() throws Exception
    {
        form(NONE);
        final Address one = channels[1].getAddress();
        LosingProtocol.insertInto(channels[2], message -> one.equals(message.getDest()) &&
            headersOf(message).stream().anyMatch(header -> header instanceof UnicastHeader3));
        final List<String> outcomes = eachOnItsThread(rank -> rank == 1 ?
            assertMissing(() -> world.get(rank).allGather("stuck", contributionOf(rank), SHORT)) :
            world.get(rank).allGather("stuck", contributionOf(rank), TIMEOUT).size() + " came");
        assertEquals(List.of("3 came", world.get(1).member(2).describe() +
            " gave nothing to all-gather 'stuck' within 1000 ms", "3 came"), outcomes);
    }

    @Test
    void shouldDeliverInOrderThoughTheFirstMessagesAreLost() throws Exception
    {
        form(NONE);
        final Address one = channels[1].getAddress();
        final AtomicInteger left = new AtomicInteger(25);
        LosingProtocol.insertInto(channels[2],
            message -> one.equals(message.getDest()) && left.getAndDecrement() > 0);
        final BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
        world.get(1).listen(new Recorder(heard));
        final List<Integer> said = IntStream.range(0, 20).boxed().toList();
        said.forEach(i -> world.get(2).announce(ByteBuffer.allocate(4).putInt(0, i)));
        assertGathered("late");
        final List<Integer> inOrder = new ArrayList<>();
        while (inOrder.size() < said.size())
        {
            inOrder.add(heard.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
        }
        assertEquals(said, inOrder);
        assertTrue(left.get() < 0, "messages were lost");
    }

    @Test
    void shouldDeliverWhatALeavingRankSaidThoughItIsLostAtFirst() throws Exception
    {
        form(NONE);
        final AtomicInteger left = new AtomicInteger(3);
        LosingProtocol.insertInto(channels[2], message -> channels[1].getAddress().equals(message.getDest()) &&
            headersOf(message).stream().anyMatch(header -> header instanceof UnicastHeader3) &&
            left.getAndDecrement() > 0);
        final BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
        world.get(1).listen(new Recorder(heard));
        world.get(2).announce(ByteBuffer.allocate(4).putInt(0, 5));
        world.get(2).close();
        assertEquals(5, heard.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
        assertTrue(left.get() < 0, "messages were lost");
    }

    /** TCP would try to connect to it, and meanwhile send nothing to the others. */
    @Test
    void shouldSendNothingMoreToALostRank() throws Exception
    {
        final String address = "127.0.0.1:" + JGroupsRendezvousTest.freePort();
        final AtomicBoolean isCut = new AtomicBoolean();
        world = eachOnItsThread(rank -> join(rank, address, TIMEOUT, SHORT, message -> isCut.get() &&
            (rank == 2 || channels[2].getAddress().equals(message.getDest())), channel ->
            {
            }));
        final List<BlockingQueue<Integer>> heard = List.of(new LinkedBlockingQueue<>(), new LinkedBlockingQueue<>());
        for (int rank = 0; rank < 2; rank++)
        {
            world.get(rank).listen(new Recorder(heard.get(rank)));
        }
        isCut.set(true);
        world.get(0).announce(ByteBuffer.allocate(4).putInt(0, 5));
        world.get(1).announce(ByteBuffer.allocate(4).putInt(0, 6));
        for (int rank = 0; rank < 2; rank++)
        {
            assertEquals(6 - rank, heard.get(rank).poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
            assertEquals(-3, heard.get(rank).poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
        }
        for (int rank = 0; rank < 2; rank++)
        {
            final UNICAST3 unicast = channels[rank].getProtocolStack().findProtocol(UNICAST3.class);
            await(() -> unicast.getNumUnackedMessages(channels[2].getAddress()) == 0);
        }
    }

    private void form(final Predicate<Message> isLost) throws Exception
    {
        final String address = "127.0.0.1:" + JGroupsRendezvousTest.freePort();
        world = eachOnItsThread(rank -> join(rank, address, TIMEOUT, isLost));
    }

    private JGroupsRendezvous join(
        final int rank, final String address, final Duration timeout, final Predicate<Message> isLost)
    {
        return join(rank, address, timeout, FAILURE_TIMEOUT, isLost, channel ->
        {
        });
    }

    private JGroupsRendezvous join(final int rank, final String address, final Duration timeout,
        final Duration failureTimeout, final Predicate<Message> isLost, final Consumer<JChannel> preparation)
    {
        return JGroupsRendezvous.join(JGroupsRendezvousConfig.builder().rank(rank).worldSize(RANKS).address(address)
            .timeout(timeout).failureTimeout(failureTimeout).build(), channel ->
            {
                channels[rank] = channel;
                LosingProtocol.insertInto(channel, isLost);
                preparation.accept(channel);
            });
    }

    private static void await(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "the condition did not come true in time");
            LockSupport.parkNanos(POLL_NS);
        }
    }

    private static boolean hasMembers(final JChannel channel, final int count)
    {
        final View view = channel.getView();
        return null != view && view.size() == count;
    }

    private static String assertMissing(final Executable action)
    {
        final RendezvousException ex = assertThrows(RendezvousException.class, action);
        assertEquals(Reason.MISSING_RANKS, ex.reason());
        return ex.getMessage();
    }

    private static boolean isDiscoveryAnswer(final Message message)
    {
        return headersOf(message).stream()
            .anyMatch(header -> header instanceof PingHeader ping && ping.type() == PingHeader.GET_MBRS_RSP);
    }

    private void assertGathered(final String topic) throws Exception
    {
        final List<ByteBuffer> all = IntStream.range(0, RANKS).mapToObj(LossyGroupTest::contributionOf).toList();
        assertEquals(List.of(all, all, all),
            eachOnItsThread(rank -> world.get(rank).allGather(topic, contributionOf(rank), TIMEOUT)));
    }

    private static ByteBuffer contributionOf(final int rank)
    {
        return ByteBuffer.allocate(4).putInt(0, rank);
    }

    private static List<Header> headersOf(final Message message)
    {
        return List.copyOf(message.getHeaders().values());
    }

    private <T> List<T> eachOnItsThread(final OfRank<T> work) throws Exception
    {
        final List<Callable<T>> calls = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++)
        {
            final int r = rank;
            calls.add(() -> work.at(r));
        }
        final List<T> results = new ArrayList<>();
        for (final Future<T> result : threads.invokeAll(calls))
        {
            results.add(result.get());
        }
        return results;
    }

    /** What each rank does. */
    @FunctionalInterface
    private interface OfRank<T>
    {
        T at(int rank) throws Exception;
    }

    /** Writes down announcements; a loss among them would show as a wrong number. */
    private record Recorder(BlockingQueue<Integer> heard) implements RendezvousListener
    {
        @Override
        public void onMemberLost(final Member member, final Loss loss, final String reason)
        {
            heard.add(-1 - member.rank());
        }

        @Override
        public void onAnnouncement(final int rank, final ByteBuffer message)
        {
            heard.add(message.getInt(0));
        }
    }
}
