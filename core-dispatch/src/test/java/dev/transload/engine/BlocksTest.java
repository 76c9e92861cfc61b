/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole calls whose streams have more rows than a metadata block, and than rings. */
class BlocksTest
{
    private static Scenario oneNode(final int... tokens)
    {
        return scenario(1, tokens);
    }

    private static Scenario scenario(final int nodes, final int... tokens)
    {
        final Scenario scenario = new Scenario(31);
        scenario.nodes = nodes;
        scenario.ranksPerNode = tokens.length / nodes;
        scenario.tokens = tokens;
        scenario.topk = 3;
        scenario.experts = 12;
        return scenario;
    }

    /** Blocks have 512 rows at most, and four are on their way; within a node they are read where they are. */
    @ParameterizedTest
    @CsvSource({"1, 513, 1, false", "1, 1100, 2, false", "1, 3000, 1, true", "1, 5055, 2, false",
        "2, 513, 1, false", "2, 1100, 2, true", "2, 6000, 1, false", "2, 3000, 1, true"})
    void shouldDeliverManyBlocks(final int nodes, final int tokens, final int channels, final boolean isOnDevice)
    {
        final Scenario scenario = scenario(nodes, tokens, 5);
        scenario.kind = isOnDevice ? SteppingOptions.OPAQUE : MemoryKind.HOST;
        scenario.channels = channels;
        scenario.hidden = 8;
        scenario.outChunk = 64;
        scenario.outRing = 100;
        scenario.upChunk = 64;
        scenario.upRing = 90;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
        }
    }

    /** Where ranks cannot look into each other's memory, the relay puts blocks to all of them. */
    @ParameterizedTest
    @CsvSource({"RANK_MAJOR, direct", "EXPERT_MAJOR, direct", "RANK_MAJOR, ring", "EXPERT_MAJOR, mixed"})
    void shouldDeliverManyBlocksWithoutWindows(final OutputLayout layout, final String placement)
    {
        final Scenario scenario = scenario(2, 2300, 0, 3, 2200);
        scenario.layout = layout;
        scenario.placement = placement;
        scenario.hasWindows = false;
        scenario.channels = 1;
        scenario.hidden = 8;
        scenario.outChunk = 32;
        scenario.outRing = 50;
        scenario.upChunk = 16;
        scenario.upRing = 40;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
        }
    }

    /** The CPU copies a MiB of a tensor at a time, here 32 tokens or 64. */
    @ParameterizedTest
    @CsvSource({"RANK_MAJOR, false", "RANK_MAJOR, true", "EXPERT_MAJOR, false", "EXPERT_MAJOR, true"})
    void shouldCopyLongRowsInParts(final OutputLayout layout, final boolean isFp8)
    {
        final Scenario scenario = oneNode(150, 5, 70);
        scenario.layout = layout;
        scenario.isFp8 = isFp8;
        scenario.hidden = 16384;
        scenario.missing = 0.6;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
        }
    }

    /** A rank is told of its rows at the end of a stream, whether the last part has any of them or not. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldTellOfRowsBeforePartsWithoutAny(final long seed)
    {
        final Scenario scenario = oneNode(150, 0);
        scenario.seed = seed;
        scenario.scheduleSeed = seed;
        scenario.hidden = 16384;
        scenario.topk = 1;
        scenario.missing = 0.98;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
        }
    }

    /** Masks have two words then. */
    @ParameterizedTest
    @ValueSource(strings = {"direct", "ring"})
    void shouldDeliverToMoreRanksThanAWordHasBits(final String placement)
    {
        final int[] tokens = new int[66];
        Arrays.setAll(tokens, (rank) -> rank % 7);
        final Scenario scenario = oneNode(tokens);
        scenario.channels = 1;
        scenario.experts = 66;
        scenario.topk = 5;
        scenario.hidden = 8;
        scenario.placement = placement;
        scenario.hasOwnWeights = true;
        try (LoopbackWorld world = new LoopbackWorld(scenario, 0))
        {
            final List<DispatchResult> results = world.dispatch(null);
            world.verifyDispatch(results);
            world.combineAndVerify(results);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, direct", "1, ring", "3, direct", "3, ring"})
    void shouldDeliverTheSameWithRingsOfOneSlot(final int nodes, final String placement)
    {
        final Scenario scenario = scenario(nodes, 40, 0, 23);
        scenario.placement = placement;
        scenario.isFp8 = true;
        scenario.hidden = 128;
        scenario.upChunk = 1;
        scenario.upRing = 1;
        scenario.outChunk = 1;
        scenario.outBatch = 1;
        scenario.outRing = 1;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
        }
    }
}
