/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;
import org.junit.jupiter.api.Assumptions;

/** Rules STP on what is posted for far ranks. */
interface StepFarRules extends StepCase
{
    /** Tokens of ranks whose rows and answers travel in several chunks. */
    int CHUNKED_TOKENS = 40;

    /** At a world whose ranks may leave each other out on a busy machine. */
    int ATTEMPTS = 16;

    /** Signs of life of a rank that waits for much less than it may. */
    int SIGNS = 4;

    private void requireFar()
    {
        try (StepsFixture probe = fixture(1))
        {
            Assumptions.assumeTrue(probe.hasFar(), "all ranks are near here");
        }
    }

    @Rule("STP-10")
    default void stp10EntriesNameWhatIsThere()
    {
        requireFar();
        inWorlds(2, CHUNKED_TOKENS, true, (world) ->
        {
            // What an entry names is read as soon as the entry shows, and brought at any time.
            world.takePostsAtOnce();
            for (int call = 0; call < 3; call++)
            {
                world.call(call);
            }
        });
    }

    @Rule("STP-12")
    default void stp12SendBlocksAreWrittenOnceReleased()
    {
        requireFar();
        inWorlds(2, CHUNKED_TOKENS, true, ATTEMPTS, (world) ->
        {
            world.keepPosts(true);
            world.ranks.forEach((rank) -> rank.dispatch(world.data(0), 0));
            for (final StepRank rank : world.ranks)
            {
                world.awaitPosition(rank, rank.session.position());
                rank.verifyRows(world.data(0), 0, "rank " + rank.rank);
                rank.answer(world.data(0), 0);
            }

            final int posted = world.ranks.get(0).posts().others() + world.ranks.get(1).posts().others();
            world.ranks.forEach(StepRank::combine);
            if (!waitInVain(world))
            {
                return false;
            }

            switch ((int)(world.scenario.seed % 3))
            {
                case 0:
                    return endReleased(world);
                case 1:
                    endMasked(world, posted);
                    return true;
                default:
                    endLate(world, posted);
                    return true;
            }
        });
    }

    /**
     * Steps that wait give signs of life.
     *
     * @return false on a busy machine: a rank was not heard for a time-out, or waited as long as it may, and so left
     * the other one out.
     */
    private static boolean waitInVain(final StepWorld world)
    {
        final int[] enough = world.ranks.stream().mapToInt((rank) -> rank.posts().signs() + SIGNS).toArray();
        for (final StepRank rank : world.ranks)
        {
            world.settle("rank " + rank.rank + " waits",
                () -> isOver(rank) || rank.posts().signs() >= enough[rank.rank]);
            final boolean isOver = isOver(rank);
            if (!rank.session.status().isActive(1 - rank.rank))
            {
                return false;
            }

            assertFalse(isOver, "a combine has ended");
        }

        return true;
    }

    private static boolean isOver(final StepRank rank)
    {
        return rank.session.completedPosition() >= rank.session.position();
    }

    /** All end well; false on a busy machine, where a rank was not heard for a time-out, and so was left out. */
    private static boolean endReleased(final StepWorld world)
    {
        world.keepPosts(false);
        boolean isAnyMasked = false;
        for (final StepRank rank : world.ranks)
        {
            world.awaitPosition(rank, rank.session.position());
            rank.verifySums(world.data(0), "rank " + rank.rank);
            isAnyMasked |= !rank.session.status().isActive(1 - rank.rank);
        }

        return !isAnyMasked;
    }

    /** Where no far rank takes part any more, nobody is waited for, now and later. */
    private static void endMasked(final StepWorld world, final int posted)
    {
        world.ranks.forEach((rank) -> rank.session.mask(1 - rank.rank));
        for (final StepRank rank : world.ranks)
        {
            world.awaitPosition(rank, rank.session.position());
            requireShort(world, rank);
            rank.verifySums(world.data(0), "rank " + rank.rank);
        }

        verifyAlone(world, posted);
    }

    /** Nobody releases anything: the wait ends all the same. */
    private static void endLate(final StepWorld world, final int posted)
    {
        for (final StepRank rank : world.ranks)
        {
            world.awaitPosition(rank, rank.session.position());
            assertEquals(StepStatus.SILENT, rank.session.status().state(1 - rank.rank), "why a far rank is masked");
            rank.verifySums(world.data(0), "rank " + rank.rank);
        }

        verifyAlone(world, posted);
    }

    /** The next call is without far ranks, and nothing was posted since. */
    private static void verifyAlone(final StepWorld world, final int posted)
    {
        for (final StepRank rank : world.ranks)
        {
            rank.dispatch(world.data(1), 1);
            world.awaitPosition(rank, rank.session.position());
            requireShort(world, rank);
            rank.verifyRows(world.data(1), 1, "rank " + rank.rank + ", next call");
        }

        assertEquals(posted, world.ranks.get(0).posts().others() + world.ranks.get(1).posts().others(),
            "entries while those before were not released");
    }

    private static void requireShort(final StepWorld world, final StepRank rank)
    {
        final StepStatus status = rank.session.status();
        final long most = (StepShape.LONGEST_WAIT - 2) * world.fixture.timeoutNs();
        assertTrue(world.passedNs() < most && status.endNs() - status.beginNs() < most,
            () -> "rank " + rank.rank + " waited for nobody: " + world.passedNs() + " ns, a step of " +
            (status.endNs() - status.beginNs()) + " ns");
    }
}
