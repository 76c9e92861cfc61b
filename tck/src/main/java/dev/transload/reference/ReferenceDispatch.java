/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/**
 * What one rank must receive. A row's payload is the row of its source token; payload is gathered on demand, so that a
 * large world fits into little memory.
 *
 * @param rows          R, padding included (expert-major).
 * @param topk          K of idx and weights; 1 in expert-major order.
 * @param srcRank       [R] source rank, −1 for padding.
 * @param srcTokenIdx   [R] token index on its source rank, −1 for padding.
 * @param topkIdx       [R·K] local expert or −1.
 * @param topkWeights   [R·K] 0 where −1.
 * @param rowsPerExpert [L] rounded up to the alignment.
 * @param rankPrefixSum [P] inclusive, in rows of the rank-major order.
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
     * Received rows of two-byte elements.
     *
     * @param x       by source rank: [T·columns].
     * @param columns of a row.
     * @return [R·columns], zeros where padded.
     */
    public short[] gather(final short[][] x, final int columns)
    {
        final short[] received = new short[rows * columns];
        copyRows(x, received, columns);
        return received;
    }

    /**
     * Received rows of one-byte elements.
     *
     * @param x       by source rank: [T·columns].
     * @param columns of a row.
     * @return [R·columns], zeros where padded.
     */
    public byte[] gather(final byte[][] x, final int columns)
    {
        final byte[] received = new byte[rows * columns];
        copyRows(x, received, columns);
        return received;
    }

    /**
     * Received rows of F32 elements, e.g. scales.
     *
     * @param x       by source rank: [T·columns].
     * @param columns of a row.
     * @return [R·columns], zeros where padded.
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
