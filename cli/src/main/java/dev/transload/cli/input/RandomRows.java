/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.reference.E4m3;

/** Rows of pseudo-random normal numbers, a function of seed, rank and token alone. FP8 rows are cast from them. */
final class RandomRows implements RowSource
{
    private final long seed;
    private final boolean isFp8;
    private final short[] exact;
    private final byte[] q;
    private final float[] scales;

    RandomRows(final long seed, final int hidden, final boolean isFp8)
    {
        this.seed = seed;
        this.isFp8 = isFp8;
        this.exact = new short[hidden];
        this.q = new byte[hidden];
        this.scales = new float[hidden / E4m3.GROUP];
    }

    @Override
    public void bf16(final int rank, final int token, final short[] into)
    {
        if (isFp8)
        {
            fp8(rank, token, q, scales);
            E4m3.dequantize(q, scales, into);
        }
        else
        {
            draw(rank, token, into);
        }
    }

    @Override
    public void fp8(final int rank, final int token, final byte[] into, final float[] intoScales)
    {
        draw(rank, token, exact);
        E4m3.quantize(exact, into, intoScales);
    }

    @Override
    public void close()
    {
        // Nothing is held.
    }

    private void draw(final int rank, final int token, final short[] into)
    {
        new NormalNumbers(seed, rank, token).fillBf16(into);
    }
}
