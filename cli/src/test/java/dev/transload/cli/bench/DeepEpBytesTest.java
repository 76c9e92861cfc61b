/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.input.RunInput;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.ReferenceWorld;
import dev.transload.reference.Routing;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two nodes of two ranks, two experts on each. */
class DeepEpBytesTest
{
    private static final int HIDDEN = 256;
    private static final long BF16 = 2L * HIDDEN;
    private static final long FP8 = HIDDEN + 2 * 4;

    /** Rank 0: both experts of rank 1; one of ranks 0 and 3; none. Rank 2: one of rank 0. */
    private static RunInput input(final boolean isFp8)
    {
        final Routing none = new Routing(0, 2, new long[0], new float[0]);
        return new RunInput(new ReferenceWorld(List.of(2, 2), 8, List.of(
            new Routing(3, 2, new long[]{ 2, 3, 1, 6, -1, -1 }, new float[6]), none,
            new Routing(1, 2, new long[]{ 0, -1 }, new float[2]), none)), 8, 2, HIDDEN, isFp8, null, "");
    }

    @Test
    void shouldCountARowForEachNodeAndEachRankOfAToken()
    {
        assertEquals(new DeepEpBytes(4 * BF16, 4 * BF16, 4 * BF16, 4 * BF16),
            DeepEpBytes.normal(input(false), WorldConfig.of(2, 2)));
        assertEquals(new DeepEpBytes(4 * FP8, 4 * FP8, 4 * BF16, 4 * BF16),
            DeepEpBytes.normal(input(true), WorldConfig.of(2, 2)));
    }

    @Test
    void shouldCountNothingBetweenNodesInOneNode()
    {
        assertEquals(new DeepEpBytes(0, 4 * BF16, 0, 4 * BF16),
            DeepEpBytes.normal(input(false), WorldConfig.of(1, 4)));
    }

    @Test
    void shouldCountARowForEachChoiceInLowLatency()
    {
        assertEquals(new DeepEpBytes(5 * BF16, 0, 5 * BF16, 0), DeepEpBytes.lowLatency(input(false), false, 1));
        assertEquals(new DeepEpBytes(5 * (FP8 + 16), 0, 5 * BF16, 0), DeepEpBytes.lowLatency(input(false), true, 1));
    }
}
