/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark.example;

import java.util.Random;

/** A layer of eight experts, of which each token takes two: y = w₀·relu(A₀·x) + w₁·relu(A₁·x). Weights are random. */
public final class Layer
{
    public static final int HIDDEN = 64;
    public static final int EXPERTS = 8;
    public static final int TOPK = 2;

    private final float[][] gate = new float[EXPERTS][HIDDEN];
    private final float[][][] experts = new float[EXPERTS][HIDDEN][HIDDEN];

    /** The same weights in each JVM. */
    public Layer()
    {
        final Random random = new Random(28);
        for (int expert = 0; expert < EXPERTS; expert++)
        {
            fill(gate[expert], random);
            for (final float[] row : experts[expert])
            {
                fill(row, random);
            }
        }
    }

    /** Numbers between −1 and 1, divided by the square root of their count. */
    private static void fill(final float[] row, final Random random)
    {
        for (int i = 0; i < row.length; i++)
        {
            row[i] = (random.nextFloat() * 2 - 1) / (float)Math.sqrt(row.length);
        }
    }

    /** The experts with the largest scores, the largest first. */
    public int[] choose(final float[] x)
    {
        final float[] scores = new float[EXPERTS];
        final int[] chosen = { 0, 0 };
        for (int expert = 0; expert < EXPERTS; expert++)
        {
            scores[expert] = dot(gate[expert], x);
            chosen[0] = scores[expert] > scores[chosen[0]] ? expert : chosen[0];
        }

        chosen[1] = 0 == chosen[0] ? 1 : 0;
        for (int expert = 0; expert < EXPERTS; expert++)
        {
            chosen[1] = expert != chosen[0] && scores[expert] > scores[chosen[1]] ? expert : chosen[1];
        }

        return chosen;
    }

    /** Softmax of the scores of the chosen experts. */
    public float[] weigh(final float[] x, final int[] chosen)
    {
        final float second = (float)Math.exp(dot(gate[chosen[1]], x) - dot(gate[chosen[0]], x));
        return new float[]{ 1 / (1 + second), second / (1 + second) };
    }

    /** Adds what an expert makes of a token, times a weight. */
    public void addExpert(final int expert, final float weight, final float[] x, final float[] sum)
    {
        for (int i = 0; i < HIDDEN; i++)
        {
            sum[i] += weight * Math.max(0, dot(experts[expert][i], x));
        }
    }

    /** The layer without Transload. */
    public float[] dense(final float[] x)
    {
        final int[] chosen = choose(x);
        final float[] weights = weigh(x, chosen);
        final float[] sum = new float[HIDDEN];
        for (int k = 0; k < TOPK; k++)
        {
            addExpert(chosen[k], weights[k], x, sum);
        }

        return sum;
    }

    private static float dot(final float[] a, final float[] b)
    {
        float sum = 0;
        for (int i = 0; i < a.length; i++)
        {
            sum += a[i] * b[i];
        }

        return sum;
    }
}
