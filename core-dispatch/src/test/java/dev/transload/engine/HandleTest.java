/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a caller may do to handles, and what ranks that disagree are told. */
class HandleTest
{
    private static final int SEEDS = 100;

    @Test
    void shouldKeepAClosedHandleClosedWhileItsTableServesAnotherDispatch()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(7)))
        {
            final List<DispatchResult> first = world.dispatch(null);
            first.forEach((result) -> result.handle().close());
            final List<DispatchResult> second = world.dispatch(null);
            for (int rank = 0; rank < first.size(); rank++)
            {
                final DispatchHandle closed = first.get(rank).handle();
                final Engine engine = world.engines.get(rank);
                final Tensor x = world.tensors.get(rank).x;
                final DispatchRequest request = DispatchRequest.of(x).cached(closed);
                assertThrows(BadInputException.class, () -> engine.dispatch(request));
                closed.close();
                assertEquals(1, closed.callNumber());
            }

            world.combineAndVerify(second);
        }
    }

    @Test
    void shouldKeepTheRoutingOfACallWhoseHandleIsClosedMeanwhile()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(8)))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final List<Completion<DispatchResult>> cached = new ArrayList<>();
            for (int rank = 0; rank < results.size(); rank++)
            {
                final DispatchHandle handle = results.get(rank).handle();
                final RankTensors own = world.tensors.get(rank);
                cached.add(world.engines.get(rank).dispatch(DispatchRequest.of(own.x).cached(handle)));
                handle.close();
            }

            world.await("dispatched", () -> cached.stream().allMatch(Completion::isDone));
            final List<DispatchResult> again = new ArrayList<>();
            cached.forEach((call) -> again.add(call.await()));
            world.verifyRepeated(again);
        }
    }

    @Test
    void shouldNameBothRanksWhateverMessageShowsFirstThatExpertsDiffer()
    {
        for (long seed = 1; seed <= SEEDS; seed++)
        {
            final Scenario scenario = new Scenario(seed);
            scenario.ranksPerNode = 1;
            scenario.tokens = new int[]{5, 6};
            try (SteppingWorld world = new SteppingWorld(scenario))
            {
                final List<Completion<DispatchResult>> calls = new ArrayList<>();
                for (int rank = 0; rank < 2; rank++)
                {
                    final RankTensors own = world.tensors.get(rank);
                    calls.add(world.engines.get(rank).dispatch(
                        DispatchRequest.of(own.x).topk(own.idx, own.weights, scenario.experts + 2 * rank)));
                }

                world.await("refused", () -> calls.stream().allMatch(Completion::isDone), Duration.ofMinutes(1));
                calls.forEach((call) -> requireMismatch(call, scenario));
            }
        }
    }

    private static void requireMismatch(final Completion<DispatchResult> call, final Scenario scenario)
    {
        final CallFailedException failure = assertThrows(CallFailedException.class, call::await);
        assertEquals(Reason.MISMATCH, failure.reason(), scenario + ": " + failure.getMessage());
        assertTrue(failure.getMessage().contains("E is "), failure.getMessage());
        assertTrue(failure.getMessage().contains("rank 0") && failure.getMessage().contains("rank 1"),
            failure.getMessage());
    }
}
