/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

import java.util.Arrays;

/** Rows of a {@link ReferenceDispatch} as they are found. */
final class RowCollector
{
    private static final int INITIAL_ROWS = 64;

    private final int topk;
    private int[] srcRank = new int[INITIAL_ROWS];
    private int[] srcTokenIdx = new int[INITIAL_ROWS];
    private long[] idx;
    private float[] weights;
    private int size;

    RowCollector(final int topk)
    {
        this.topk = topk;
        this.idx = new long[INITIAL_ROWS * topk];
        this.weights = new float[INITIAL_ROWS * topk];
    }

    int size()
    {
        return size;
    }

    /** Appends a row without a choice; −1 and −1 is padding. */
    int add(final int source, final int token)
    {
        if (size == srcRank.length)
        {
            srcRank = Arrays.copyOf(srcRank, 2 * size);
            srcTokenIdx = Arrays.copyOf(srcTokenIdx, 2 * size);
            idx = Arrays.copyOf(idx, 2 * size * topk);
            weights = Arrays.copyOf(weights, 2 * size * topk);
        }

        srcRank[size] = source;
        srcTokenIdx[size] = token;
        Arrays.fill(idx, size * topk, (size + 1) * topk, -1);
        return size++;
    }

    void choose(final int row, final int k, final int localExpert, final float weight)
    {
        idx[row * topk + k] = localExpert;
        weights[row * topk + k] = weight;
    }

    ReferenceDispatch finish(final int[] rowsPerExpert, final int[] rankPrefixSum)
    {
        return new ReferenceDispatch(
            size,
            topk,
            Arrays.copyOf(srcRank, size),
            Arrays.copyOf(srcTokenIdx, size),
            Arrays.copyOf(idx, size * topk),
            Arrays.copyOf(weights, size * topk),
            rowsPerExpert,
            rankPrefixSum);
    }
}
