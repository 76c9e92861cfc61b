/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.stepping.SteppingOptions;
import java.io.ByteArrayOutputStream;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cached dispatches whose rows go by kept lists, which way rows take, and what is left for the calls after them. */
class ReplayTest
{
    private static final int TOPK = 3;
    private static final int EXPERTS = 9;
    private static final IntPredicate NOBODY = (rank) -> false;
    private static final IntPredicate EVERYBODY = (rank) -> true;

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
            assertEquals(payload, moved(world, results, NOBODY));
            assertTrue(moved(world, results, EVERYBODY) > payload, "weights come with the metadata of rows");
            assertEquals(payload, moved(world, results, NOBODY));
        }
    }

    @Test
    void shouldSendMetadataToRanksThatExposeNothing()
    {
        final Scenario scenario = scenario();
        scenario.placement = "mixed";
        scenario.kind = SteppingOptions.OPAQUE;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final long payload =
                results.stream().mapToLong(DispatchResult::rows).sum() * scenario.hidden * Short.BYTES;
            final long bare = moved(world, results, NOBODY);
            assertTrue(bare > payload, "rank 1 has placement = ring");
            assertTrue(moved(world, results, EVERYBODY) > bare, "the others have not");
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
                world.verifyRepeated(world.repeat(results, null, NOBODY, 1 == round), NOBODY);
                world.verifyRepeated(world.repeat(results, null, EVERYBODY, 1 == round), EVERYBODY);
                world.verifyDispatch(world.dispatch(null));
                world.combineAndVerify(results);
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
                world.tensors.forEach(ReplayTest::turnChoices);
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
        final List<DispatchResult> repeated = world.repeat(results, null, NOBODY, false);
        for (int rank = 0; rank < results.size(); rank++)
        {
            assertArrayEquals(delivered(world, results, rank), delivered(world, repeated, rank));
        }
    }

    /** All of a rank's output but the weights. */
    private static byte[] delivered(final SteppingWorld world, final List<DispatchResult> results, final int rank)
    {
        final RankTensors tensors = world.tensors.get(rank);
        final int rows = results.get(rank).rows();
        final DispatchOutput output = results.get(rank).output();
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (final Tensor tensor : List.of(output.x(), output.topkIdx(), output.srcTokenIdx()))
        {
            bytes.writeBytes(tensors.payload(tensor, rows));
        }

        return bytes.toByteArray();
    }

    private static long moved(
        final SteppingWorld world, final List<DispatchResult> results, final IntPredicate isWeighted)
    {
        final long before = bytes(world);
        world.verifyRepeated(world.repeat(results, null, isWeighted, false), isWeighted);
        return bytes(world) - before;
    }

    private static long bytes(final SteppingWorld world)
    {
        return world.engines.stream().mapToLong((engine) -> engine.statistics().dispatchScaleUpBytes()).sum();
    }
}
