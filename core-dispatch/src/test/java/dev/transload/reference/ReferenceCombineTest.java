/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReferenceCombineTest
{
    private static final String ROWS = "rows";
    private final VectorFile vectors = VectorFile.open("combine.safetensors");
    private final int tokens = vectors.size(ROWS, 0);
    private final int nodes = vectors.size(ROWS, 1);
    private final int ranksPerNode = vectors.size(ROWS, 2);
    private final int hidden = vectors.size(ROWS, 3);
    private final short[] rows = vectors.bf16(ROWS);
    private final byte[] present = vectors.bytes("present");

    @Test
    void shouldRoundPartialSumsOfNodes()
    {
        assertArrayEquals(vectors.bf16("out"), combine(nodes, false, null, null));
    }

    @Test
    void shouldAddBiasesFirst()
    {
        assertArrayEquals(
            vectors.bf16("out_bias"), combine(nodes, false, vectors.bf16("bias0"), vectors.bf16("bias1")));
    }

    @Test
    void shouldKeepPartialSumsWhereTheWireIsF32()
    {
        assertArrayEquals(vectors.bf16("out_wire_f32"), combine(nodes, true, null, null));
    }

    @Test
    void shouldRoundOnceInOneNode()
    {
        assertArrayEquals(vectors.bf16("out_one_node"), combine(1, false, null, null));
    }

    @Test
    void shouldSumExpertsOfARankAndRoundBeforeTheyLeaveIt()
    {
        // One token, four choices on two ranks of one node: 256 + 1 is a tie that BF16 rounds to even, twice.
        final ReferenceWorld world = new ReferenceWorld(1, 2, 4, List.of(
            new Routing(1, 4, new long[]{ 1, 0, 2, 3 }, new float[4]), new Routing(0, 4, new long[0], new float[0])));
        final ReferenceCombine combine = new ReferenceCombine(world, 1, false);
        final float[] answers = { 256, 1, 1, 0 };
        final ReferenceCombine.Answers ranks = combine.summingExperts(
            0, (rank, token, k, into) -> into[0] = Bf16.fromFloat(answers[k]));

        assertArrayEquals(new short[]{ Bf16.fromFloat(256) }, combine.rows(0, ranks, null, null));
    }

    @Test
    void shouldSumWeightsOfRanksThatHoldTheExpert()
    {
        final float[] weights = { 0.5f, 0.25f, 0.125f };
        final ReferenceWorld world = new ReferenceWorld(2, 1, 4, List.of(
            new Routing(1, 3, new long[]{ 3, -1, 0 }, weights), new Routing(0, 3, new long[0], new float[0])));
        final float[] combined = new ReferenceCombine(world, 8, false)
            .weights(0, (rank, token, k) -> world.isOn(0, token, k, rank) ? weights[k] : 0.0f);

        assertArrayEquals(new float[]{ 0.5f, 0.0f, 0.125f }, combined);
    }

    @Test
    void shouldReturnOnlyBiasesForATokenWithoutExperts()
    {
        final ReferenceWorld world =
            new ReferenceWorld(1, 1, 1, List.of(new Routing(1, 1, new long[]{ -1 }, new float[1])));
        final short[] combined = new ReferenceCombine(world, 2, false).rows(
            0, (rank, token, into) -> into[0] = 1, new short[]{ Bf16.fromFloat(3), (short)0x8000 }, null);

        assertEquals(3.0f, Bf16.toFloat(combined[0]));
        assertEquals(0, combined[1], "sums start at +0, so a lone -0 becomes +0");
    }

    /** The vectors' tokens are rank 0's; expert e lives on rank e, and choice e is expert e where it is present. */
    private short[] combine(final int usedNodes, final boolean isWireF32, final short[] bias0, final short[] bias1)
    {
        final int ranks = usedNodes * ranksPerNode;
        final long[] idx = new long[tokens * ranks];
        for (int token = 0; token < tokens; token++)
        {
            for (int rank = 0; rank < ranks; rank++)
            {
                idx[token * ranks + rank] = 0 == present[token * nodes * ranksPerNode + rank] ? -1 : rank;
            }
        }

        final List<Routing> routings = new ArrayList<>();
        routings.add(new Routing(tokens, ranks, idx, new float[tokens * ranks]));
        for (int rank = 1; rank < ranks; rank++)
        {
            routings.add(new Routing(0, ranks, new long[0], new float[0]));
        }

        final ReferenceWorld world = new ReferenceWorld(usedNodes, ranksPerNode, ranks, routings);
        final ReferenceCombine.Answers answers = (rank, token, into) -> System.arraycopy(
            rows, (token * nodes * ranksPerNode + rank) * hidden, into, 0, hidden);
        return new ReferenceCombine(world, hidden, isWireF32).rows(0, answers, bias0, bias1);
    }
}
