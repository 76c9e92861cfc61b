/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl.example;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;

/** The whole layer on one rank: all experts on all tokens, without an engine. */
public final class DenseLayer
{
    /** Of BF16, whose numbers have 8 significant bits: largest relative error of rounding one. */
    private static final float ROUNDING = 1f / 256;

    /** What sums of F32 add to that. */
    private static final float SLACK = 1.01f;

    private final Experts experts;

    /**
     * With all experts.
     *
     * @param manager of their weights.
     */
    public DenseLayer(final NDManager manager)
    {
        experts = new Experts(manager, 0, Experts.EXPERTS);
    }

    /**
     * Answers to tokens, and what rounding does to them.
     *
     * @param sums        [T · HIDDEN] in F32.
     * @param magnitudes  [T · HIDDEN] sums of the absolute values of what is added.
     * @param prefilled   [T · HIDDEN] the bits of normal mode, experts on different ranks.
     * @param decoded     [T · HIDDEN] the bits of low latency.
     */
    public record Answers(float[] sums, float[] magnitudes, float[] prefilled, float[] decoded)
    {
        /**
         * Largest error of other answers, in parts of what rounding may make of it.
         *
         * @param other     [T · HIDDEN].
         * @param roundings to BF16 on the way of a number from expert to token.
         * @return at most 1 if all is well; 0 of no tokens.
         */
        public double error(final float[] other, final int roundings)
        {
            double worst = other.length == sums.length ? 0 : Double.POSITIVE_INFINITY;
            for (int i = 0; i < sums.length; i++)
            {
                final double allowed = magnitudes[i] * ROUNDING * roundings * SLACK;
                final double error = Math.abs((double)other[i] - sums[i]);
                worst = Math.max(worst, 0 == error ? 0 : error / allowed);
            }

            return worst;
        }
    }

    /**
     * Answers to a rank's tokens.
     *
     * @param x     [T, HIDDEN] FLOAT32, exact in BF16.
     * @param ranks over which the experts are spread where {@link MoeLayer} does it.
     * @return answers.
     */
    public Answers answers(final NDArray x, final int ranks)
    {
        final NDList choice = experts.choose(x);
        final float[] weights = choice.get(0).toFloatArray();
        final long[] chosen = choice.get(1).toLongArray();
        final float[][] all = new float[Experts.EXPERTS][];
        for (int expert = 0; expert < Experts.EXPERTS; expert++)
        {
            all[expert] = experts.apply(expert, x).toFloatArray();
        }

        final int size = all[0].length;
        final Answers answers =
            new Answers(new float[size], new float[size], new float[size], new float[size]);
        for (int i = 0; i < size; i++)
        {
            add(answers, i, weights, chosen, all, Experts.EXPERTS / ranks);
        }

        return answers;
    }

    private static void add(
        final Answers answers, final int i, final float[] weights, final long[] chosen, final float[][] all,
        final int localExperts)
    {
        final int token = i / Experts.HIDDEN;
        final float[] ofRank = new float[Experts.EXPERTS / localExperts];
        float decoded = 0;
        for (int k = token * Experts.TOPK; k < (token + 1) * Experts.TOPK; k++)
        {
            final int expert = (int)chosen[k];
            final float part = weights[k] * all[expert][i];
            answers.sums[i] += part;
            answers.magnitudes[i] += Math.abs(part);
            ofRank[expert / localExperts] += round(part);
            decoded = Math.fma(weights[k], round(all[expert][i]), decoded);
        }

        float prefilled = 0;
        for (final float sum : ofRank)
        {
            prefilled += round(sum);
        }

        answers.prefilled[i] = round(prefilled);
        answers.decoded[i] = round(decoded);
    }

    /** To BF16, halves to even. */
    private static float round(final float value)
    {
        final int bits = Float.floatToRawIntBits(value);
        return Float.intBitsToFloat(bits + 0x7FFF + (bits >>> Short.SIZE & 1) & 0xFFFF0000);
    }
}
