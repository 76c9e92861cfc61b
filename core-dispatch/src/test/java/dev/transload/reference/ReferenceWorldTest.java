/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Small worlds worked out by hand. */
class ReferenceWorldTest
{
    /** Two nodes of two ranks, seven experts padded to eight: two a rank. Ranks 1 and 3 have no tokens. */
    private final ReferenceWorld world = new ReferenceWorld(2, 2, 7, List.of(
        new Routing(3, 2, new long[]{ 0, 1, 2, 6, -1, -1 }, new float[]{ 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f }),
        new Routing(0, 2, new long[0], new float[0]),
        new Routing(2, 2, new long[]{ 1, -1, 3, 2 }, new float[]{ 1.0f, 2.0f, 3.0f, 4.0f }),
        new Routing(0, 2, new long[0], new float[0])));

    @Test
    void shouldCountATokenOnceForEachRankAndNode()
    {
        final ReferenceLayout layout = world.layout(0);

        assertEquals(8, world.experts());
        assertArrayEquals(new int[]{ 1, 1, 0, 1 }, layout.tokensPerRank());
        assertArrayEquals(new int[]{ 2, 1 }, layout.tokensPerNode());
        assertArrayEquals(new int[]{ 1, 1, 1, 0, 0, 0, 1, 0 }, layout.tokensPerExpert());
        assertArrayEquals(new boolean[]{ false, true, false, true }, layout.tokenInRank()[1]);
        assertArrayEquals(new boolean[4], layout.tokenInRank()[2]);
    }

    @Test
    void shouldOrderRankMajorRowsBySourceAndToken()
    {
        final ReferenceDispatch dispatch = world.rankMajor(0, 1);

        assertEquals(2, dispatch.rows());
        assertArrayEquals(new int[]{ 0, 2 }, dispatch.srcRank());
        assertArrayEquals(new int[]{ 0, 0 }, dispatch.srcTokenIdx());
        assertArrayEquals(new long[]{ 0, 1, 1, -1 }, dispatch.topkIdx());
        assertArrayEquals(new float[]{ 0.1f, 0.2f, 1.0f, 0.0f }, dispatch.topkWeights());
        assertArrayEquals(new int[]{ 1, 2 }, dispatch.rowsPerExpert());
        assertArrayEquals(new int[]{ 1, 1, 2, 2 }, dispatch.rankPrefixSum());
    }

    @Test
    void shouldRoundUpCountsWithoutPaddingRankMajorRows()
    {
        final ReferenceDispatch dispatch = world.rankMajor(0, 4);

        assertEquals(2, dispatch.rows());
        assertArrayEquals(new int[]{ 4, 4 }, dispatch.rowsPerExpert());
    }

    @Test
    void shouldPadEachExpertInExpertMajorOrder()
    {
        final ReferenceDispatch dispatch = world.expertMajor(0, 2);

        assertEquals(4, dispatch.rows());
        assertArrayEquals(new int[]{ 0, -1, 0, 2 }, dispatch.srcRank());
        assertArrayEquals(new int[]{ 0, -1, 0, 0 }, dispatch.srcTokenIdx());
        assertArrayEquals(new long[]{ 0, -1, 1, 1 }, dispatch.topkIdx());
        assertArrayEquals(new float[]{ 0.1f, 0.0f, 0.2f, 1.0f }, dispatch.topkWeights());
        assertArrayEquals(new int[]{ 2, 2 }, dispatch.rowsPerExpert());
        assertArrayEquals(new int[]{ 1, 1, 2, 2 }, dispatch.rankPrefixSum());
    }

    @Test
    void shouldGatherRowsAndLeavePaddingZero()
    {
        final short[][] x = { { 10, 11, 20, 21, 30, 31 }, {}, { 40, 41, 50, 51 }, {} };

        assertArrayEquals(new short[]{ 10, 11, 0, 0, 10, 11, 40, 41 }, world.expertMajor(0, 2).gather(x, 2));
        assertArrayEquals(new short[]{ 20, 21, 50, 51 }, world.rankMajor(1, 1).gather(x, 2));
    }
}
