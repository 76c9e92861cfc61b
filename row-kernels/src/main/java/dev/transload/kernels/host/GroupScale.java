/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.Fp8;
import dev.transload.kernels.ScaleFormat;

/** Scale of a group of elements, and what the elements are multiplied by before they are rounded to E4M3. */
final class GroupScale
{
    private static final float RECIPROCAL_OF_MAX = 1.0f / Fp8.MAX;
    private static final int EXPONENT_BIAS = 127;
    private static final int MANTISSA_BITS = 23;
    private static final int MANTISSA_MASK = (1 << MANTISSA_BITS) - 1;
    private static final int MAX_EXPONENT = 8;
    private static final int MAX_MANTISSA = Float.floatToRawIntBits(Fp8.MAX) & MANTISSA_MASK;

    private GroupScale()
    {
    }

    /**
     * Largest magnitude that a group is taken to have.
     *
     * @param magnitudeBits BF16 bits, without the sign, of the largest magnitude; NaN is larger than infinity.
     * @return that value, at least {@link Fp8#AMAX_FLOOR}; NaN stays NaN, in its canonical form.
     */
    static float amax(final int magnitudeBits)
    {
        final float largest = Bf16.toFloat(magnitudeBits);

        if (largest != largest)
        {
            return Float.NaN;
        }

        return Math.max(largest, Fp8.AMAX_FLOOR);
    }

    /**
     * Scale to be stored.
     *
     * @param amax   from {@link #amax}.
     * @param format of the scale.
     * @return scale; infinite or NaN if amax is.
     */
    static float scale(final float amax, final ScaleFormat format)
    {
        if (ScaleFormat.AMAX == format)
        {
            return amax * RECIPROCAL_OF_MAX;
        }

        if (!(amax <= Float.MAX_VALUE))
        {
            return amax;
        }

        // 448 = 1.75 · 2^8, so the logarithm rounds up exactly where amax has a larger mantissa than 1.75.
        final int bits = Float.floatToRawIntBits(amax);
        final int roundUp = (bits & MANTISSA_MASK) > MAX_MANTISSA ? 1 : 0;
        final int exponent = (bits >>> MANTISSA_BITS) - EXPONENT_BIAS - MAX_EXPONENT + roundUp;

        return Float.intBitsToFloat(exponent + EXPONENT_BIAS << MANTISSA_BITS);
    }

    /**
     * Factor for the elements.
     *
     * @param amax   from {@link #amax}.
     * @param scale  from {@link #scale}.
     * @param format of the scale.
     * @return {@code 448/amax}, or {@code 1/scale}, which for a power of two multiplies to the bits of a division.
     */
    static float factor(final float amax, final float scale, final ScaleFormat format)
    {
        return ScaleFormat.AMAX == format ? Fp8.MAX / amax : 1.0f / scale;
    }
}
