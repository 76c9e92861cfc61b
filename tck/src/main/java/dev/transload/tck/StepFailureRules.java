/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepStatus;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;

/** Rules STP on ranks that are late, masked or gone. */
interface StepFailureRules extends StepCase
{
    /** Waits of a dispatch: for counts, starts and done words. */
    int WAITS = 3;

    /** Tokens of ranks that copy rows in several chunks. */
    int MANY_TOKENS = 40;

    /** Worlds in which a rank is stopped after few events: those of a primitive may be one event, or hundreds. */
    int EARLY = 30;

    /** Events more, from world to world, until a rank is stopped in the others. */
    int EVENTS_APART = 48;

    @Rule("STP-5")
    default void stp5WhoIsNotToldWritesNowhere()
    {
        inWorlds(3, (world) ->
        {
            final StepRank owner = world.ranks.get(0);
            owner.session.mask(2);
            world.ranks.forEach((rank) -> rank.dispatch(world.data(0), 0));
            world.awaitPosition(owner, owner.session.position());
            owner.verifyRows(world.data(0), 0, "rank 0");
            for (final StepRank rank : world.ranks)
            {
                world.awaitPosition(rank, rank.session.position());
                rank.verifyRows(world.data(0), 0, "rank " + rank.rank);
            }

            owner.verifyOutput(world.data(0), 0, "rank 0, later");
            assertFalse(world.ranks.get(2).session.status().isActive(0), "rank 2 was told nothing by rank 0");
            assertTrue(world.ranks.get(1).session.status().isActive(2), "rank 1 masked nobody");
        });
    }

    @Rule("STP-6")
    default void stp6WhatWasGrantedIsNotUsedLate()
    {
        inWorlds(2, MANY_TOKENS, (world) ->
        {
            requireStops(world);
            // Rows of rank 0 come first, so that those of rank 1 lie there where it is masked.
            final StepRank owner = world.ranks.get(1);
            final StepRank late = world.ranks.get(0);
            if (1 == world.scenario.seed % 3)
            {
                // What it is granted while it is stopped is there when it goes on, and long over.
                dispatchAndStopBehindCounts(world, late, owner);
                owner.dispatch(world.data(0), 0);
            }
            else
            {
                dispatchAndStop(world, late);
            }

            if (0 == world.scenario.seed % 2)
            {
                // Nobody waits for it any more, though what it was granted still holds.
                owner.session.mask(late.rank);
                world.awaitPosition(owner, owner.session.position());
            }
            else
            {
                world.awaitPosition(owner, owner.session.position());
                owner.verifyRows(world.data(0), 0, "rank 1");
            }

            // Into the same output once more: by now rank 0 is masked, or done.
            owner.dispatch(world.data(2), 2);
            world.awaitPosition(owner, owner.session.position());
            owner.verifyRows(world.data(2), 2, "rank 1, next call");
            world.resume(late.rank);
            world.awaitPosition(late, late.session.position());
            owner.verifyOutput(world.data(2), 2, "rank 1, after rank 0 has gone on");
        });
    }

    private static void requireStops(final StepWorld world)
    {
        Assumptions.assumeTrue(world.fixture.canStop(), "ranks cannot be stopped here");
    }

    private static void dispatchAndStop(final StepWorld world, final StepRank victim)
    {
        world.ranks.forEach((rank) -> rank.dispatch(world.data(0), 0));
        final long seed = world.scenario.seed;
        for (long i = seed <= EARLY ? seed : (seed - EARLY) * EVENTS_APART; i > 0; i--)
        {
            world.move();
        }

        world.stop(victim.rank);
    }

    /** Rank waits for the other one, which knows how many rows it has and may grant it places. */
    private static void dispatchAndStopBehindCounts(
        final StepWorld world, final StepRank rank, final StepRank owner)
    {
        rank.dispatch(world.data(0), 0);
        world.settle("rank " + rank.rank + " tells its counts", () -> owner.hasCounts(rank, 0));
        world.stop(rank.rank);
    }

    @Rule("STP-7")
    default void stp7AStepEndsWhateverPeersDo()
    {
        final Set<StepOp> waits = EnumSet.noneOf(StepOp.class);
        inWorlds(2, (world) ->
        {
            final StepRank rank = world.ranks.get(0);
            if (world.fixture.canStop() && world.scenario.seed > 1)
            {
                dispatchAndStop(world, world.ranks.get(1));
            }
            else
            {
                // The other one makes no call.
                world.stopIfPossible(1);
                rank.dispatch(world.data(0), 0);
            }

            world.awaitPosition(rank, rank.session.position());
            final StepStatus status = rank.session.status();
            assertTrue(status.endNs() - status.beginNs() <= (WAITS + 1) * world.fixture.timeoutNs(),
                "a step took " + (status.endNs() - status.beginNs()) + " ns");
            if (!status.isActive(1))
            {
                assertEquals(StepStatus.SILENT, status.state(1), "why rank 1 is masked");
                waits.add(status.maskedIn(1));
            }
        });
        assertTrue(waits.contains(StepOp.STARTS), "no rank was masked where its counts were waited for");
        assertTrue(EnumSet.of(StepOp.STARTS, StepOp.PLACE, StepOp.AWAIT).containsAll(waits), "masked in " + waits);
    }

    @Rule("STP-11")
    default void stp11LostRowsAreListedAndNotRead()
    {
        inWorlds(2, MANY_TOKENS, (world) ->
        {
            requireStops(world);
            final StepRank owner = world.ranks.get(1);
            final StepRank lost = world.ranks.get(0);
            dispatchAndStopBehindCounts(world, lost, owner);
            owner.dispatch(world.data(0), 0);
            world.awaitPosition(owner, owner.session.position());
            assertFalse(owner.session.status().isActive(lost.rank), "a rank that was stopped is active");
            owner.verifyRows(world.data(0), 0, "rank 1");
            assertEquals(world.data(0).tokens[lost.rank] > 0, owner.hasLostRows(), "whether lost rows keep places");

            // NaN where rows never came.
            owner.answer(world.data(0), 0);
            owner.combine();
            world.awaitPosition(owner, owner.session.position());
            owner.verifySums(world.data(0), "rank 1");
            world.resume(lost.rank);
            world.awaitPosition(lost, lost.session.position());
        });
    }
}
