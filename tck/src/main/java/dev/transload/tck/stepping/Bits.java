/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.Fp8;
import dev.transload.kernels.ScaleFormat;
import java.nio.ByteBuffer;

/** The number formats of token rows, written out: BF16 with a canonical NaN, and OCP FP8 E4M3. */
final class Bits
{
    private static final short BF16_NAN = 0x7FC0;
    private static final int FP8_NAN = 0x7F;
    private static final float FP8_MAX = 448.0f;
    private static final float FP8_SMALLEST_NORMAL = 0x1p-6f;
    private static final int FP8_SUBNORMALS_PER_ONE = 1 << 9;
    private static final int FP8_DROPPED_BITS = 20;
    private static final int FP8_REBIAS = (127 - 7) << 3;
    private static final float INVERSE_MAX = 1.0f / Fp8.MAX;

    private Bits()
    {
    }

    static float fromBf16(final short bits)
    {
        return Float.intBitsToFloat(bits << Short.SIZE);
    }

    static short toBf16(final float value)
    {
        if (Float.isNaN(value))
        {
            return BF16_NAN;
        }

        final int bits = Float.floatToRawIntBits(value);
        return (short)((bits + 0x7FFF + ((bits >>> Short.SIZE) & 1)) >>> Short.SIZE);
    }

    static float fromFp8(final byte code)
    {
        final int exponent = (code >> 3) & 0xF;
        final int mantissa = code & 7;
        final float sign = code < 0 ? -1.0f : 1.0f;
        if (FP8_NAN == (code & FP8_NAN))
        {
            return Float.NaN;
        }

        return sign * (0 == exponent ? mantissa * 0x1p-9f : (1 + mantissa / 8.0f) * Math.scalb(1.0f, exponent - 7));
    }

    /** Saturating, to nearest even. */
    static byte toFp8(final float value)
    {
        final int sign = Float.floatToRawIntBits(value) < 0 ? 0x80 : 0;
        if (Float.isNaN(value))
        {
            return (byte)(sign | FP8_NAN);
        }

        final float size = Math.min(Math.abs(value), FP8_MAX);
        if (size < FP8_SMALLEST_NORMAL)
        {
            return (byte)(sign | (int)Math.rint((double)size * FP8_SUBNORMALS_PER_ONE));
        }

        final int bits = Float.floatToRawIntBits(size);
        final int even = (bits >>> FP8_DROPPED_BITS) & 1;
        return (byte)(sign | (((bits + (1 << (FP8_DROPPED_BITS - 1)) - 1 + even) >>> FP8_DROPPED_BITS) - FP8_REBIAS));
    }

    /** A row from BF16 to FP8 with its scales, as {@link ScaleFormat} says; or divided where it should multiply. */
    static void quantize(
        final ByteBuffer source, final ByteBuffer target, final ByteBuffer scales, final int hidden,
        final ScaleFormat format, final boolean isRight)
    {
        for (int group = 0; group < hidden; group += Fp8.GROUP)
        {
            float amax = Fp8.AMAX_FLOOR;
            for (int i = group; i < group + Fp8.GROUP; i++)
            {
                amax = Math.max(amax, Math.abs(fromBf16(source.getShort(i * Short.BYTES))));
            }

            final boolean isAmax = ScaleFormat.AMAX == format;
            final boolean multiplies = isAmax && isRight;
            final float scale = isAmax ? amax * INVERSE_MAX : powerOfTwoNotBelow((double)amax / Fp8.MAX);
            final float inverse = Fp8.MAX / amax;
            for (int i = group; i < group + Fp8.GROUP; i++)
            {
                final float value = fromBf16(source.getShort(i * Short.BYTES));
                target.put(i, toFp8(multiplies ? value * inverse : value / scale));
            }

            scales.putFloat(scale);
        }
    }

    private static float powerOfTwoNotBelow(final double value)
    {
        final int exponent = Math.getExponent(value);
        return Math.scalb(1.0f, Math.scalb(1.0, exponent) == value ? exponent : exponent + 1);
    }
}
