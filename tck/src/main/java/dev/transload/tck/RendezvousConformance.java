/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;

/**
 * Conformance kit for rendezvous implementations. To use it, write one subclass in the tests of the rendezvous and
 * implement {@link #fixture}.
 */
public abstract class RendezvousConformance
{
    private static final int RANKS = 3;
    private static final int MESSAGES = 20;
    private static final long SHORT_MS = 500;

    /** Constructor for subclasses. */
    protected RendezvousConformance()
    {
    }

    /**
     * Creates a fixture for one test.
     *
     * @return new fixture.
     */
    public abstract RendezvousFixture fixture();

    /** Tests that all members know the ranks, the world size and the other members. */
    @Rule("RDV-1")
    public void rdv1MembersKnowTheWorld()
    {
        try (RendezvousWorld world = new RendezvousWorld(fixture(), RANKS))
        {
            for (int rank = 0; rank < RANKS; rank++)
            {
                assertEquals(rank, world.member(rank).rank());
                assertEquals(RANKS, world.member(rank).worldSize());
                for (int other = 0; other < RANKS; other++)
                {
                    final Member member = world.member(rank).member(other);
                    assertEquals(other, member.rank());
                    assertEquals(world.member(other).member(other), member, "ranks disagree on member " + other);
                }
            }
        }
    }

    /** Tests that an all-gather gives every rank all contributions to its topic, in the order of the ranks. */
    @Rule("RDV-2")
    public void rdv2AllGatherGivesEverybodyEverything()
    {
        try (RendezvousWorld world = new RendezvousWorld(fixture(), RANKS))
        {
            for (int round = 0; round < 5; round++)
            {
                final String topic = "topic-" + round;
                final int length = 100 * round;
                final List<List<ByteBuffer>> gathered = world.all(RANKS, (rank) -> world.member(rank).allGather(
                    topic, ByteBuffer.wrap(Lane.pattern(length * rank, rank)), world.fixture().timeout()));
                for (final List<ByteBuffer> all : gathered)
                {
                    assertEquals(RANKS, all.size());
                    for (int rank = 0; rank < RANKS; rank++)
                    {
                        assertTrue(all.get(rank).isReadOnly(), "bytes can be written to");
                        final byte[] bytes = new byte[all.get(rank).remaining()];
                        all.get(rank).duplicate().get(bytes);
                        assertArrayEquals(Lane.pattern(length * rank, rank), bytes, "bytes of rank " + rank);
                    }
                }
            }
        }
    }

    /** Tests that, if some ranks do not join, the error names these ranks. */
    @Rule("RDV-3")
    public void rdv3MissingRanksAreNamed()
    {
        try (RendezvousWorld world = new RendezvousWorld(fixture(), RANKS))
        {
            final Future<List<ByteBuffer>> waiting = world.gather(0, "missing", new byte[1], SHORT_MS);
            final Future<List<ByteBuffer>> also = world.gather(1, "missing", new byte[1], SHORT_MS);
            for (final Future<List<ByteBuffer>> future : List.of(waiting, also))
            {
                final RendezvousException thrown =
                    assertThrows(RendezvousException.class, () -> world.get(future));
                assertEquals(Reason.MISSING_RANKS, thrown.reason(), thrown.getMessage());
                assertTrue(thrown.getMessage().contains("2"), "rank 2 is not named: " + thrown.getMessage());
            }
        }
    }

    /** Tests that the announcements of each of two senders arrive in the order in which it made them. */
    @Rule("RDV-4")
    public void rdv4AnnouncementsArriveInOrder()
    {
        try (RendezvousWorld world = new RendezvousWorld(fixture(), RANKS))
        {
            final List<RendezvousEar> ears = listenAll(world);
            for (int i = 0; i < MESSAGES; i++)
            {
                world.member(0).announce(ByteBuffer.wrap(new byte[] {(byte)i}));
                world.member(1).announce(ByteBuffer.wrap(new byte[] {(byte)i}));
            }

            for (int rank = 0; rank < RANKS; rank++)
            {
                for (int sender = 0; sender < 2; sender++)
                {
                    final String prefix = sender + ":";
                    final int expected = rank == sender ? 0 : MESSAGES;
                    final RendezvousEar ear = ears.get(rank);
                    ear.await(expected + " announcements of rank " + sender + " at rank " + rank,
                        world.fixture().timeout(), (heard) -> only(heard, prefix).size() >= expected);
                    final List<String> inOrder = new ArrayList<>();
                    for (int i = 0; i < expected; i++)
                    {
                        inOrder.add(prefix + i);
                    }

                    assertEquals(inOrder, only(ear.heard(), prefix), "rank " + rank);
                }
            }
        }
    }

    /** Tests that a listener added late receives earlier announcements. */
    @Rule("RDV-5")
    public void rdv5LateListenersHearWhatTheyMissed()
    {
        try (RendezvousWorld world = new RendezvousWorld(fixture(), RANKS))
        {
            final RendezvousEar early = new RendezvousEar();
            world.member(1).listen(early);
            world.member(0).announce(ByteBuffer.wrap(new byte[] {7}));
            early.await("an announcement", world.fixture().timeout(), (heard) -> heard.contains("0:7"));
            final RendezvousEar late = new RendezvousEar();
            world.member(2).listen(late);
            late.await("an earlier announcement", world.fixture().timeout(), (heard) -> heard.contains("0:7"));
        }
    }

    /** Tests that the failure of a rank is reported and ends waits for that rank. */
    @Rule("RDV-6")
    public void rdv6ALostMemberIsToldAndEndsWaits()
    {
        try (RendezvousWorld world = new RendezvousWorld(fixture(), RANKS))
        {
            final List<RendezvousEar> ears = listenAll(world);
            final Future<List<ByteBuffer>> waiting =
                world.gather(0, "loss", new byte[1], world.fixture().timeout().toMillis());
            Assumptions.assumeTrue(world.fixture().kill(2), "the fixture cannot kill a rank");
            for (int rank = 0; rank < 2; rank++)
            {
                ears.get(rank).await("the loss of rank 2 at rank " + rank, world.fixture().timeout(),
                    (heard) -> heard.contains("lost 2"));
            }

            final RendezvousException thrown = assertThrows(RendezvousException.class, () -> world.get(waiting));
            assertEquals(Reason.MEMBER_LOST, thrown.reason(), thrown.getMessage());
            for (int rank = 0; rank < 2; rank++)
            {
                assertEquals(1, only(ears.get(rank).heard(), "lost").size(), "rank " + rank + " was told twice");
            }
        }
    }

    /** Tests that members close normally and can be closed twice. */
    @Rule("RDV-7")
    public void rdv7ClosingIsOrderlyAndIdempotent()
    {
        try (RendezvousWorld world = new RendezvousWorld(fixture(), RANKS))
        {
            final List<RendezvousEar> ears = listenAll(world);
            requireEndByInterrupt(world);
            world.all(RANKS, (rank) ->
            {
                world.member(rank).close();
                world.member(rank).close();
                return rank;
            });
            final RendezvousException thrown = assertThrows(
                RendezvousException.class, () -> world.get(world.gather(0, "late", new byte[1], SHORT_MS)));
            assertEquals(Reason.CLOSED, thrown.reason(), thrown.getMessage());
            ears.forEach((ear) -> assertEquals(List.of(), only(ear.heard(), "lost"), "leaving was taken for loss"));
        }
    }

    private static void requireEndByInterrupt(final RendezvousWorld world)
    {
        final AtomicReference<RendezvousException> thrown = new AtomicReference<>();
        final Thread waiting = new Thread(() -> thrown.set(assertThrows(RendezvousException.class, () ->
            world.member(0).allGather("interrupted", ByteBuffer.allocate(0), world.fixture().timeout()))));
        waiting.start();
        waiting.interrupt();
        try
        {
            waiting.join(world.fixture().timeout().toMillis());
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }

        assertTrue(null != thrown.get() && Reason.CLOSED == thrown.get().reason(), "an interrupt ended no wait");
    }

    /** Tests that some ranks exchange bytes without another rank, also after the other rank's loss. */
    @Rule("RDV-9")
    public void rdv9SomeRanksGatherWithoutOthers()
    {
        try (RendezvousWorld world = new RendezvousWorld(fixture(), RANKS))
        {
            final List<RendezvousEar> ears = listenAll(world);
            requireTwo(world, "without rank 1");
            if (world.fixture().kill(1))
            {
                ears.get(0).await("the loss of rank 1 at rank 0", world.fixture().timeout(),
                    (heard) -> heard.contains("lost 1"));
                requireTwo(world, "after the loss of rank 1");
            }
        }
    }

    /** Tests that new processes of lost ranks take their places, and are not taken for their predecessors. */
    @Rule("RDV-10")
    public void rdv10ReturnedMembersTakePartAgain()
    {
        try (RendezvousWorld world = new RendezvousWorld(fixture(), RANKS))
        {
            final Member before = world.member(0).member(2);
            final RendezvousEar ear = new RendezvousEar();
            world.member(0).listen(ear);
            world.gather(2, "predecessor's", new byte[] {99}, List.of(world.member(2).member(0), before));
            for (int rank = 1; rank < RANKS; rank++)
            {
                Assumptions.assumeTrue(world.fixture().kill(rank), "the fixture cannot kill a rank");
                final String lost = "lost " + rank;
                ear.await("the loss of rank " + rank, world.fixture().timeout(), (heard) -> heard.contains(lost));
            }

            Assumptions.assumeTrue(world.rejoin(2), "the rendezvous does not readmit processes");
            final RendezvousEar fresh = new RendezvousEar();
            world.member(2).listen(fresh);
            ear.await("the return of rank 2", world.fixture().timeout(), (heard) -> heard.contains("returned 2"));
            fresh.await("the loss of rank 1", world.fixture().timeout(), (heard) -> heard.contains("lost 1"));
            assertTrue(world.member(2).hasReturned() && !world.member(0).hasReturned(), "a rank forgets who returned");
            assertEquals(world.member(2).member(2), world.member(0).member(2), "ranks disagree on the new process");
            assertNotEquals(before.incarnation(), world.member(0).member(2).incarnation(), "it is its predecessor");
            final RendezvousException refused = assertThrows(RendezvousException.class, () -> world.get(world.gather(
                0, "with a lost process", new byte[1], List.of(world.member(0).member(0), before))));
            assertEquals(Reason.MEMBER_LOST, refused.reason(), refused.getMessage());
            requireTwo(world, "predecessor's");
            requireTwo(world, "after the return");
            world.member(2).announce(ByteBuffer.wrap(new byte[] {5}));
            world.member(0).announce(ByteBuffer.wrap(new byte[] {6}));
            ear.await("an announcement of rank 2", world.fixture().timeout(), (heard) -> heard.contains("2:5"));
            fresh.await("an announcement of rank 0", world.fixture().timeout(), (heard) -> heard.contains("0:6"));
            requireAnotherReturn(world, List.of(ear, fresh));
        }
    }

    /** Another rank returns, and the one that had returned is lost again. */
    private static void requireAnotherReturn(final RendezvousWorld world, final List<RendezvousEar> ears)
    {
        assertTrue(world.rejoin(1), "only one process was readmitted");
        ears.forEach((ear) -> ear.await("the return of rank 1", world.fixture().timeout(),
            (heard) -> heard.contains("returned 1")));
        final List<List<ByteBuffer>> all = world.all(RANKS, (rank) -> world.member(rank).allGather(
            "complete", ByteBuffer.wrap(new byte[] {(byte)rank}), world.fixture().timeout()));
        all.forEach((gathered) -> assertEquals(List.of(0, 1, 2),
            gathered.stream().map((one) -> (int)one.get(one.position())).toList(), "bytes of a complete world"));
        assertTrue(world.fixture().kill(2), "a process that has returned could not be killed");
        final RendezvousEar ear = ears.get(0);
        ear.await("a second loss of rank 2", world.fixture().timeout(), (heard) -> 2 == only(heard, "lost 2").size());
        assertEquals(List.of("lost 2", "returned 2", "lost 2"), ear.heard().stream()
            .filter((entry) -> entry.endsWith(" 2")).toList(), "what rank 0 was told of rank 2");
    }

    private static void requireTwo(final RendezvousWorld world, final String topic)
    {
        final List<Integer> ranks = List.of(0, RANKS - 1);
        final List<Future<List<ByteBuffer>>> waiting =
            ranks.stream().map((rank) -> world.gather(rank, topic, new byte[] {(byte)(10 + rank)},
            ranks.stream().map(world.member(rank)::member).toList())).toList();
        for (final Future<List<ByteBuffer>> future : waiting)
        {
            final List<ByteBuffer> all = world.get(future);
            assertEquals(List.of(10, 10 + RANKS - 1), all.stream().map((one) -> (int)one.get(0)).toList(), topic);
        }
    }

    private static List<RendezvousEar> listenAll(final RendezvousWorld world)
    {
        final List<RendezvousEar> ears = new ArrayList<>();
        for (int rank = 0; rank < world.size(); rank++)
        {
            ears.add(new RendezvousEar());
            world.member(rank).listen(ears.get(rank));
        }

        return ears;
    }

    private static List<String> only(final List<String> heard, final String prefix)
    {
        return heard.stream().filter((entry) -> entry.startsWith(prefix)).toList();
    }
}
