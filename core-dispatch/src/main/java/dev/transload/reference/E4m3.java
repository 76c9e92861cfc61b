/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/**
 * FP8 E4M3 (finite form: 4 exponent bits of bias 7, 3 mantissa bits, no infinities, largest value 448) and the cast of
 * rows with one F32 scale per 128 elements.
 */
public final class E4m3
{
    /** Elements that share a scale. */
    public static final int GROUP = 128;

    private static final int LARGEST = 0x7E;
    private static final int NAN = 0x7F;
    private static final float MAX = 448.0f;
    private static final float AMAX_FLOOR = 1e-4f;

    private E4m3()
    {
    }

    /**
     * Widen, exactly.
     *
     * @param bits of an E4M3.
     * @return the same value.
     */
    public static float toFloat(final byte bits)
    {
        final int magnitude = bits & 0x7F;
        if (NAN == magnitude)
        {
            return Float.NaN;
        }

        final int exponent = magnitude >> 3;
        final int mantissa = magnitude & 7;
        final float value =
            0 == exponent ? Math.scalb((float)mantissa, -9) : Math.scalb((float)(8 + mantissa), exponent - 10);

        return bits < 0 ? -value : value;
    }

    /**
     * Round to nearest, ties to the even code; beyond 448 saturates, NaN stays NaN.
     *
     * @param value any.
     * @return bits of the E4M3.
     */
    public static byte fromFloat(final float value)
    {
        if (Float.isNaN(value))
        {
            return NAN;
        }

        final int sign = Float.floatToRawIntBits(value) < 0 ? 0x80 : 0;
        final double magnitude = Math.min(Math.abs(value), MAX);
        int low = 0;
        int high = LARGEST;
        while (low < high)
        {
            final int middle = (low + high + 1) / 2;
            if (toFloat((byte)middle) <= magnitude)
            {
                low = middle;
            }
            else
            {
                high = middle - 1;
            }
        }

        // low is the largest code not above the value; codes ascend with values.
        final double below = magnitude - toFloat((byte)low);
        final double above = low < LARGEST ? toFloat((byte)(low + 1)) - magnitude : Double.POSITIVE_INFINITY;
        final boolean up = above < below || above == below && 0 != (low & 1);

        return (byte)(sign | (up ? low + 1 : low));
    }

    /**
     * Cast a row: amax of each group, at least 1e-4; scale = amax · (1/448); q = E4M3(x · (448/amax)), all in F32.
     *
     * @param row    [hidden] BF16, hidden a multiple of {@link #GROUP}.
     * @param q      [hidden] E4M3, filled.
     * @param scales [hidden/128], filled.
     */
    public static void quantize(final short[] row, final byte[] q, final float[] scales)
    {
        for (int group = 0; group < row.length / GROUP; group++)
        {
            float amax = AMAX_FLOOR;
            for (int i = group * GROUP; i < (group + 1) * GROUP; i++)
            {
                amax = Math.max(amax, Math.abs(Bf16.toFloat(row[i])));
            }

            scales[group] = amax * (1.0f / MAX);
            final float inverse = MAX / amax;
            for (int i = group * GROUP; i < (group + 1) * GROUP; i++)
            {
                q[i] = fromFloat(Bf16.toFloat(row[i]) * inverse);
            }
        }
    }

    /**
     * Cast a row back: BF16(q · scale), the product in F32.
     *
     * @param q      [hidden] E4M3.
     * @param scales [hidden/128].
     * @param row    [hidden] BF16, filled.
     */
    public static void dequantize(final byte[] q, final float[] scales, final short[] row)
    {
        for (int i = 0; i < q.length; i++)
        {
            row[i] = Bf16.fromFloat(toFloat(q[i]) * scales[i / GROUP]);
        }
    }
}
