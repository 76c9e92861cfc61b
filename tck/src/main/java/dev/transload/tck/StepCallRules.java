/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepWords;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Rules STP on calls that all ranks make. */
interface StepCallRules extends StepCase
{
    /** Rounds of events in which a step must not end. */
    int LOOKS = 50;

    @Rule("STP-1")
    default void stp1EachRunOfASubmissionIsANewCall()
    {
        inWorlds(2, (world) ->
        {
            world.scenario.isRagged = true;
            final StepRank first = world.ranks.get(0);
            final StepRank second = world.ranks.get(1);
            final long position = first.dispatch(world.data(0), 0);
            for (int i = 0; i < LOOKS; i++)
            {
                world.move();
            }

            assertTrue(first.session.completedPosition() < position, "a step ended before its peer had begun");
            second.dispatch(world.data(0), 0);
            verifyBoth(world, 0);
            for (int call = 2; call < 8; call += 2)
            {
                // Nothing but memory changes: no argument does.
                first.fill(world.data(call));
                second.fill(world.data(call));
                first.replayDispatch();
                second.replayDispatch();
                verifyBoth(world, call);
            }
        });
    }

    private static void verifyBoth(final StepWorld world, final int call)
    {
        for (final StepRank rank : world.ranks)
        {
            world.awaitPosition(rank, rank.session.position());
            rank.verifyRows(world.data(call), call, "call " + call + " of rank " + rank.rank);
        }
    }

    @Rule("STP-2")
    default void stp2WordsOfOtherCallsAreNotRead()
    {
        inWorlds(2, (world) ->
        {
            final StepShape shape = world.scenario.shape(0, 1, 0);
            final StepWords words = new StepWords(shape);
            for (final StepRank rank : world.ranks)
            {
                final ByteBuffer wrong =
                    ByteBuffer.allocate((int)words.bytes()).order(ByteOrder.nativeOrder());
                for (int at = 0; at < wrong.capacity(); at += Long.BYTES)
                {
                    wrong.putLong(at, 0 == at % 3 ? StepWords.word(1, shape.firstCall() + 3 + at % 2, 1) :
                        StepWords.word(2, shape.firstCall() + 1 + at % 2, at));
                }

                world.fixture.write(rank.words, 0, wrong.array());
            }

            world.call(0);
            world.call(1);
            final byte[] word = world.fixture.read(
                world.ranks.get(0).words, words.counts(shape.firstCall() + 1, 1, 0), Long.BYTES);
            assertTrue(StepWords.isOf(ByteBuffer.wrap(word).order(ByteOrder.nativeOrder()).getLong(), 1,
                shape.firstCall() + 1), "a word was cleared");
        });
    }

    @Rule("STP-3")
    default void stp3RowsAreThereOnceTheirWordIs()
    {
        inWorlds(3, (world) ->
        {
            for (int call = 0; call < 3; call++)
            {
                world.call(call);
            }
        });
    }

    @Rule("STP-4")
    default void stp4PlacesFollowFromTopkAlone()
    {
        inWorlds(3, (world) ->
        {
            for (int rank = 2; rank >= 0; rank--)
            {
                world.ranks.get(rank).dispatch(world.data(0), 0);
                for (int i = 0; i < LOOKS && rank > 0; i++)
                {
                    world.move();
                }
            }

            for (final StepRank rank : world.ranks)
            {
                world.awaitPosition(rank, rank.session.position());
                rank.verifyRows(world.data(0), 0, "rank " + rank.rank);
            }
        });
    }

    @Rule("STP-8")
    default void stp8OneResidentBlockIsEnough()
    {
        inWorlds(2, (world) ->
        {
            world.call(0);
            world.call(1);
            for (final StepRank rank : world.ranks)
            {
                assertEquals(0, rank.session.status().leftOut(), "rank " + rank.rank + " left answers out");
            }
        });
    }

    @Rule("STP-9")
    default void stp9ClosingWaitsForSteps()
    {
        inWorlds(2, (world) ->
        {
            final StepRank first = world.ranks.get(0);
            final long position = first.dispatch(world.data(0), 0);
            world.fixture.passAlways();
            first.session.close();
            assertEquals(position, first.session.completedPosition(), "steps that have ended when a session closes");
        });
    }
}
