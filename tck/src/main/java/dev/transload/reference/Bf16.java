/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/** Brain float: the upper half of an IEEE 754 binary32. */
public final class Bf16
{
    /** The one NaN that arithmetic makes. */
    public static final short NAN = 0x7FC0;

    private Bf16()
    {
    }

    /**
     * Widen, exactly.
     *
     * @param bits of a BF16.
     * @return the same value.
     */
    public static float toFloat(final short bits)
    {
        return Float.intBitsToFloat(bits << 16);
    }

    /**
     * Round to nearest, ties to even; every NaN becomes {@link #NAN}.
     *
     * @param value any.
     * @return bits of the BF16.
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
