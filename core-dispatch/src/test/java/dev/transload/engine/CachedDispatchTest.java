/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cached dispatches: rows and scales by the plan of an earlier one, and what is left for the calls after them. */
class CachedDispatchTest
{
    private static final int TOPK = 3;
    private static final int EXPERTS = 9;

    private static Scenario scenario()
    {
        final Scenario scenario = new Scenario(21);
        scenario.nodes = 1;
        scenario.ranksPerNode = 3;
        scenario.tokens = new int[]{40, 0, 23};
        scenario.topk = TOPK;
        scenario.experts = EXPERTS;
        scenario.upChunk = 1;
        scenario.upBatch = 1;
        scenario.upRing = 1;
        scenario.outChunk = 1;
        scenario.outBatch = 1;
        scenario.outRing = 1;
        return scenario;
    }

    @ParameterizedTest
    @EnumSource(OutputLayout.class)
    void shouldMoveThePayloadAndNoMetadataOfRows(final OutputLayout layout)
    {
        final Scenario scenario = scenario();
        scenario.layout = layout;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final long payload =
                results.stream().mapToLong(DispatchResult::rows).sum() * scenario.hidden * Short.BYTES;
            for (int round = 0; round < 3; round++)
            {
                final long before = bytes(world);
                world.verifyRepeated(world.repeat(results, null, false));
                assertEquals(payload, bytes(world) - before);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(OutputLayout.class)
    void shouldLeaveMetadataOfTheCallersOutputUntouched(final OutputLayout layout)
    {
        final Scenario scenario = scenario();
        scenario.layout = layout;
        scenario.alignment = 4;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<DispatchResult> results = world.dispatch(null);
            world.verifyRepeated(world.repeat(results, world.spoiltOutputs(results), false));
        }
    }

    @Test
    void shouldAskAllocatorsForNoMetadata()
    {
        try (SteppingWorld world = new SteppingWorld(scenario()))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final List<OutputShape> shapes = new ArrayList<>();
            final List<Completion<DispatchResult>> calls = new ArrayList<>();
            for (int rank = 0; rank < results.size(); rank++)
            {
                final RankTensors own = world.tensors.get(rank);
                calls.add(world.engines.get(rank).dispatch(
                    DispatchRequest.of(own.x).cached(results.get(rank).handle()).allocator((shape) ->
                    {
                        shapes.add(shape);
                        return own.output(shape);
                    })));
            }

            world.await("repeated", () -> calls.stream().allMatch(Completion::isDone));
            world.verifyRepeated(calls.stream().map(Completion::await).toList());
            assertEquals(List.of(0, 0, 0), shapes.stream().map(OutputShape::topk).toList());
        }
    }

    @Test
    void shouldLeaveRingsOfOneSlotToTheCallsAfterIt()
    {
        try (SteppingWorld world = new SteppingWorld(scenario()))
        {
            final List<DispatchResult> results = world.dispatch(null);
            for (int round = 0; round < 3; round++)
            {
                world.verifyRepeated(world.repeat(results, null, 1 == round));
                world.verifyRepeated(world.repeat(results, null, 1 != round));
                world.verifyDispatch(world.dispatch(null));
                world.combineAndVerify(results);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFollowTensorsThatMove(final boolean isFp8)
    {
        final Scenario scenario = scenario();
        scenario.isFp8 = isFp8;
        scenario.hidden = 128;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyRepeated();
        }
    }

    @Test
    void shouldFollowScalesThatMoveAlone()
    {
        final Scenario scenario = scenario();
        scenario.isFp8 = true;
        scenario.hidden = 128;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final List<DispatchOutput> outputs =
                world.repeat(results, null, false).stream().map(DispatchResult::output).toList();
            for (int round = 1; round < 4; round++)
            {
                world.spoil(outputs);
                final List<Completion<DispatchResult>> calls = new ArrayList<>();
                for (int rank = 0; rank < outputs.size(); rank++)
                {
                    final RankTensors own = world.tensors.get(rank);
                    final DispatchOutput output = outputs.get(rank);
                    calls.add(world.engines.get(rank).dispatch(
                        DispatchRequest.of(own.x, 1 == round ? own.otherScales : own.scales)
                        .cached(results.get(rank).handle()).output(new DispatchOutput(output.x(),
                        3 == round ? own.elsewhere(output.xScales()) : output.xScales(), output.topkIdx(),
                        output.topkWeights(), output.srcTokenIdx()))));
                }

                world.await("repeated", () -> calls.stream().allMatch(Completion::isDone));
                world.verifyRepeated(calls.stream().map(Completion::await).toList());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(OutputLayout.class)
    void shouldKeepTheRoutingsOfHandlesApart(final OutputLayout layout)
    {
        final Scenario scenario = scenario();
        scenario.layout = layout;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            List<DispatchResult> before = world.dispatch(null);
            for (int round = 0; round < 4; round++)
            {
                world.tensors.forEach(CachedDispatchTest::turnChoices);
                final List<DispatchResult> now = world.dispatch(null);
                assertFalse(Arrays.equals(delivered(world, before, 0), delivered(world, now, 0)), "choices differ");
                requireRepeated(world, before);
                requireRepeated(world, now);
                requireRepeated(world, before);
                before.forEach((result) -> result.handle().close());
                before = now;
            }
        }
    }

    /** Other experts for every token, not the same ones for all of them. */
    private static void turnChoices(final RankTensors tensors)
    {
        final LongBuffer idx = tensors.idx.view().asLongBuffer();
        for (int i = 0; i < idx.capacity(); i++)
        {
            final long expert = idx.get(i);
            idx.put(i, expert < 0 ? expert : (expert + 1 + i / TOPK % 2) % EXPERTS);
        }
    }

    private static void requireRepeated(final SteppingWorld world, final List<DispatchResult> results)
    {
        final List<DispatchResult> repeated = world.repeat(results, null, false);
        for (int rank = 0; rank < results.size(); rank++)
        {
            assertArrayEquals(delivered(world, results, rank), delivered(world, repeated, rank));
        }
    }

    private static byte[] delivered(final SteppingWorld world, final List<DispatchResult> results, final int rank)
    {
        return world.tensors.get(rank).payload(results.get(rank).output().x(), results.get(rank).rows());
    }

    private static long bytes(final SteppingWorld world)
    {
        return world.engines.stream().mapToLong((engine) -> engine.statistics().dispatchScaleUpBytes()).sum();
    }
}
