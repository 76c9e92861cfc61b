/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/** Conversions of BF16 (bfloat16), the upper half of an IEEE 754 binary32 number. */
public final class Bf16
{
    /** The only NaN that conversions to BF16 return. */
    public static final short NAN = 0x7FC0;

    private Bf16()
    {
    }

    /**
     * Converts BF16 to F32 exactly.
     *
     * @param bits bits of the BF16 number.
     * @return the same value as F32.
     */
    public static float toFloat(final short bits)
    {
        return Float.intBitsToFloat(bits << 16);
    }

    /**
     * Converts F32 to BF16. Rounds to nearest, ties to even; every NaN becomes {@link #NAN}.
     *
     * @param value any F32 value.
     * @return bits of the BF16 number.
     */
    public static short fromFloat(final float value)
    {
        if (Float.isNaN(value))
        {
            return NAN;
        }

        final int bits = Float.floatToRawIntBits(value);
        final int odd = (bits >>> 16) & 1;

        return (short)((bits + 0x7FFF + odd) >>> 16);
    }
}
