/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

/**
 * Conversions between OCP FP8 E4M3 and F32 (OCP 8-bit Floating Point Specification 1.0): 1 sign, 4 exponent bits of
 * bias 7, 3 mantissa bits, largest finite value 448, no infinity, NaN where all bits but the sign are set.
 */
final class E4m3
{
    /** The one NaN that is ever produced; it has no sign, since that of an F32 NaN differs between processors. */
    static final int NAN = 0x7F;

    /** Code of 448. */
    static final int LARGEST = 0x7E;

    /** Bits of an F32 mantissa that E4M3 has not. */
    static final int DROPPED_BITS = 20;

    /** One less than half of the last place that is kept. */
    static final int HALF_MINUS_ONE = (1 << DROPPED_BITS - 1) - 1;

    /** Difference of the exponents' biases, 127 - 7, at its place in a code. */
    static final int BIAS_DIFFERENCE = 120 << 3;

    /** F32 bits of 2^-6, the smallest normal E4M3 value. */
    static final int SMALLEST_NORMAL_BITS = 0x3C800000;

    /** 2^14: the last place of an F32 near it is 2^-9, the last place of a subnormal E4M3, so adding it rounds. */
    static final float SUBNORMAL_ROUNDER = 16384.0f;

    /** Bits of {@link #SUBNORMAL_ROUNDER}. */
    static final int SUBNORMAL_ROUNDER_BITS = 0x46800000;

    private static final float[] VALUES = new float[256];

    static
    {
        for (int code = 0; code < VALUES.length; code++)
        {
            VALUES[code] = valueOf(code);
        }
    }

    private E4m3()
    {
    }

    /**
     * Round to nearest, ties to even, and saturate: what is beyond 448, infinity included, becomes 448.
     *
     * @param value any.
     * @return code in the lower 8 bits, zero in the others.
     */
    static int fromFloat(final float value)
    {
        if (value != value)
        {
            return NAN;
        }

        final int bits = Float.floatToRawIntBits(value);
        final int sign = bits >>> 24 & 0x80;
        final int magnitude = bits & 0x7FFFFFFF;

        if (magnitude < SMALLEST_NORMAL_BITS)
        {
            final float rounded = Float.intBitsToFloat(magnitude) + SUBNORMAL_ROUNDER;
            return sign | Float.floatToRawIntBits(rounded) - SUBNORMAL_ROUNDER_BITS;
        }

        final int rounded = magnitude + HALF_MINUS_ONE + (magnitude >>> DROPPED_BITS & 1) >>> DROPPED_BITS;

        return sign | Math.min(rounded - BIAS_DIFFERENCE, LARGEST);
    }

    /**
     * Widen, exactly.
     *
     * @param code the lower 8 bits count.
     * @return the same value.
     */
    static float toFloat(final int code)
    {
        return VALUES[code & 0xFF];
    }

    private static float valueOf(final int code)
    {
        final int magnitude = code & 0x7F;
        final int exponent = magnitude >>> 3;
        final int mantissa = magnitude & 7;
        final float value;

        if (NAN == magnitude)
        {
            value = Float.NaN;
        }
        else if (0 == exponent)
        {
            value = Math.scalb((float)mantissa, -9);
        }
        else
        {
            value = Math.scalb((float)(8 + mantissa), exponent - 10);
        }

        return 0 == (code & 0x80) ? value : -value;
    }
}
