/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static dev.transload.engine.Messages.assertContains;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What ranks are told when one of them is gone, silent, or of another opinion. */
class FailureTest
{
    private static final Duration SHORT = Duration.ofMillis(400);
    private static final Duration LONGER = Duration.ofMillis(1_200);
    private static final Duration BOUND = Duration.ofSeconds(15);

    @Test
    void shouldFailTheCallOfEveryRankWhenTheRendezvousLosesOne()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(1)))
        {
            world.deaf.add(3);
            final List<Completion<DispatchResult>> calls = dispatchOnAllBut(world, 3);
            world.rendezvous.get(3).lose("its process was killed");
            world.await("failed", () -> calls.stream().allMatch(Completion::isDone), BOUND);
            for (final Completion<DispatchResult> call : calls)
            {
                final GroupChangedException failure = assertThrows(GroupChangedException.class, call::await);
                assertEquals(Reason.PEER_FAILED, failure.reason());
                assertEquals(3, failure.peer());
                assertChanged(failure, List.of(0, 1, 2), List.of(3));
                assertContains(
                    failure, "rank 3", "its process was killed", "; view 1 has ranks 0, 1, 2, without rank 3");
            }
        }
    }

    @Test
    void shouldTellTheSameSetToAllWhenTwoOfFourAreKilledAtOnce()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(1)))
        {
            world.deaf.addAll(List.of(0, 3));
            final List<Completion<DispatchResult>> calls = List.of(
                world.engines.get(1).dispatch(world.dispatchRequest(1, null)),
                world.engines.get(2).dispatch(world.dispatchRequest(2, null)));
            world.rendezvous.get(3).lose("its process was killed");
            world.rendezvous.get(0).lose("its process was killed, too");
            world.await("failed", () -> calls.stream().allMatch(Completion::isDone), BOUND);
            for (final Completion<DispatchResult> call : calls)
            {
                final GroupChangedException failure = assertThrows(GroupChangedException.class, call::await);
                assertEquals(List.of(1, 2), failure.alive());
                assertEquals(List.of(0, 3), failure.dead());
            }
        }
    }

    private static void assertChanged(
        final GroupChangedException failure, final List<Integer> alive, final List<Integer> dead)
    {
        assertEquals(1, failure.view());
        assertEquals(alive, failure.alive());
        assertEquals(dead, failure.dead());
    }

    @Test
    void shouldFailTheCallOfEveryRankWhenATransportFindsOneDead()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(2)))
        {
            world.deaf.add(0);
            final List<Completion<DispatchResult>> calls = dispatchOnAllBut(world, 0);
            world.fabric.kill(0);
            world.await("failed", () -> calls.stream().allMatch(Completion::isDone), BOUND);
            for (final Completion<DispatchResult> call : calls)
            {
                final GroupChangedException failure = assertThrows(GroupChangedException.class, call::await);
                assertEquals(Reason.PEER_FAILED, failure.reason());
                assertEquals(0, failure.peer());
                assertChanged(failure, List.of(1, 2, 3), List.of(0));
                assertContains(failure, "rank 0");
            }
        }
    }

    @Test
    void shouldTellARankThatItWasLeftOut()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(2)))
        {
            world.deaf.add(2);
            final List<Completion<DispatchResult>> calls = dispatchOnAllBut(world, 2);
            world.fabric.kill(2);
            world.await("failed", () -> calls.stream().allMatch(Completion::isDone), BOUND);

            // It only was stopped, and resumes.
            world.deaf.remove(2);
            final EvictedException eviction = assertThrows(EvictedException.class, () ->
            {
                final Completion<DispatchResult> call = world.engines.get(2).dispatch(world.dispatchRequest(2, null));
                world.await("failed", call::isDone, BOUND);
                call.await();
            });
            assertEquals(Reason.EVICTED, eviction.reason());
            assertEquals(1, eviction.view());
            assertEquals(List.of(0, 1, 3), eviction.alive());
            assertContains(eviction, "rank 2 was left out", "view 1 has ranks 0, 1, 3");
        }
    }

    @Test
    void shouldFailTheNextCallWhenAPeerDiedBetweenCalls()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(3)))
        {
            world.verifyDispatch(world.dispatch(null));
            world.rendezvous.get(2).lose("gone");
            // Refused at once, or failed when word of the loss comes meanwhile.
            final CallFailedException failure = assertThrows(CallFailedException.class, () ->
            {
                final Completion<DispatchResult> call = world.engines.get(1).dispatch(world.dispatchRequest(1, null));
                world.await("failed", call::isDone, BOUND);
                call.await();
            });
            assertEquals(Reason.PEER_FAILED, failure.reason());
            assertEquals(2, failure.peer());
            assertChanged(assertInstanceOf(GroupChangedException.class, failure), List.of(0, 1, 3), List.of(2));
            final GroupChangedException later = assertThrows(GroupChangedException.class,
                () -> world.engines.get(1).dispatch(world.dispatchRequest(1, null)));
            assertEquals(failure.getMessage(), later.getMessage());
        }
    }

    @Test
    void shouldSayWhomItAwaitsAndWhomThatOneAwaitsAtTheDeadline()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(4)))
        {
            // Rank 3 never calls; rank 1 waits for it between nodes, and rank 0 for rank 1 within the node.
            final List<Completion<DispatchResult>> calls = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++)
            {
                calls.add(world.engines.get(rank).dispatch(world.dispatchRequest(rank, null)
                    .timeout(0 == rank ? LONGER : Duration.ofSeconds(20))));
            }

            world.await("failed", () -> calls.stream().allMatch(Completion::isDone), BOUND);
            final CallFailedException failure = assertThrows(CallFailedException.class, calls.get(0)::await);
            assertEquals(Reason.DEADLINE, failure.reason());
            assertEquals(1, failure.peer());
            assertContains(failure, "call 1 (dispatch) missed its deadline of 1200 ms on rank 0",
                "waits for rank 1, scale-up.notify: expected 1, seen 0", "rank 1 is in call 1 and waits for rank 3",
                "scale-out.notify: expected 1, seen 0");
            final CallFailedException told = assertThrows(CallFailedException.class, calls.get(2)::await);
            assertEquals(Reason.ABORTED_BY_PEER, told.reason());
            assertEquals(0, told.peer());
            assertContains(told, "told by rank 0", "missed its deadline");
        }
    }

    @Test
    void shouldSayThatTheRankItAwaitsIsInNoCall()
    {
        final Scenario scenario = new Scenario(5);
        scenario.nodes = 1;
        scenario.tokens = new int[]{5, 6};
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            // A call that lasts long enough for its status to be published, and then ends.
            final List<Completion<DispatchResult>> first = List.of(
                world.engines.get(1).dispatch(world.dispatchRequest(1, null)));
            world.awaitFor(Duration.ofMillis(350));
            final Completion<DispatchResult> late = world.engines.get(0).dispatch(world.dispatchRequest(0, null));
            world.await("dispatched", () -> late.isDone() && first.get(0).isDone());

            final Completion<DispatchResult> second =
                world.engines.get(0).dispatch(world.dispatchRequest(0, null).timeout(SHORT));
            world.await("failed", second::isDone, BOUND);
            final CallFailedException failure = assertThrows(CallFailedException.class, second::await);
            assertContains(failure, "waits for rank 1, scale-up.notify: expected 2, seen 1", "rank 1 is in no call");
        }
    }

    @Test
    void shouldNameChannelAndCounterWhenRowsDoNotCome()
    {
        final Scenario scenario = new Scenario(6);
        scenario.nodes = 1;
        scenario.tokens = new int[]{9, 9};
        scenario.missing = 0;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<Completion<DispatchResult>> calls = dispatchOnAllBut(world, -1, SHORT);
            world.await("rows", () -> world.isWaitingForRowsOnly(0) && world.isBeyondNotify(1));
            world.deaf.add(1);
            world.fabric.pause(1);
            world.await("failed", calls.get(0)::isDone, BOUND);
            final CallFailedException failure = assertThrows(CallFailedException.class, calls.get(0)::await);
            assertEquals(Reason.DEADLINE, failure.reason());
            assertTrue(failure.getMessage().matches(".*waits for rank 1, channel \\d, .*: expected \\d+, seen \\d+.*"),
                failure::getMessage);
            world.fabric.resume(1);
        }
    }

    @Test
    void shouldRefuseLaterCallsWithTheCause()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(7)))
        {
            final Engine engine = world.engines.get(0);
            final Completion<DispatchResult> call = engine.dispatch(world.dispatchRequest(0, null).timeout(SHORT));
            final Completion<DispatchResult> queued = engine.dispatch(world.dispatchRequest(0, null));
            world.await("failed", queued::isDone, BOUND);
            final CallFailedException cause = assertThrows(CallFailedException.class, call::await);
            for (int i = 0; i < 2; i++)
            {
                final CallFailedException later = 0 == i ?
                    assertThrows(CallFailedException.class, queued::await) : assertThrows(
                    CallFailedException.class, () -> engine.dispatch(world.dispatchRequest(0, null)));
                assertEquals(Reason.RETIRED, later.reason());
                assertContains(later, cause.getMessage());
                assertNotNull(later.getCause());
            }
        }
    }

    @Test
    void shouldCloseOnceAndFailWhatIsUnderWay()
    {
        final SteppingWorld world = new SteppingWorld(new Scenario(8));
        final Engine engine = world.engines.get(0);
        final Completion<DispatchResult> call = engine.dispatch(world.dispatchRequest(0, null));
        engine.doWork();
        engine.close();
        final CallFailedException failure = assertThrows(CallFailedException.class, call::await);
        assertEquals(Reason.RETIRED, failure.reason());
        assertContains(failure, "closed");
        engine.close();
        world.close();
        world.close();
        assertSame(Reason.RETIRED, assertThrows(CallFailedException.class,
            () -> engine.dispatch(world.dispatchRequest(0, null))).reason());
    }

    private static List<Completion<DispatchResult>> dispatchOnAllBut(final EngineWorld world, final int silent)
    {
        return dispatchOnAllBut(world, silent, null);
    }

    private static List<Completion<DispatchResult>> dispatchOnAllBut(
        final EngineWorld world, final int silent, final Duration timeout)
    {
        final List<Completion<DispatchResult>> calls = new ArrayList<>();
        for (int rank = 0; rank < world.engines.size(); rank++)
        {
            if (rank != silent)
            {
                final DispatchRequest request = world.dispatchRequest(rank, null);
                calls.add(world.engines.get(rank).dispatch(null == timeout ? request : request.timeout(timeout)));
            }
        }

        return calls;
    }
}
