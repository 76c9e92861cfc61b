/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Ranks that do not make the same call: an error on both which names both and says what differs. */
class MismatchTest
{
    private static final int HIDDEN = 256;
    private static final int TOPK = 3;
    private static final int TOKENS = 4;

    private final Scenario scenario = scenario();

    private static Scenario scenario()
    {
        final Scenario scenario = new Scenario(21);
        scenario.hidden = HIDDEN;
        scenario.topk = TOPK;
        scenario.tokens = new int[]{TOKENS, TOKENS, TOKENS, TOKENS};
        return scenario;
    }

    @Test
    void shouldNameBothRanksWhenHiddenDiffers()
    {
        assertMismatch("hidden is", "256", "128",
            (world, rank) -> own(world, rank, odd(rank) ? 128 : HIDDEN, TOPK, 8, false));
    }

    @Test
    void shouldNameBothRanksWhenKDiffers()
    {
        assertMismatch("K is", "3", "2", (world, rank) -> own(world, rank, HIDDEN, odd(rank) ? 2 : TOPK, 8, false));
    }

    @Test
    void shouldNameBothRanksWhenTheTypeDiffers()
    {
        assertMismatch("dtype is", "bf16", "fp8", (world, rank) -> own(world, rank, HIDDEN, TOPK, 8, odd(rank)));
    }

    @Test
    void shouldNameBothRanksWhenEDiffers()
    {
        assertMismatch("E is", "8", "12",
            (world, rank) -> own(world, rank, HIDDEN, TOPK, odd(rank) ? 12 : 8, false));
    }

    @Test
    void shouldNameBothRanksWhenTheLayoutDiffers()
    {
        assertMismatch("output layout is", "rank-major", "expert-major", (world, rank) -> world.engines.get(rank)
            .dispatch(world.dispatchRequest(rank, null)
            .layout(odd(rank) ? OutputLayout.EXPERT_MAJOR : OutputLayout.RANK_MAJOR)));
    }

    @Test
    void shouldNameBothRanksWhenTheAlignmentDiffers()
    {
        assertMismatch("expert alignment is", "1", "4", (world, rank) -> world.engines.get(rank)
            .dispatch(world.dispatchRequest(rank, null).expertAlignment(odd(rank) ? 4 : 1)));
    }

    @Test
    void shouldNameBothRanksWhenTheKindDiffers()
    {
        final List<DispatchResult> results = new ArrayList<>();
        assertMismatch("kind is", "combine", "cached dispatch", (world, rank) ->
        {
            if (results.isEmpty())
            {
                results.addAll(world.dispatch(null));
            }

            final DispatchResult result = results.get(rank);
            return odd(rank) ? world.engines.get(rank).combine(world.combineRequest(rank, result)) :
                world.engines.get(rank).dispatch(world.dispatchRequest(rank, result.handle()));
        });
    }

    @Test
    void shouldNameBothRanksWhenTheHandlesDiffer()
    {
        final List<List<DispatchResult>> results = new ArrayList<>();
        assertMismatch("dispatch of the handle is", "1", "2", (world, rank) ->
        {
            while (results.size() < 2)
            {
                results.add(world.dispatch(null));
            }

            final DispatchResult result = results.get(rank % 2).get(rank);
            return world.engines.get(rank).combine(world.combineRequest(rank, result));
        });
    }

    @Test
    void shouldNameBothRanksWhenOnlySomeCombineWeights()
    {
        final List<DispatchResult> results = new ArrayList<>();
        assertMismatch("weights is", "absent", "present", (world, rank) ->
        {
            if (results.isEmpty())
            {
                results.addAll(world.dispatch(null));
            }

            final CombineRequest request = world.combineRequest(rank, results.get(rank));
            return world.engines.get(rank).combine(odd(rank) ? request.topkWeights(null) : request);
        });
    }

    private static boolean odd(final int rank)
    {
        return 1 == rank % 2;
    }

    private static Completion<?> own(
        final EngineWorld world, final int rank, final int hidden, final int topk, final int experts,
        final boolean isFp8)
    {
        final Engine engine = world.engines.get(rank);
        final Tensor idx = tensor(engine, DataType.I64, topk);
        for (int i = 0; i < TOKENS * topk; i++)
        {
            idx.view().putLong(i * Long.BYTES, i % topk);
        }

        final DispatchRequest request = isFp8 ?
            DispatchRequest.of(tensor(engine, DataType.F8_E4M3, hidden), tensor(engine, DataType.F32, hidden / 128)) :
            DispatchRequest.of(tensor(engine, DataType.BF16, hidden));
        return engine.dispatch(request.topk(idx, null, experts));
    }

    private static Tensor tensor(final Engine engine, final DataType type, final int columns)
    {
        return new Tensor(
            engine.allocateHost((long)TOKENS * columns * type.bytes()), 0, type, TOKENS, columns);
    }

    /** Odd ranks call differently; with two local ranks each, all ranks meet the difference within their node. */
    private void assertMismatch(
        final String what, final String one, final String other,
        final BiFunction<EngineWorld, Integer, Completion<?>> calling)
    {
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<Completion<?>> calls = new ArrayList<>();
            for (int rank = 0; rank < scenario.ranks(); rank++)
            {
                calls.add(calling.apply(world, rank));
            }

            world.await("failed", () -> calls.stream().allMatch(Completion::isDone), Duration.ofMinutes(1));
            for (final Completion<?> call : calls)
            {
                final CallFailedException failure = assertThrows(CallFailedException.class, call::await);
                final String message = failure.getMessage();
                assertEquals(Reason.MISMATCH, failure.reason(), message);
                assertTrue(message.contains("do not make the same call, " + what + " "), message);
                assertTrue(message.contains(one) && message.contains(other), message);
                assertTrue(message.matches(".*rank [0-3] and rank [0-3] do not.*"), message);
            }
        }
    }
}
