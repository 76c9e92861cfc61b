/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

/** Rows with every element's sign turned: another content of the same routing. The scales of FP8 rows stay. */
final class NegatedRows implements RowSource
{
    private static final int BF16_SIGN = 0x8000;
    private static final int E4M3_SIGN = 0x80;

    private final RowSource rows;

    NegatedRows(final RowSource rows)
    {
        this.rows = rows;
    }

    @Override
    public void bf16(final int rank, final int token, final short[] into)
    {
        rows.bf16(rank, token, into);
        for (int i = 0; i < into.length; i++)
        {
            into[i] ^= (short)BF16_SIGN;
        }
    }

    @Override
    public void fp8(final int rank, final int token, final byte[] q, final float[] scales)
    {
        rows.fp8(rank, token, q, scales);
        for (int i = 0; i < q.length; i++)
        {
            q[i] ^= (byte)E4M3_SIGN;
        }
    }

    @Override
    public void close()
    {
        rows.close();
    }
}
