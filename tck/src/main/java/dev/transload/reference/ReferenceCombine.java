/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

import java.util.Arrays;
import java.util.List;

/**
 * What a rank must get home. With one node the F32 sum over its ranks stays F32 until the biases are in it; with
 * several, each node's partial sum (the own one too) is rounded to BF16, or stays F32 where the wire is F32.
 * At home: {@code acc = +0}, plus the biases, plus the partial sums, nodes ascending; rounded once to BF16.
 */
public final class ReferenceCombine
{
    private final ReferenceWorld world;
    private final int hidden;
    private final boolean isWireF32;

    /** What ranks answer for the tokens of the rank that gets them home. */
    @FunctionalInterface
    public interface Answers
    {
        /**
         * Answer of one rank for one token.
         *
         * @param rank  that received the token.
         * @param token on its source rank.
         * @param into  [hidden] BF16, filled.
         */
        void read(int rank, int token, short[] into);
    }

    /** What experts answer for the tokens of the rank that gets them home. */
    @FunctionalInterface
    public interface ExpertAnswers
    {
        /**
         * Answer of one expert for one token.
         *
         * @param rank  where the expert lives.
         * @param token on its source rank.
         * @param k     which choice of the token the expert is.
         * @param into  [hidden] BF16, filled.
         */
        void read(int rank, int token, int k, short[] into);
    }

    /** Weights that ranks answer. */
    @FunctionalInterface
    public interface WeightAnswers
    {
        /**
         * Answer of one rank for one choice of a token.
         *
         * @param rank  that received the token.
         * @param token on its source rank.
         * @param k     which choice.
         * @return weight, 0 where the expert is not on the rank.
         */
        float weight(int rank, int token, int k);
    }

    /**
     * Combine in a world.
     *
     * @param world     with its routing.
     * @param hidden    elements of a row.
     * @param isWireF32 partial sums between nodes stay F32.
     */
    public ReferenceCombine(final ReferenceWorld world, final int hidden, final boolean isWireF32)
    {
        this.world = world;
        this.hidden = hidden;
        this.isWireF32 = isWireF32;
    }

    /**
     * Combine one token.
     *
     * @param source  rank of the token.
     * @param token   on it.
     * @param answers of ranks.
     * @param biases  rows [hidden] BF16 to add, in this order.
     * @return [hidden] BF16.
     */
    public short[] row(final int source, final int token, final Answers answers, final List<short[]> biases)
    {
        final float[] acc = new float[hidden];
        biases.forEach((bias) -> add(acc, bias));
        for (int node = 0; node < world.nodes(); node++)
        {
            final List<Integer> ranks = world.answering(source, token, node);
            if (!ranks.isEmpty())
            {
                final float[] partial = new float[hidden];
                for (final int rank : ranks)
                {
                    final short[] answer = new short[hidden];
                    answers.read(rank, token, answer);
                    add(partial, answer);
                }

                if (world.nodes() > 1 && !isWireF32)
                {
                    add(acc, round(partial));
                }
                else
                {
                    for (int i = 0; i < hidden; i++)
                    {
                        acc[i] += partial[i];
                    }
                }
            }
        }

        return round(acc);
    }

    /**
     * Combine all tokens of a rank.
     *
     * @param source  rank.
     * @param answers of ranks.
     * @param bias0   [T·hidden] BF16 or null.
     * @param bias1   [T·hidden] BF16 or null.
     * @return [T·hidden] BF16.
     */
    public short[] rows(final int source, final Answers answers, final short[] bias0, final short[] bias1)
    {
        final int tokens = world.routing(source).tokens();
        final short[] combined = new short[tokens * hidden];
        for (int token = 0; token < tokens; token++)
        {
            final int from = token * hidden;
            final short[] first = null == bias0 ? null : Arrays.copyOfRange(bias0, from, from + hidden);
            final short[] second = null == bias1 ? null : Arrays.copyOfRange(bias1, from, from + hidden);
            final List<short[]> biases =
                null == first ? List.of() : null == second ? List.of(first) : List.of(first, second);
            System.arraycopy(row(source, token, answers, biases), 0, combined, from, hidden);
        }

        return combined;
    }

    /**
     * Answers of ranks in expert-major order: a rank sums its experts' rows of a token in F32 from +0, choices
     * ascending, and rounds to BF16.
     *
     * @param source  rank of the tokens.
     * @param answers of experts.
     * @return answers of ranks.
     */
    public Answers summingExperts(final int source, final ExpertAnswers answers)
    {
        return (rank, token, into) ->
        {
            final float[] acc = new float[hidden];
            final short[] answer = new short[hidden];
            for (int k = 0; k < world.routing(source).topk(); k++)
            {
                if (world.isOn(source, token, k, rank))
                {
                    answers.read(rank, token, k, answer);
                    add(acc, answer);
                }
            }

            System.arraycopy(round(acc), 0, into, 0, hidden);
        };
    }

    /**
     * Combined weights of a rank's tokens: F32, per node from +0 over its ranks ascending, then so over the nodes.
     *
     * @param source  rank.
     * @param answers of ranks.
     * @return [T·K].
     */
    public float[] weights(final int source, final WeightAnswers answers)
    {
        final int tokens = world.routing(source).tokens();
        final int topk = world.routing(source).topk();
        final float[] combined = new float[tokens * topk];
        for (int token = 0; token < tokens; token++)
        {
            for (int node = 0; node < world.nodes(); node++)
            {
                final List<Integer> ranks = world.answering(source, token, node);
                for (int k = 0; k < topk; k++)
                {
                    float partial = 0.0f;
                    for (final int rank : ranks)
                    {
                        partial += answers.weight(rank, token, k);
                    }

                    combined[token * topk + k] += partial;
                }
            }
        }

        return combined;
    }

    private void add(final float[] acc, final short[] row)
    {
        for (int i = 0; i < hidden; i++)
        {
            acc[i] += Bf16.toFloat(row[i]);
        }
    }

    private short[] round(final float[] row)
    {
        final short[] rounded = new short[hidden];
        for (int i = 0; i < hidden; i++)
        {
            rounded[i] = Bf16.fromFloat(row[i]);
        }

        return rounded;
    }
}
