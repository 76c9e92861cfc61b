/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.EvictedException;
import dev.transload.engine.GroupChangedException;
import dev.transload.engine.internal.membership.Message;
import dev.transload.engine.internal.membership.MessageCodec;
import dev.transload.rendezvous.Loss;
import dev.transload.spi.PeerFailedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks agree on who is left, over a network that loses what a test says. */
@Timeout(30)
class GroupAgreementTest
{
    private static final int PREFIX = -1;
    private static final int LAST_WORD = -2;
    private static final Duration LIVENESS = Duration.ofMillis(400);
    private static final Duration OPEN = Duration.ofSeconds(30);

    private final List<GroupAgreement> ranks = new ArrayList<>();
    /** Sender times 100, plus receiver. */
    private final Set<Integer> cuts = ConcurrentHashMap.newKeySet();
    private final List<String> announced = Collections.synchronizedList(new ArrayList<>());
    private final Set<Integer> fallenSilent = ConcurrentHashMap.newKeySet();

    /** What a rank hears only when it has opened its engine. */
    private final List<Runnable> held = Collections.synchronizedList(new ArrayList<>());
    private volatile int late = -1;
    /** Ranks that closed behind a ballot. */
    private final Set<Integer> lastWords = ConcurrentHashMap.newKeySet();

    /** A rank that hears nothing of the view from rank 0; what rank 0 said last of anything else. */
    private volatile int uninformed = -1;
    private volatile ByteBuffer saidByFirst;

    @AfterEach
    void close()
    {
        ranks.forEach(GroupAgreement::close);
    }

    @Test
    void shouldAgreeWithoutARankThatWasKilled()
    {
        world(4);
        kill(1);
        settle(0, 2, 3).forEach((outcome) -> assertChanged(outcome, List.of(0, 2, 3), List.of(1)));
    }

    @Test
    void shouldGoOnAloneWhenTheOnlyOtherRankWasKilled()
    {
        world(2);
        kill(0);
        settle(1).forEach((outcome) -> assertChanged(outcome, List.of(1), List.of(0)));
    }

    /** The rank still opens its engine, and the others wait for it there anyway. */
    @Test
    void shouldWaitForARankThatHasNotMetTheOthersYet()
    {
        world(4, false);
        late = 2;
        kill(3);
        final CallFailedException failure = told();
        final long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < 3 * LIVENESS.toNanos())
        {
            assertNull(ranks.get(0).settle(failure, announcement(0)));
            assertNull(ranks.get(1).settle(failure, announcement(1)));
            Thread.onSpinWait();
        }

        // It hears all of it when it comes.
        late = -1;
        held.forEach(Runnable::run);
        settle(0, 1, 2).forEach((outcome) -> assertChanged(outcome, List.of(0, 1, 2), List.of(3)));
    }

    /** A view is not changed by what follows it: every rank ends with the first one. */
    @Test
    void shouldEndWithTheFirstViewWhereARankThatIsInItClosesEarly()
    {
        world(4);
        kill(1);
        settle(0, 3).forEach((outcome) -> assertChanged(outcome, List.of(0, 2, 3), List.of(1)));
        for (final int closed : new int[]{ 0, 3 })
        {
            ranks.get(closed).close();
            assertTrue(lastWords.contains(closed));
            ranks.get(2).lost(closed, Loss.SILENT);
        }

        settle(2).forEach((outcome) -> assertChanged(outcome, List.of(0, 2, 3), List.of(1)));
    }

    /** Who told the view is lost before all have heard it: the others tell it again, and nobody waits for its turn. */
    @Test
    void shouldHearOfTheViewFromOthersWhereARankInItIsLost()
    {
        final CallFailedException failure = agreeWithoutTelling(4);
        final long beginNs = System.nanoTime();
        kill(0);
        assertChanged(await(4, failure), List.of(0, 1, 2, 3, 4), List.of(5));
        assertTrue(System.nanoTime() - beginNs < LIVENESS.toNanos(), "waited for its turn");
    }

    /** What comes late puts off its turn, but not beyond the deadline. */
    @Test
    void shouldAskForTheViewBeforeTheDeadline()
    {
        final CallFailedException failure = agreeWithoutTelling(4);
        final long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < LIVENESS.toNanos() / 2)
        {
            assertNull(ranks.get(4).settle(failure, announcement(4)));
            Thread.onSpinWait();
        }

        ranks.get(4).receive(0, saidByFirst.duplicate());
        assertChanged(await(4, failure), List.of(0, 1, 2, 3, 4), List.of(5));
    }

    /** Six ranks of which the last one is killed; one of the others does not hear what they agree on. */
    private CallFailedException agreeWithoutTelling(final int rank)
    {
        world(6);
        uninformed = rank;
        kill(5);
        final CallFailedException failure = told();
        assertNull(ranks.get(rank).settle(failure, announcement(rank)));
        settle(0, 1, 2, 3).forEach((outcome) -> assertChanged(outcome, List.of(0, 1, 2, 3, 4), List.of(5)));
        return failure;
    }

    @Test
    void shouldLeaveOutARankThatDoesNotAnswer()
    {
        world(4);
        fallenSilent.add(0);
        for (final int rank : new int[]{ 1, 2, 3 })
        {
            ranks.get(rank).lost(0, Loss.SILENT);
        }

        settle(1, 2, 3).forEach((outcome) -> assertChanged(outcome, List.of(1, 2, 3), List.of(0)));
    }

    /** A rank that may decide nothing without the others waits for them. */
    @Test
    void shouldHearRanksAgainThatAnswerLate()
    {
        world(4);
        fallenSilent.addAll(List.of(1, 2));
        kill(3);
        final CallFailedException failure = told();
        final long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < LIVENESS.toNanos() / 2)
        {
            assertNull(ranks.get(0).settle(failure, announcement(0)));
            Thread.onSpinWait();
        }

        fallenSilent.removeAll(List.of(1, 2));
        settle(0, 1, 2).forEach((outcome) -> assertChanged(outcome, List.of(0, 1, 2), List.of(3)));
    }

    @Test
    void shouldTellARankThatResumesThatItWasLeftOut()
    {
        world(3);
        fallenSilent.add(2);
        ranks.get(0).lost(2, Loss.SILENT);
        settle(0, 1).forEach((outcome) -> assertChanged(outcome, List.of(0, 1), List.of(2)));

        fallenSilent.clear();
        final EvictedException eviction = assertInstanceOf(EvictedException.class, await(2, transportFailure(0)));
        assertEquals(2, eviction.peer());
        assertEquals(List.of(0, 1), eviction.alive());
    }

    /** What one rank alone sees is agreed on by all, whichever of the two it is about. */
    @Test
    void shouldAgreeOnALinkThatBroke()
    {
        world(3);
        final CallFailedException seen = transportFailure(2);
        ranks.get(1).settle(seen, announcement(1));
        final List<CallFailedException> outcomes = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++)
        {
            outcomes.add(await(rank, 1 == rank ? seen : told()));
        }

        assertChanged(outcomes.get(0), List.of(0, 1), List.of(2));
        assertChanged(outcomes.get(1), List.of(0, 1), List.of(2));
        assertInstanceOf(EvictedException.class, outcomes.get(2));
    }

    /** Rank 1 has ended call 2, with which all ranks were done; rank 0 is about to. */
    @Test
    void shouldHaveACallCountOnAllRanksOrOnNone()
    {
        world(3);
        assertTrue(ranks.get(0).count());
        assertTrue(ranks.get(1).count());
        assertTrue(ranks.get(1).count());
        ranks.get(0).lost(2, Loss.GONE);
        assertFalse(ranks.get(0).count(), "after this rank has said how many calls count");
        kill(2);
        settle(0, 1).forEach((outcome) -> assertChanged(outcome, List.of(0, 1), List.of(2)));
        for (final int rank : new int[]{ 0, 1 })
        {
            assertFalse(ranks.get(rank).count());
            assertTrue(ranks.get(rank).isCounted(2), "ended on rank 1");
            assertFalse(ranks.get(rank).isCounted(3), "ended on no rank");
        }
    }

    @Test
    void shouldDecideInOneHalfOfAPartitionOnly()
    {
        world(4);
        for (final int[] cut : new int[][]{ { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 } })
        {
            cuts.add(cut[0] * 100 + cut[1]);
            cuts.add(cut[1] * 100 + cut[0]);
            ranks.get(cut[0]).lost(cut[1], Loss.SILENT);
            ranks.get(cut[1]).lost(cut[0], Loss.SILENT);
        }

        final List<CallFailedException> outcomes = settle(0, 1, 2, 3);
        assertChanged(outcomes.get(0), List.of(0, 1), List.of(2, 3));
        assertChanged(outcomes.get(1), List.of(0, 1), List.of(2, 3));
        for (final CallFailedException outcome : outcomes.subList(2, 4))
        {
            assertEquals(Reason.PEER_FAILED, outcome.reason());
            assertTrue(outcome.getMessage().endsWith(
                " found no majority of ranks 0, 1, 2, 3 to go on with within 800 ms"), outcome::getMessage);
        }
    }

    @Test
    void shouldSayWhatFailedBeforeItSaysAnythingAboutTheGroup()
    {
        world(3);
        ranks.get(0).lost(2, Loss.GONE);
        assertEquals(List.of(), announced);
        ranks.get(0).settle(told(), announcement(0));
        await(0, told());
        assertEquals("rank 0 gives up", announced.get(0));
    }

    @Test
    void shouldEndWithTheFailureWhereNobodyIsLost()
    {
        world(2);
        final CallFailedException failure = told();
        assertSame(failure, await(0, failure));
    }

    /** Others may need its vote, but not for long. */
    @Test
    void shouldNotWaitLongForAgreementWhenItCloses()
    {
        world(3, false);
        fallenSilent.addAll(List.of(1, 2));
        ranks.get(0).lost(1, Loss.GONE);
        final CallFailedException failure = told();
        assertNull(ranks.get(0).settle(failure, announcement(0)));
        ranks.get(0).close();
        assertSame(failure, ranks.get(0).settle(failure, announcement(0)));
    }

    @Test
    void shouldNotWaitForARendezvousThatBlocks()
    {
        final CountDownLatch unblocked = new CountDownLatch(1);
        ranks.add(new GroupAgreement(0, 2, List.of(0, 1), Duration.ofMillis(50), OPEN, PREFIX, LAST_WORD, (message) ->
        {
            try
            {
                unblocked.await();
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
        }));
        ranks.get(0).met();
        final CallFailedException failure = told();
        assertSame(failure, await(0, failure));
        unblocked.countDown();
    }

    private void receive(final int rank, final int sender, final ByteBuffer message)
    {
        if (late == rank)
        {
            held.add(() -> ranks.get(rank).receive(sender, message));
        }
        else
        {
            ranks.get(rank).receive(sender, message);
        }
    }

    private void world(final int size)
    {
        world(size, true);
    }

    private void world(final int size, final boolean haveMet)
    {
        for (int rank = 0; rank < size; rank++)
        {
            final int sender = rank;
            ranks.add(new GroupAgreement(rank, size, IntStream.range(0, size).boxed().toList(), LIVENESS, OPEN,
                PREFIX, LAST_WORD, (message) -> deliver(sender, message)));
            if (haveMet)
            {
                ranks.get(rank).met();
            }
        }
    }

    private void deliver(final int sender, final ByteBuffer message)
    {
        if (LAST_WORD == message.getInt(0))
        {
            lastWords.add(sender);
            return;
        }

        if (PREFIX != message.getInt(0))
        {
            announced.add(StandardCharsets.UTF_8.decode(message.duplicate()).toString());
            return;
        }

        announced.add("about the group");
        for (int rank = 0; rank < ranks.size(); rank++)
        {
            if (rank != sender && !fallenSilent.contains(rank) && !fallenSilent.contains(sender) &&
                !cuts.contains(sender * 100 + rank))
            {
                final ByteBuffer copy = message.duplicate();
                copy.getInt();
                if (0 != sender || uninformed != rank || !isOfTheView(copy))
                {
                    receive(rank, sender, copy);
                }
            }
        }
    }

    private boolean isOfTheView(final ByteBuffer message)
    {
        final boolean isCommit =
            new MessageCodec(ranks.size()).decode(message.duplicate()).message() instanceof Message.Commit;
        saidByFirst = isCommit ? saidByFirst : message.duplicate();
        return isCommit;
    }

    private void kill(final int dead)
    {
        fallenSilent.add(dead);
        IntStream.range(0, ranks.size()).filter((rank) -> rank != dead)
            .forEach((rank) -> ranks.get(rank).lost(dead, Loss.GONE));
    }

    private List<CallFailedException> settle(final int... who)
    {
        final CallFailedException[] failures =
            IntStream.of(who).mapToObj((rank) -> told()).toArray(CallFailedException[]::new);
        for (int i = 0; i < who.length; i++)
        {
            ranks.get(who[i]).settle(failures[i], announcement(who[i]));
        }

        return IntStream.range(0, who.length).mapToObj((i) -> await(who[i], failures[i])).toList();
    }

    /** Within twice the liveness time-out. */
    private CallFailedException await(final int rank, final CallFailedException failure)
    {
        CallFailedException outcome = ranks.get(rank).settle(failure, announcement(rank));
        while (null == outcome)
        {
            Thread.onSpinWait();
            outcome = ranks.get(rank).settle(failure, announcement(rank));
        }

        assertNotNull(outcome);
        return outcome;
    }

    private static void assertChanged(
        final CallFailedException outcome, final List<Integer> alive, final List<Integer> dead)
    {
        final GroupChangedException change = assertInstanceOf(GroupChangedException.class, outcome);
        assertEquals(alive, change.alive());
        assertEquals(dead, change.dead());
        assertEquals(1, change.view());
    }

    private static CallFailedException told()
    {
        return new CallFailedException(Reason.PEER_FAILED, -1, "a rank failed", null);
    }

    private static CallFailedException transportFailure(final int peer)
    {
        final PeerFailedException cause = new PeerFailedException(peer, "no sign of life", 0, null);
        return new CallFailedException(Reason.PEER_FAILED, peer, cause.getMessage(), cause);
    }

    private static ByteBuffer announcement(final int rank)
    {
        return ByteBuffer.wrap(("rank " + rank + " gives up").getBytes(StandardCharsets.UTF_8));
    }
}
