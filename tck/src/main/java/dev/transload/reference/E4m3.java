/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/**
 * Conversions of FP8 E4M3 (finite form: 4 exponent bits of bias 7, 3 mantissa bits, no infinities, largest value 448),
 * and the cast of rows with one F32 scale per 128 elements.
 */
public final class E4m3
{
    /** Number of elements that share a scale. */
    public static final int GROUP = 128;

    private static final int NAN = 0x7F;
    private static final float MAX = 448.0f;
    private static final float AMAX_FLOOR = 1e-4f;
    private static final float LEAST_NORMAL = 0x1p-6f;
    /** F32 from here on are as far apart as subnormal E4M3, and the first one's code ends in zeros. */
    private static final float SUBNORMAL_STEPS = 0x1p14f;
    /** Bits of the mantissa that E4M3 lacks, and what its code of a normal number is less than F32's without these. */
    private static final int LACKING_BITS = 20;
    private static final int BIAS_DIFFERENCE = (127 - 7) << 3;
    private static final float[] VALUES = values();

    private E4m3()
    {
    }

    /**
     * Converts E4M3 to F32 exactly.
     *
     * @param bits bits of the E4M3 number.
     * @return the same value as F32.
     */
    public static float toFloat(final byte bits)
    {
        return VALUES[bits & 0xFF];
    }

    /**
     * Converts F32 to E4M3. Rounds to nearest, ties to the even code. Values beyond 448 saturate, and NaN stays NaN.
     *
     * @param value any F32 value.
     * @return bits of the E4M3 number.
     */
    public static byte fromFloat(final float value)
    {
        if (Float.isNaN(value))
        {
            return NAN;
        }

        final int sign = Float.floatToRawIntBits(value) < 0 ? 0x80 : 0;
        final float magnitude = Math.min(Math.abs(value), MAX);

        return (byte)(sign | (magnitude < LEAST_NORMAL ? subnormal(magnitude) : normal(magnitude)));
    }

    /**
     * Casts a row to E4M3, with all arithmetic in F32. For each group, amax is the largest absolute value, but at least
     * 1e-4. Then scale = amax · (1/448), and q = E4M3(x · (448/amax)).
     *
     * @param row    [hidden] BF16 input; hidden is a multiple of {@link #GROUP}.
     * @param q      [hidden] E4M3 output.
     * @param scales [hidden/128] F32 output.
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
     * Casts a row back to BF16: BF16(q · scale), with the product in F32.
     *
     * @param q      [hidden] E4M3 input.
     * @param scales [hidden/128] F32 input.
     * @param row    [hidden] BF16 output.
     */
    public static void dequantize(final byte[] q, final float[] scales, final short[] row)
    {
        for (int group = 0; group < scales.length; group++)
        {
            final float scale = scales[group];
            for (int i = group * GROUP; i < (group + 1) * GROUP; i++)
            {
                row[i] = Bf16.fromFloat(toFloat(q[i]) * scale);
            }
        }
    }

    /** The sum is rounded to the steps of subnormal numbers, ties to even; its code counts them. */
    private static int subnormal(final float magnitude)
    {
        return Float.floatToRawIntBits(magnitude + SUBNORMAL_STEPS) - Float.floatToRawIntBits(SUBNORMAL_STEPS);
    }

    /** Codes ascend with values across exponents, so a carry out of the mantissa is right as it is. */
    private static int normal(final float magnitude)
    {
        final int bits = Float.floatToRawIntBits(magnitude);
        final int belowHalf = (1 << (LACKING_BITS - 1)) - 1;
        final int odd = (bits >>> LACKING_BITS) & 1;

        return ((bits + belowHalf + odd) >>> LACKING_BITS) - BIAS_DIFFERENCE;
    }

    private static float[] values()
    {
        final float[] values = new float[256];
        for (int bits = 0; bits < values.length; bits++)
        {
            final int exponent = (bits >> 3) & 15;
            final int mantissa = bits & 7;
            final float magnitude =
                0 == exponent ? Math.scalb((float)mantissa, -9) : Math.scalb((float)(8 + mantissa), exponent - 10);
            values[bits] = NAN == (bits & 0x7F) ? Float.NaN : 0 == (bits & 0x80) ? magnitude : -magnitude;
        }

        return values;
    }
}
