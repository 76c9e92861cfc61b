/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/**
 * Rows that one rank must receive from a dispatch. The payload of a row is a copy of the input row of its source token.
 * The payload is gathered only when requested, so that a large world needs little memory.
 *
 * @param rows          number of rows R, including padding in expert-major order.
 * @param topk          number of choices per row in topkIdx and topkWeights: K, or 1 in expert-major order.
 * @param srcRank       [R] source rank, −1 for padding.
 * @param srcTokenIdx   [R] token index on its source rank, −1 for padding.
 * @param topkIdx       [R·K] local expert of each choice; −1 if the expert is not on this rank, and for padding.
 * @param topkWeights   [R·K] weight of each choice, 0 if its topkIdx is −1.
 * @param rowsPerExpert [L] number of rows of each local expert, rounded up to the alignment.
 * @param rankPrefixSum [P] inclusive prefix sum of rows by source rank; it counts the rows of rank-major order, also if
 *                      the rows are in expert-major order.
 */
public record ReferenceDispatch(
    int rows,
    int topk,
    int[] srcRank,
    int[] srcTokenIdx,
    long[] topkIdx,
    float[] topkWeights,
    int[] rowsPerExpert,
    int[] rankPrefixSum)
{
    /**
     * Gathers received rows of two-byte elements.
     *
     * @param x       input of each source rank, [T·columns].
     * @param columns number of elements of a row.
     * @return received rows, [R·columns]; padding rows are zero.
     */
    public short[] gather(final short[][] x, final int columns)
    {
        final short[] received = new short[rows * columns];
        copyRows(x, received, columns);
        return received;
    }

    /**
     * Gathers received rows of one-byte elements.
     *
     * @param x       input of each source rank, [T·columns].
     * @param columns number of elements of a row.
     * @return received rows, [R·columns]; padding rows are zero.
     */
    public byte[] gather(final byte[][] x, final int columns)
    {
        final byte[] received = new byte[rows * columns];
        copyRows(x, received, columns);
        return received;
    }

    /**
     * Gathers received rows of F32 elements, e.g. scales.
     *
     * @param x       input of each source rank, [T·columns].
     * @param columns number of elements of a row.
     * @return received rows, [R·columns]; padding rows are zero.
     */
    public float[] gather(final float[][] x, final int columns)
    {
        final float[] received = new float[rows * columns];
        copyRows(x, received, columns);
        return received;
    }

    private void copyRows(final Object[] from, final Object to, final int columns)
    {
        for (int row = 0; row < rows; row++)
        {
            if (srcRank[row] >= 0)
            {
                System.arraycopy(from[srcRank[row]], srcTokenIdx[row] * columns, to, row * columns, columns);
            }
        }
    }
}
