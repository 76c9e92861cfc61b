/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.cli.input.RowSource;
import dev.transload.reference.Bf16;
import dev.transload.reference.E4m3;
import java.util.Arrays;

/** Rows that are made fast, since every trial fills its tensors anew; what is in a row does not change its way. */
final class PlainRows implements RowSource
{
    private static final int VALUES = 113;

    @Override
    public void bf16(final int rank, final int token, final short[] into)
    {
        Arrays.fill(into, Bf16.fromFloat(1 + (31 * rank + token) % VALUES));
    }

    @Override
    public void fp8(final int rank, final int token, final byte[] q, final float[] scales)
    {
        final short[] row = new short[q.length];
        bf16(rank, token, row);
        E4m3.quantize(row, q, scales);
    }

    @Override
    public void close()
    {
        // Nothing is held.
    }
}
