/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

/** Conversions between BF16 (the upper half of an IEEE 754 binary32) and F32. */
final class Bf16
{
    /** Bytes of an element. */
    static final int BYTES = 2;

    /** The one NaN that is ever produced. */
    static final int NAN = 0x7FC0;

    private static final int HALF_MINUS_ONE = 0x7FFF;

    private Bf16()
    {
    }

    /**
     * Widen, exactly.
     *
     * @param bf16 bits; the upper half is ignored.
     * @return the same value.
     */
    static float toFloat(final int bf16)
    {
        return Float.intBitsToFloat(bf16 << 16);
    }

    /**
     * Round to nearest, ties to even; what is beyond the largest finite value becomes infinite.
     *
     * @param value any.
     * @return bits in the lower half, zero in the upper.
     */
    static int fromFloat(final float value)
    {
        if (value != value)
        {
            return NAN;
        }

        final int bits = Float.floatToRawIntBits(value);

        return (bits + HALF_MINUS_ONE + (bits >>> 16 & 1)) >>> 16;
    }
}
