/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each engine hears its own others, also of what was before; memory goes when no rank writes to it any more. */
class EngineNewsTest
{
    private static final long DEADLINE_NS = 10_000_000_000L;
    private static final long POLL_NS = 20_000;
    private static final int RANKS = 3;

    private final List<InMemoryRendezvous> world = InMemoryRendezvous.world(RANKS);
    private final List<EngineNews> news = new ArrayList<>();
    private final AtomicBoolean isFreed = new AtomicBoolean();

    EngineNewsTest()
    {
        world.forEach((own) -> news.add(new EngineNews(own)));
    }

    @AfterEach
    void close()
    {
        world.forEach(InMemoryRendezvous::close);
    }

    private static final class Heard implements EngineListener
    {
        private final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public void onClosed(final int rank)
        {
            events.add(rank + " closed");
        }

        @Override
        public void onMemberLost(final Member member, final Loss loss, final String reason)
        {
            events.add(member.rank() + " lost");
        }

        @Override
        public void onAnnouncement(final int rank, final ByteBuffer message)
        {
            events.add(rank + " says " + message.get());
        }
    }

    private Heard listen(final int rank, final int number)
    {
        final Heard heard = new Heard();
        news.get(rank).listen(number, heard);
        return heard;
    }

    private void join(final int number)
    {
        news.forEach((each) -> each.join(number));
    }

    private void say(final int rank, final int number, final int word)
    {
        news.get(rank).announce(number, ByteBuffer.wrap(new byte[]{(byte)word}));
    }

    private static void await(final BooleanSupplier condition)
    {
        final long beginNs = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - beginNs < DEADLINE_NS, "not told in time");
            LockSupport.parkNanos(POLL_NS);
        }
    }

    @Test
    void shouldTellAnEngineWhatItsOwnOthersSay()
    {
        join(0);
        join(1);
        final Heard first = listen(0, 0);
        final Heard second = listen(0, 1);
        say(1, 1, 5);
        say(1, 0, 6);
        await(() -> !first.events.isEmpty());
        assertEquals(List.of("1 says 6"), first.events);
        assertEquals(List.of("1 says 5"), second.events);
    }

    @Test
    void shouldKeepWhatIsSaidToAnEngineThatIsNotOpenYet()
    {
        join(0);
        final Heard first = listen(0, 0);
        // Rank 1 is ahead: it opens engine 1, gives up, and closes it.
        news.get(1).join(1);
        say(1, 1, 7);
        news.get(1).retire(1, () -> {});
        world.get(2).lose("gone");
        say(1, 0, 8);
        await(() -> first.events.size() > 1);
        assertEquals(List.of("2 lost", "1 says 8"), first.events);
        news.get(0).join(1);
        final Heard second = listen(0, 1);
        assertEquals(List.of("2 lost", "1 says 7", "1 closed"), second.events);
    }

    @Test
    void shouldIgnoreWhatTheApplicationAnnounces()
    {
        join(0);
        final Heard heard = listen(0, 0);
        world.get(1).announce(ByteBuffer.wrap(new byte[]{1, 2}));
        world.get(1).announce(ByteBuffer.allocate(40));
        say(1, 0, 9);
        await(() -> !heard.events.isEmpty());
        assertEquals(List.of("1 says 9"), heard.events);
    }

    @Test
    void shouldFreeMemoryWhenAllRanksHaveClosed()
    {
        join(0);
        news.get(1).retire(0, () -> {});
        news.get(0).retire(0, () -> isFreed.set(true));
        final Heard other = other();
        assertFalse(isFreed.get(), "rank 2 may still write");
        news.get(2).retire(0, () -> {});
        await(isFreed::get);
        assertEquals(1, other.events.size());
    }

    /** An engine of rank 0 that has heard what all ranks had said by now. */
    private Heard other()
    {
        join(1);
        final Heard heard = listen(0, 1);
        say(1, 1, 1);
        await(() -> !heard.events.isEmpty());
        return heard;
    }

    /** It may only have been stopped, and a transport that uses memory again may not have noticed. */
    @Test
    void shouldKeepMemoryThatALostRankMayStillWriteTo()
    {
        join(0);
        join(1);
        world.get(2).lose("gone");
        news.get(0).retire(0, () -> isFreed.set(true));
        news.get(1).retire(0, () -> {});
        final Heard other = listen(0, 1);
        say(1, 1, 1);
        await(() -> other.events.contains("1 says 1"));
        assertFalse(isFreed.get(), "rank 2 may still write");
        news.get(0).end();
        assertTrue(isFreed.get());
    }

    @Test
    void shouldFreeWhatIsLeftAtTheEnd()
    {
        join(0);
        news.get(0).retire(0, () -> isFreed.set(true));
        news.get(0).end();
        assertTrue(isFreed.get());
    }

    @Test
    void shouldFreeMemoryWhenTheLastProcessThatMayWriteHasEnded()
    {
        join(0);
        news.forEach((each) -> each.only(0, members()));
        news.get(0).retire(0, () -> isFreed.set(true));
        news.get(1).retire(0, () -> {});
        assertFalse(isFreed.get());
        final long incarnation = world.get(0).member(2).incarnation();
        assertFalse(news.get(0).isGone(2, incarnation));
        world.get(2).lose("its process was killed");
        await(isFreed::get);
        assertTrue(news.get(0).isGone(2, incarnation));
        assertFalse(news.get(0).isGone(2, incarnation + 1));
    }

    /** Calls of later engines may use what an earlier one has given out. */
    @Test
    void shouldKeepWhatIsLeftOfARetiredEngineUntilTheLastOneIsClosed()
    {
        join(0);
        news.forEach((each) -> each.retire(0, () -> {}));
        join(1);
        news.get(0).keep(0, () -> isFreed.set(true));
        assertFalse(isFreed.get());
        news.get(0).retire(1, () -> {});
        news.get(1).retire(1, () -> {});
        assertFalse(isFreed.get());
        news.get(2).retire(1, () -> {});
        await(isFreed::get);
    }

    @Test
    void shouldTellAnEngineThatAnotherProcessTookTheOnesPlaceThatIsMeant()
    {
        join(0);
        final List<Member> before = members();
        world.get(2).lose("its process was killed");
        final InMemoryRendezvous again = world.get(2).rejoin();
        news.get(0).only(0, before);
        await(() -> before.get(2).incarnation() < world.get(0).member(2).incarnation());
        final Heard heard = listen(0, 0);
        await(() -> heard.events.contains("2 lost"));
        join(1);
        news.get(0).only(1, members());
        final Heard next = listen(0, 1);
        say(1, 1, 5);
        await(() -> next.events.contains("1 says 5"));
        assertEquals(List.of("1 says 5"), next.events);
        again.close();
    }

    private List<Member> members()
    {
        return IntStream.range(0, RANKS).mapToObj(world.get(0)::member).toList();
    }
}
