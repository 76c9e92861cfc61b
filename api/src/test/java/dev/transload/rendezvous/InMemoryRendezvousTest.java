/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import dev.transload.rendezvous.RendezvousException.Reason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class InMemoryRendezvousTest
{
    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<InMemoryRendezvous> world = InMemoryRendezvous.world(3);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() throws InterruptedException
    {
        world.forEach(InMemoryRendezvous::close);
        threads.shutdown();
        assertTrue(threads.awaitTermination(30, TimeUnit.SECONDS));
    }

    @Test
    void shouldGiveEveryRankTheBytesOfAll() throws Exception
    {
        final List<Future<List<ByteBuffer>>> results = world.stream().map(rank -> threads.submit(() ->
            rank.allGather("topic", ByteBuffer.allocate(rank.rank()), LONG))).toList();
        for (final Future<List<ByteBuffer>> result : results)
        {
            assertEquals(List.of(0, 1, 2), result.get().stream().map(ByteBuffer::remaining).toList());
            assertTrue(result.get().stream().allMatch(ByteBuffer::isReadOnly));
        }
    }

    @Test
    void shouldRefuseATopicThatWasUsed() throws Exception
    {
        shouldGiveEveryRankTheBytesOfAll();
        final IllegalArgumentException ex = assertThrows(IllegalArgumentException.class,
            () -> world.get(0).allGather("topic", ByteBuffer.allocate(1), LONG));
        assertTrue(ex.getMessage().contains("'topic'"), ex.getMessage());
    }

    @Test
    void shouldNameTheRanksThatGaveNothing()
    {
        final RendezvousException ex = assertThrows(RendezvousException.class,
            () -> world.get(1).allGather("topic", ByteBuffer.allocate(1), Duration.ofMillis(10)));
        assertEquals(Reason.MISSING_RANKS, ex.reason());
        assertTrue(ex.getMessage().startsWith(world.get(1).member(0).describe() + ", " +
            world.get(1).member(2).describe()), ex.getMessage());
    }

    @Test
    void shouldTellALossToAllListenersOnceAndFailWhoWaits() throws Exception
    {
        final BlockingQueue<String> early = listenTo(world.get(0));
        final Future<List<ByteBuffer>> waiting = threads.submit(() ->
            world.get(0).allGather("topic", ByteBuffer.allocate(1), LONG));
        world.get(2).lose("its plug was pulled");
        world.get(2).lose("again");
        world.get(1).announce(ByteBuffer.allocate(4));
        final List<String> expected = List.of("lost 2: its plug was pulled", "1 says 0");
        assertEquals(expected, take(early, 2));
        assertEquals(expected, take(listenTo(world.get(0)), 2));
        final RendezvousException ex = assertInstanceOf(RendezvousException.class,
            assertThrows(ExecutionException.class, waiting::get).getCause());
        assertEquals(Reason.MEMBER_LOST, ex.reason());
        assertTrue(ex.getMessage().contains("its plug was pulled"), ex.getMessage());
    }

    @Test
    void shouldCountWhatALostRankGaveBefore() throws Exception
    {
        final Future<List<ByteBuffer>> lost = threads.submit(() ->
            world.get(2).allGather("topic", ByteBuffer.allocate(2), LONG));
        final Future<List<ByteBuffer>> zero = threads.submit(() ->
            world.get(0).allGather("topic", ByteBuffer.allocate(0), LONG));
        world.get(1).allGather("topic", ByteBuffer.allocate(1), LONG);
        lost.get();
        world.get(2).lose("it is tested");
        assertEquals(2, zero.get().get(2).remaining());
    }

    @Test
    void shouldAnnounceInOrder() throws Exception
    {
        final BlockingQueue<String> told = listenTo(world.get(2));
        IntStream.range(0, 50).forEach(i -> world.get(0).announce(ByteBuffer.allocate(4).putInt(0, i)));
        assertEquals(IntStream.range(0, 50).mapToObj(i -> "0 says " + i).toList(), take(told, 50));
    }

    @Test
    void shouldRefuseAnAnnouncementThatIsTooLong()
    {
        assertThrows(IllegalArgumentException.class,
            () -> world.get(0).announce(ByteBuffer.allocate(Rendezvous.MAX_ANNOUNCEMENT_BYTES + 1)));
    }

    @Test
    void shouldNotCallAnOrderlyCloseALoss() throws Exception
    {
        final BlockingQueue<String> told = listenTo(world.get(0));
        world.get(2).close();
        world.get(1).announce(ByteBuffer.allocate(4));
        assertEquals(List.of("1 says 0"), take(told, 1));
        assertEquals(Reason.MEMBER_LOST, assertThrows(RendezvousException.class,
            () -> world.get(0).allGather("topic", ByteBuffer.allocate(1), LONG)).reason());
        assertEquals(Reason.CLOSED, assertThrows(RendezvousException.class,
            () -> world.get(2).announce(ByteBuffer.allocate(1))).reason());
    }

    @Test
    void shouldRefuseAnEmptyWorld()
    {
        assertThrows(IllegalArgumentException.class, () -> InMemoryRendezvous.world(0));
    }

    private static BlockingQueue<String> listenTo(final Rendezvous rendezvous)
    {
        final BlockingQueue<String> told = new LinkedBlockingQueue<>();
        rendezvous.listen(new RendezvousListener()
        {
            @Override
            public void onMemberLost(final Member member, final Loss loss, final String reason)
            {
                told.add("lost " + member.rank() + ": " + reason);
            }

            @Override
            public void onAnnouncement(final int rank, final ByteBuffer message)
            {
                told.add(rank + " says " + message.getInt(0));
            }
        });
        return told;
    }

    private static List<String> take(final BlockingQueue<String> told, final int count) throws InterruptedException
    {
        final List<String> taken = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            taken.add(String.valueOf(told.poll(LONG.toSeconds(), TimeUnit.SECONDS)));
        }
        return taken;
    }

    @Test
    void shouldRejoinOnlyInThePlaceOfALostRank()
    {
        final List<InMemoryRendezvous> world = InMemoryRendezvous.world(2);
        assertThrows(IllegalStateException.class, world.get(1)::rejoin);
        world.get(1).lose("its process was killed");
        final InMemoryRendezvous fresh = world.get(1).rejoin();
        assertThrows(IllegalStateException.class, world.get(1)::rejoin);
        assertEquals(fresh.member(1), world.get(0).member(1));
        assertTrue(fresh.member(1).incarnation() > world.get(1).member(1).incarnation());
    }

    /** The earlier process has given its bytes, and a third rank has not. */
    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void shouldEndTheWaitForAProcessWhosePlaceAnotherTook()
    {
        final List<Member> members = IntStream.range(0, 3).mapToObj(world.get(0)::member).toList();
        final Future<List<ByteBuffer>> given =
            threads.submit(() -> world.get(2).allGather("topic", ByteBuffer.allocate(1), LONG, members));
        final Future<List<ByteBuffer>> waiting =
            threads.submit(() -> world.get(0).allGather("topic", ByteBuffer.allocate(1), LONG, members));
        world.get(2).lose("its process was killed");
        world.get(2).rejoin();
        assertInstanceOf(RendezvousException.class, assertThrows(ExecutionException.class, given::get).getCause());
        final Throwable told = assertThrows(ExecutionException.class, waiting::get).getCause();
        assertEquals(Reason.MEMBER_LOST, assertInstanceOf(RendezvousException.class, told).reason());
    }

    @Test
    void shouldRejoinAfterItWasClosed()
    {
        final Member before = world.get(1).member(1);
        world.get(1).close();
        final InMemoryRendezvous fresh = world.get(1).rejoin();
        assertTrue(fresh.member(1).incarnation() > before.incarnation());
        assertEquals(fresh.member(1), world.get(2).member(1));
        assertTrue(fresh.hasReturned());
    }
}
