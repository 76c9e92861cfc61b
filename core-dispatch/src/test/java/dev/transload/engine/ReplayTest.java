/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.stepping.SteppingOptions;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cached dispatches whose rows go by kept lists, which way rows take, and what is left for the calls after them. */
class ReplayTest
{
    private static final IntPredicate NOBODY = (rank) -> false;
    private static final IntPredicate EVERYBODY = (rank) -> true;

    private static Scenario scenario()
    {
        final Scenario scenario = new Scenario(21);
        scenario.nodes = 1;
        scenario.ranksPerNode = 3;
        scenario.tokens = new int[]{40, 0, 23};
        scenario.topk = 3;
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
