/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

import java.util.Arrays;
import java.util.List;

/**
 * Computes the expected result of a combine. Each node sums the answers of its ranks in F32. In a world of several
 * nodes, the partial sum of each node (including the source's node) is rounded to BF16, unless the wire format is F32.
 * In a world of one node, the partial sum is not rounded. The source rank starts from +0 in F32, adds the biases, adds
 * the partial sums in ascending order of nodes, and rounds the result once to BF16.
 */
public final class ReferenceCombine
{
    private final ReferenceWorld world;
    private final int hidden;
    private final boolean isWireF32;

    /** Answers of ranks for the tokens of a source rank. */
    @FunctionalInterface
    public interface Answers
    {
        /**
         * Reads the answer of one rank for one token.
         *
         * @param rank  rank that received the token.
         * @param token index of the token on its source rank.
         * @param into  [hidden] BF16 output.
         */
        void read(int rank, int token, short[] into);
    }

    /** Answers of experts for the tokens of a source rank. */
    @FunctionalInterface
    public interface ExpertAnswers
    {
        /**
         * Reads the answer of one expert for one token.
         *
         * @param rank  rank of the expert.
         * @param token index of the token on its source rank.
         * @param k     index of the expert among the choices of the token, from 0.
         * @param into  [hidden] BF16 output.
         */
        void read(int rank, int token, int k, short[] into);
    }

    /** Weights in the answers of ranks. */
    @FunctionalInterface
    public interface WeightAnswers
    {
        /**
         * Returns the weight in the answer of one rank for one choice of a token.
         *
         * @param rank  rank that received the token.
         * @param token index of the token on its source rank.
         * @param k     index of the choice, from 0.
         * @return weight, 0 if the expert is not on the rank.
         */
        float weight(int rank, int token, int k);
    }

    /**
     * Creates the computation for a world.
     *
     * @param world     world with its routing.
     * @param hidden    number of elements of a row.
     * @param isWireF32 true if nodes exchange partial sums in F32, false for BF16.
     */
    public ReferenceCombine(final ReferenceWorld world, final int hidden, final boolean isWireF32)
    {
        this.world = world;
        this.hidden = hidden;
        this.isWireF32 = isWireF32;
    }

    /**
     * Combines one token.
     *
     * @param source  source rank of the token.
     * @param token   index of the token on its source rank.
     * @param answers answers of ranks.
     * @param biases  BF16 rows of shape [hidden], added in this order.
     * @return combined row, [hidden] BF16.
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
     * Combines all tokens of a rank.
     *
     * @param source  source rank of the tokens.
     * @param answers answers of ranks.
     * @param bias0   first bias, [T·hidden] BF16; null for none.
     * @param bias1   second bias, [T·hidden] BF16; null for none.
     * @return combined rows, [T·hidden] BF16.
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
     * Returns the answers that ranks give if their rows are in expert-major order. Each rank sums its experts' rows of
     * a token in F32 from +0, in ascending order of choices, and rounds the sum to BF16.
     *
     * @param source  source rank of the tokens.
     * @param answers answers of experts.
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
     * Combines the weights of a rank's tokens in F32. Each node sums the weights of its ranks from +0 in ascending
     * order. The node sums are then added in ascending order from +0.
     *
     * @param source  source rank of the tokens.
     * @param answers answers of ranks.
     * @return combined weights, [T·K] F32.
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
