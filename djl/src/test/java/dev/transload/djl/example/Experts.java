/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl.example;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import java.util.Random;

/**
 * A gate, and experts of two linear layers each: E(x) = relu(x·A)·B. Weights are random multiples of a power of two and
 * have few bits, so that F32 has each sum without rounding, in whatever order PyTorch adds: an expert answers a token
 * with the same bits among few others as among many.
 */
public final class Experts
{
    public static final int HIDDEN = 128;
    public static final int EXPERTS = 8;
    public static final int TOPK = 2;

    private static final int INNER = 64;
    private static final int STEPS = 4;
    private static final int TOKEN_STEPS = 8;
    private static final float STEP = 1f / STEPS;
    private static final float GATE_STEP = 1f / 32;

    private final NDArray gate;
    private final NDArray[] up;
    private final NDArray[] down;
    private final int first;

    /**
     * Some of the experts.
     *
     * @param manager of their weights.
     * @param first   expert.
     * @param count   of experts.
     */
    public Experts(final NDManager manager, final int first, final int count)
    {
        this.first = first;
        gate = weights(manager, new Random(EXPERTS), STEPS, GATE_STEP, HIDDEN, EXPERTS);
        up = new NDArray[count];
        down = new NDArray[count];
        for (int i = 0; i < count; i++)
        {
            final Random random = new Random(first + i);
            up[i] = weights(manager, random, STEPS, STEP, HIDDEN, INNER);
            down[i] = weights(manager, random, STEPS, STEP, INNER, HIDDEN);
        }
    }

    /**
     * Tokens.
     *
     * @param manager of the array.
     * @param seed    of their values.
     * @param count   of tokens, maybe 0.
     * @return [count, HIDDEN] FLOAT32 between −1 and 1, exact in BF16.
     */
    public static NDArray tokens(final NDManager manager, final long seed, final int count)
    {
        return weights(manager, new Random(seed), TOKEN_STEPS, 1f / TOKEN_STEPS, count, HIDDEN);
    }

    private static NDArray weights(
        final NDManager manager, final Random random, final int steps, final float step, final int rows,
        final int columns)
    {
        final float[] values = new float[rows * columns];
        for (int i = 0; i < values.length; i++)
        {
            values[i] = (random.nextInt(2 * steps + 1) - steps) * step;
        }

        return manager.create(values, new Shape(rows, columns));
    }

    /**
     * Which experts tokens go to: those with the largest softmax of their scores.
     *
     * @param x [T, HIDDEN] FLOAT32.
     * @return weights [T, TOPK] FLOAT32 with the sum 1, and experts [T, TOPK] INT64.
     */
    public NDList choose(final NDArray x)
    {
        final NDArray probabilities = x.matMul(gate).softmax(1);
        final NDList top = probabilities.topK(TOPK, 1, true, true);
        return new NDList(top.get(0).div(top.get(0).sum(new int[]{ 1 }, true)), top.get(1));
    }

    /**
     * What an expert makes of tokens.
     *
     * @param expert number among all.
     * @param x      [rows, HIDDEN] FLOAT32.
     * @return [rows, HIDDEN] FLOAT32.
     */
    public NDArray apply(final int expert, final NDArray x)
    {
        final NDArray inner = Activation.relu(x.matMul(up[expert - first]));
        return inner.matMul(down[expert - first]);
    }
}
