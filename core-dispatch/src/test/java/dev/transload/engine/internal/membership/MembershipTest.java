/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.internal.membership.Membership.Status;
import dev.transload.engine.internal.membership.Message.Accept;
import dev.transload.engine.internal.membership.Message.Commit;
import dev.transload.engine.internal.membership.Message.Envelope;
import dev.transload.engine.internal.membership.Message.Prepare;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of a world by single failures, step by step. */
class MembershipTest
{
    private static final int SIZE = 4;

    private final Membership[] ranks =
        IntStream.range(0, SIZE).mapToObj((rank) -> Membership.member(rank, SIZE)).toArray(Membership[]::new);
    private final boolean[][] cut = new boolean[SIZE][SIZE];

    @Test
    void shouldTellVerdictsApart()
    {
        assertEquals(Verdict.ALIVE, ranks[0].verdict(3));
        ranks[1].silent(3);
        assertEquals(Verdict.SUSPECTED, ranks[1].verdict(3));
        ranks[0].gone(3);
        assertEquals(Verdict.DEAD, ranks[0].verdict(3));
        assertFalse(ranks[0].mayBegin());
        ranks[3] = Membership.returning(3, SIZE, 1);
        settle();
        assertEquals(Verdict.EVICTED, ranks[1].verdict(3));
        assertTrue(ranks[1].mayBegin());

        ranks[0].began();
        ranks[3].timeoutPassed();
        settle();
        assertEquals(Verdict.READMITTED, ranks[1].verdict(3));
        assertEquals(2, ranks[1].view().firstCall());
        assertEquals(2, ranks[3].nextCall());
        ranks[1].began();
        ranks[1].began();
        assertEquals(Verdict.ALIVE, ranks[1].verdict(3));
    }

    @Test
    void shouldAgreeOnAllSurvivorsOfTwoDeaths()
    {
        ranks[2].gone(0);
        ranks[3].gone(1);
        isolate(0);
        isolate(1);
        ranks[2].gone(1);
        settle();
        assertViews(RankSet.of(2, 3), 2, 3);
    }

    @Test
    void shouldEvictTheRankThatNobodyHears()
    {
        IntStream.range(0, SIZE).forEach((to) -> cut[0][to] = true);
        IntStream.range(1, SIZE).forEach((rank) -> ranks[rank].silent(0));
        settle();
        ranks[1].timeoutPassed();
        settle();
        assertViews(RankSet.of(1, 2, 3), 1, 2, 3);
        assertEquals(Status.EVICTED, ranks[0].status());
    }

    @Test
    void shouldKeepTheLowestRankWhereOneLinkIsCutOneWay()
    {
        cut[0][3] = true;
        ranks[3].silent(0);
        settle();
        ranks[1].timeoutPassed();
        settle();
        assertViews(RankSet.of(0, 1, 2), 0, 1, 2);
        assertEquals(Status.EVICTED, ranks[3].status());
    }

    @Test
    void shouldLetTheHalfWithTheLowestRankGoOn()
    {
        for (final int one : new int[]{0, 2})
        {
            for (final int other : new int[]{1, 3})
            {
                cut[one][other] = true;
                cut[other][one] = true;
                ranks[one].silent(other);
                ranks[other].silent(one);
            }
        }

        settle();
        IntStream.of(0, 1, 3).forEach((rank) -> ranks[rank].timeoutPassed());
        settle();
        assertViews(RankSet.of(0, 2), 0, 2);
        IntStream.range(0, SIZE).forEach((rank) -> ranks[rank].deadlineOver());
        assertEquals(Status.NO_MAJORITY, ranks[1].status());
        assertEquals(Status.NO_MAJORITY, ranks[3].status());
        assertEquals(Status.MEMBER, ranks[0].status());
    }

    @Test
    void shouldTellARankOfAnOlderViewThatItIsEvicted()
    {
        isolate(3);
        IntStream.range(0, 3).forEach((rank) -> ranks[rank].silent(3));
        settle();
        ranks[0].timeoutPassed();
        settle();
        assertViews(RankSet.of(0, 1, 2), 0, 1, 2);
        assertEquals(Status.MEMBER, ranks[3].status());

        // It was stopped, and goes on where it was.
        ranks[1].receive(3, new Prepare(0, SIZE + 3));
        ranks[1].takeMessages().forEach((envelope) -> ranks[3].receive(1, envelope.message()));
        assertEquals(Status.EVICTED, ranks[3].status());
        assertViews(RankSet.of(0, 1, 2), 0, 1, 2);
    }

    /** Two ranks propose, each without the other, and the votes of one come when the other's view holds. */
    @Test
    void shouldNotVoteInAViewThatIsOver()
    {
        final int size = 3;
        final Membership[] three =
            IntStream.range(0, size).mapToObj((rank) -> Membership.member(rank, size)).toArray(Membership[]::new);
        final List<List<Deque<Message>>> ways = IntStream.range(0, size).mapToObj((from) ->
            IntStream.range(0, size).<Deque<Message>>mapToObj((to) -> new ArrayDeque<>()).toList()).toList();
        three[0].silent(1);
        three[1].silent(0);
        deliver(three, ways, 0, 2, 2);
        three[2].silent(0);
        deliver(three, ways, 0, 1, 2);
        deliver(three, ways, 2, 1, 1);
        deliver(three, ways, 1, 2, 2);
        deliver(three, ways, 2, 0, 1);
        deliver(three, ways, 1, 0, 2);
        assertInstanceOf(Accept.class, ways.get(0).get(2).peek());

        deliver(three, ways, 2, 1, 1);
        three[1].timeoutPassed();
        deliver(three, ways, 1, 2, 1);
        deliver(three, ways, 2, 1, 1);
        deliver(three, ways, 1, 2, 1);
        assertEquals(RankSet.of(1, 2), three[2].view().alive());

        deliver(three, ways, 0, 2, 1);
        assertEquals(new Commit(three[2].view()), ways.get(2).get(0).peekLast());
        deliver(three, ways, 2, 0, ways.get(2).get(0).size());
        assertEquals(Status.EVICTED, three[0].status());
        assertEquals(three[1].view(), three[2].view());
    }

    /** The next messages from one rank to another arrive. */
    private static void deliver(
        final Membership[] ranks, final List<List<Deque<Message>>> ways, final int from, final int to, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            collect(ranks, ways);
            ranks[to].receive(from, ways.get(from).get(to).remove());
            collect(ranks, ways);
        }
    }

    private static void collect(final Membership[] ranks, final List<List<Deque<Message>>> ways)
    {
        for (int rank = 0; rank < ranks.length; rank++)
        {
            for (final Envelope envelope : ranks[rank].takeMessages())
            {
                ways.get(rank).get(envelope.to()).add(envelope.message());
            }
        }
    }

    private void isolate(final int rank)
    {
        for (int other = 0; other < SIZE; other++)
        {
            cut[rank][other] = true;
            cut[other][rank] = true;
        }
    }

    private void settle()
    {
        boolean isBusy = true;
        while (isBusy)
        {
            isBusy = false;
            for (int rank = 0; rank < SIZE; rank++)
            {
                for (final Envelope envelope : ranks[rank].takeMessages())
                {
                    isBusy = true;
                    if (!cut[rank][envelope.to()])
                    {
                        ranks[envelope.to()].receive(rank, envelope.message());
                    }
                }
            }
        }
    }

    private void assertViews(final RankSet alive, final int... members)
    {
        for (final int rank : members)
        {
            assertEquals(Status.MEMBER, ranks[rank].status());
            assertEquals(alive, ranks[rank].view().alive());
            assertEquals(1, ranks[rank].view().epoch());
        }
    }
}
