/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.wire.RowMeta;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole dispatches on one node, whose rows go by lists while their metadata passes the rings. */
class ListedRowsTest
{
    private static Scenario scenario(final int... tokens)
    {
        final Scenario scenario = new Scenario(31);
        scenario.nodes = 1;
        scenario.ranksPerNode = tokens.length;
        scenario.tokens = tokens;
        scenario.topk = 3;
        scenario.experts = 12;
        return scenario;
    }

    @ParameterizedTest
    @EnumSource(OutputLayout.class)
    void shouldSendEachRowOnceAndAnEntryOfItToEveryRank(final OutputLayout layout)
    {
        final Scenario scenario = scenario(40, 0, 23);
        scenario.layout = layout;
        scenario.channels = 1;
        scenario.missing = 0.4;
        assertEquals(0, siftedOf(scenario), "most rows go to most ranks");
    }

    @ParameterizedTest
    @CsvSource({"RANK_MAJOR, false", "RANK_MAJOR, true", "EXPERT_MAJOR, false", "EXPERT_MAJOR, true"})
    void shouldSendFewRowsEntriesToTheirRankAlone(final OutputLayout layout, final boolean isThroughSmallRings)
    {
        final Scenario scenario = scenario(60, 0, 3, 90, 41, 25);
        scenario.layout = layout;
        scenario.channels = 1;
        scenario.topk = 1;
        scenario.missing = 0.1;
        if (isThroughSmallRings)
        {
            scenario.outChunk = 4;
            scenario.outRing = 7;
            scenario.upChunk = 2;
            scenario.upRing = 3;
        }

        final int sifted = siftedOf(scenario);
        final int lanes = scenario.ranks() * scenario.ranks();
        assertTrue(sifted > lanes / 2 && sifted < lanes, () -> sifted + " of " + lanes);
    }

    /** Run a dispatch, verify it and the bytes it moved; returns from how many ranks to how many others few rows go. */
    private static int siftedOf(final Scenario scenario)
    {
        int sifted = 0;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<DispatchResult> results = world.dispatch(null);
            world.verifyDispatch(results);
            long rows = 0;
            long entries = 0;
            for (int rank = 0; rank < scenario.ranks(); rank++)
            {
                final DispatchLayout own =
                    world.engines.get(rank).layout(world.tensors.get(rank).idx, scenario.experts);
                final int all = own.tokensPerNode()[0];
                for (final int few : own.tokensPerRank())
                {
                    final boolean isSifted = 4 * few <= all && all > 0;
                    sifted += isSifted ? 1 : 0;
                    entries += isSifted ? few : all;
                    rows += few;
                }
            }

            final long payload =
                results.stream().mapToLong(DispatchResult::rows).sum() * scenario.hidden * Short.BYTES;
            assertEquals(payload + entries * RowMeta.stride(1, world.engines.get(0).config().maxTopk()),
                world.engines.stream().mapToLong((one) -> one.statistics().dispatchScaleUpBytes()).sum());
            assertEquals(rows, world.engines.stream()
                .mapToLong((one) -> one.counters().traffic().get(Traffic.DISPATCH_SCALE_UP.ordinal()).rows()).sum());
        }

        return sifted;
    }

    /** Of 512 tokens, and on devices then of 8192 at most; the metadata in pieces of what fits into the rings. */
    @ParameterizedTest
    @CsvSource({"513, 1, false", "1100, 2, false", "9000, 1, false", "513, 1, true", "1100, 2, true", "9000, 1, true"})
    void shouldListManyTokensInParts(final int tokens, final int channels, final boolean isOnDevice)
    {
        final Scenario scenario = scenario(tokens, 5);
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

    /** The CPU copies a MiB of a tensor at a time, here 32 tokens or 64: first by lists as they grow, then as kept. */
    @ParameterizedTest
    @CsvSource({"RANK_MAJOR, false", "RANK_MAJOR, true", "EXPERT_MAJOR, false", "EXPERT_MAJOR, true"})
    void shouldCopyLongRowsInParts(final OutputLayout layout, final boolean isFp8)
    {
        final Scenario scenario = scenario(150, 5, 70);
        scenario.layout = layout;
        scenario.isFp8 = isFp8;
        scenario.hidden = 16384;
        scenario.missing = 0.6;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
        }
    }

    /** Whether any of its tokens goes there or not: a rank is told of the others' rows, be they of the first part. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldTellOfRowsBeforePartsWithoutAny(final long seed)
    {
        final Scenario scenario = scenario(150, 0);
        scenario.seed = seed;
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
        final Scenario scenario = scenario(tokens);
        scenario.channels = 1;
        // 66 ranks that one thread drives step by step take seconds, and a busy machine takes minutes.
        scenario.more = "transload.timeouts.call = 10 m";
        scenario.experts = 66;
        scenario.topk = 5;
        scenario.hidden = 8;
        scenario.placement = placement;
        scenario.hasOwnWeights = true;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<DispatchResult> results = world.dispatch(null);
            world.verifyDispatch(results);
            world.combineAndVerify(results);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldDeliverTheSameWithRingsOfOneSlot(final int senders)
    {
        final Scenario scenario = scenario(40, 0, 23);
        scenario.senders = senders;
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
