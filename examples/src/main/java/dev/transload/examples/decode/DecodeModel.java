/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import dev.transload.kernels.StepShape;
import java.time.Duration;
import java.util.Random;

/**
 * Layers whose experts answer with the row that they got, so that the host can tell what each layer gives; and tokens,
 * selections and weights that follow from a round, a rank and a layer.
 *
 * @param ranks   of the world.
 * @param layers  of the model.
 * @param tokens  of each rank.
 * @param hidden  elements of a token, a multiple of 128.
 * @param experts of a layer.
 * @param topk    experts that a token selects.
 * @param blocks  of a step.
 * @param timeout of a rank that is waited for.
 */
record DecodeModel(int ranks, int layers, int tokens, int hidden, int experts, int topk, int blocks, Duration timeout)
{
    private static final int BF16_SHIFT = 16;
    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(10);

    /** Of ranks that all take part. */
    DecodeModel(
        final int ranks, final int layers, final int tokens, final int hidden, final int experts, final int topk,
        final int blocks)
    {
        this(ranks, layers, tokens, hidden, experts, topk, blocks, LONG_TIMEOUT);
    }

    StepShape shape(final int rank)
    {
        return StepShape.of(ranks, rank).maxTokens(tokens).maxHidden(hidden).maxExperts(experts).maxTopk(topk)
            .blocks(blocks).timeoutNs(timeout.toNanos()).build();
    }

    int places()
    {
        return shape(0).localExperts() * shape(0).expertRows();
    }

    int selections()
    {
        return tokens * topk;
    }

    int batchBytes()
    {
        return tokens * hidden * Short.BYTES;
    }

    private static Random random(final int round, final int rank, final int layer)
    {
        return new Random(((long)round * 1_000_003 + rank) * 1_009 + layer);
    }

    /** BF16, [tokens][hidden]. */
    short[] x(final int round, final int rank)
    {
        final Random random = random(round, rank, -1);
        final short[] x = new short[tokens * hidden];
        for (int i = 0; i < x.length; i++)
        {
            x[i] = toBf16(random.nextFloat() * 2 - 1);
        }

        return x;
    }

    /** [tokens][topk], all of a token distinct. */
    int[] ids(final int round, final int rank, final int layer)
    {
        final Random random = random(round, rank, 2 * layer);
        final int[] ids = new int[selections()];
        for (int at = 0; at < ids.length; at++)
        {
            boolean isTaken = true;
            while (isTaken)
            {
                ids[at] = random.nextInt(experts);
                isTaken = false;
                for (int k = at - at % topk; k < at; k++)
                {
                    isTaken |= ids[k] == ids[at];
                }
            }
        }

        return ids;
    }

    /** [tokens][topk], about 1 for a token, so that tokens neither vanish nor grow from layer to layer. */
    float[] weights(final int round, final int rank, final int layer)
    {
        final Random random = random(round, rank, 2 * layer + 1);
        final float[] weights = new float[selections()];
        for (int i = 0; i < weights.length; i++)
        {
            weights[i] = (0.9f + 0.2f * random.nextFloat()) / topk;
        }

        return weights;
    }

    /** What a layer makes of tokens: F32, fused, in the order of the selections, rounded to BF16. */
    void apply(final short[] x, final float[] weights, final short[] sums)
    {
        for (int token = 0; token < tokens; token++)
        {
            for (int i = token * hidden; i < (token + 1) * hidden; i++)
            {
                final float element = Float.intBitsToFloat(x[i] << BF16_SHIFT);
                float sum = 0;
                for (int at = token * topk; at < (token + 1) * topk; at++)
                {
                    sum = Math.fma(weights[at], element, sum);
                }

                sums[i] = toBf16(sum);
            }
        }
    }

    /** To the nearest, ties to even. */
    private static short toBf16(final float value)
    {
        final int bits = Float.floatToRawIntBits(value);
        return (short)(bits + 0x7FFF + (bits >>> BF16_SHIFT & 1) >>> BF16_SHIFT);
    }
}
