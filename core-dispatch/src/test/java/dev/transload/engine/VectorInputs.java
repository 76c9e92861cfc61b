/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.reference.Routing;
import dev.transload.reference.VectorFile;
import java.util.Arrays;

/**
 * Inputs and answers from the test vectors of the arithmetic, in place of random ones. The ranks of a world divide the
 * tokens of a file, in their order; rows that a file does not have stay random.
 */
enum VectorInputs implements GivenInputs
{
    /** Answers of 3 x 4 ranks with an expert each; choice e of a token is expert e where that rank answers. */
    COMBINE("combine", "rows", 12)
    {
        @Override
        void writeInto(final WorldData data, final int rank, final int first)
        {
            final int ranks = data.scenario.ranks();
            final Routing routing = data.routings.get(rank);
            final byte[] present = file().bytes("present");
            for (int i = 0; i < routing.idx().length; i++)
            {
                final int expert = i % ranks;
                routing.idx()[i] = 0 == present[(first + i / ranks) * answersPerToken() + expert] ? -1 : expert;
            }

            copy(file().bf16("bias0"), first, data.bias0[rank]);
            copy(file().bf16("bias1"), first, data.bias1[rank]);
        }

        @Override
        int answerOf(final int rank, final int k)
        {
            return rank;
        }
    },
    /** Rows, and as FP8 their codes and scales; each token's answer is what its codes stand for. */
    FP8("fp8", "back", 1)
    {
        @Override
        void writeInto(final WorldData data, final int rank, final int first)
        {
            writeFp8(data, rank, first, "");
        }
    },
    /** The same with scales that are powers of two. */
    FP8_POWER_OF_TWO("fp8", "back", 1)
    {
        @Override
        void writeInto(final WorldData data, final int rank, final int first)
        {
            writeFp8(data, rank, first, "_power_of_two");
        }
    },
    /** Eight answers and weights a token; each rank begins with another one of the answers. */
    WEIGHTED_SUM("weighted-sum", "rows", 8)
    {
        @Override
        void writeInto(final WorldData data, final int rank, final int first)
        {
            final float[] weights = data.routings.get(rank).weights();
            System.arraycopy(file().f32("weights"), first * answersPerToken(), weights, 0, weights.length);
        }

        @Override
        int answerOf(final int rank, final int k)
        {
            return (rank + k) % answersPerToken();
        }
    };

    private final String name;
    private final String answers;
    private final int answersPerToken;
    private VectorFile file;
    private short[] rows;

    VectorInputs(final String name, final String answers, final int answersPerToken)
    {
        this.name = name;
        this.answers = answers;
        this.answersPerToken = answersPerToken;
    }

    /** Makes a scenario one of these vectors: its tokens and their width. */
    void shape(final Scenario scenario)
    {
        final int count = file().size(answers, 0);
        scenario.vectors = this;
        scenario.hidden = answers().length / count / answersPerToken;
        scenario.tokens = new int[scenario.ranks()];
        for (int rank = 0; rank < scenario.tokens.length; rank++)
        {
            scenario.tokens[rank] = (rank + 1) * count / scenario.ranks() - rank * count / scenario.ranks();
        }
    }

    @Override
    public void writeInto(final WorldData data)
    {
        for (int rank = 0; rank < data.scenario.ranks(); rank++)
        {
            writeInto(data, rank, first(data, rank));
        }
    }

    /** Writes one rank's part, which begins with a given token of the file. */
    abstract void writeInto(WorldData data, int rank, int first);

    /** Which of a token's answers a rank gives. */
    int answerOf(final int rank, final int k)
    {
        return 0;
    }

    @Override
    public short[] answer(final WorldData data, final int rank, final int source, final int token, final int k)
    {
        final int row = (first(data, source) + token) * answersPerToken + answerOf(rank, k);
        return Arrays.copyOfRange(answers(), row * data.scenario.hidden, (row + 1) * data.scenario.hidden);
    }

    final synchronized VectorFile file()
    {
        file = null == file ? VectorFile.open(name + ".safetensors") : file;
        return file;
    }

    final int answersPerToken()
    {
        return answersPerToken;
    }

    private synchronized short[] answers()
    {
        rows = null == rows ? file().bf16(answers) : rows;
        return rows;
    }

    private static int first(final WorldData data, final int rank)
    {
        return Arrays.stream(data.scenario.tokens, 0, rank).sum();
    }

    final void writeFp8(final WorldData data, final int rank, final int first, final String suffix)
    {
        final int hidden = data.scenario.hidden;
        copy(file().bf16("x"), first, data.x[rank]);
        if (data.scenario.isFp8)
        {
            final byte[] q = file().bytes("q" + suffix);
            final float[] scales = file().f32("scale" + suffix);
            System.arraycopy(q, first * hidden, data.q[rank], 0, data.q[rank].length);
            System.arraycopy(
                scales, first * file().size("scale" + suffix, 1), data.scales[rank], 0, data.scales[rank].length);
        }
    }

    /** Rows of the file, as wide as the answers. */
    final void copy(final short[] from, final int first, final short[] to)
    {
        System.arraycopy(from, first * (from.length / file().size(answers, 0)), to, 0, to.length);
    }
}
