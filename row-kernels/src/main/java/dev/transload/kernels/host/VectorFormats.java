/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * Conversions of {@link Bf16} and {@link E4m3} on all lanes at once. Two neighbouring BF16 share an int lane, the even
 * element in its lower half: they are taken apart by a shift and a mask, and no lane ever moves.
 */
final class VectorFormats
{
    static final int UPPER_HALF = 0xFFFF0000;
    private static final int MAGNITUDE = 0x7FFFFFFF;
    static final int BF16_HALF_MINUS_ONE = 0x7FFF;
    private static final int F32_INFINITY = 0x7F800000;
    private static final int CANONICAL_NAN = 0x7FC00000;
    private static final int DECODED_BIAS = 120 << 23;
    private static final int SMALLEST_NORMAL_CODE = 8;

    private VectorFormats()
    {
    }

    static FloatVector even(final IntVector pairs)
    {
        return pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
    }

    static FloatVector odd(final IntVector pairs)
    {
        return pairs.and(UPPER_HALF).reinterpretAsFloats();
    }

    static FloatVector widened(final ShortVector bf16)
    {
        return even((IntVector)bf16.convertShape(VectorOperators.S2I, VectorMemory.INTS, 0));
    }

    static IntVector pairs(final FloatVector even, final FloatVector odd)
    {
        return rounded(even).lanewise(VectorOperators.LSHR, 16).or(rounded(odd).and(UPPER_HALF));
    }

    static ShortVector narrowed(final FloatVector values)
    {
        return (ShortVector)rounded(values).lanewise(VectorOperators.LSHR, 16)
            .convertShape(VectorOperators.I2S, VectorMemory.SHORTS, 0);
    }

    static IntVector canonical(final FloatVector values)
    {
        final IntVector bits = values.reinterpretAsInts();

        return bits.blend(CANONICAL_NAN, isNan(bits));
    }

    /** BF16 in the upper half of each lane; the lower half is what rounding left. */
    private static IntVector rounded(final FloatVector values)
    {
        final IntVector bits = values.reinterpretAsInts();

        return bits.add(bits.lanewise(VectorOperators.LSHR, 16).and(1)).add(BF16_HALF_MINUS_ONE)
            .blend(CANONICAL_NAN, isNan(bits));
    }

    private static VectorMask<Integer> isNan(final IntVector bits)
    {
        return bits.and(MAGNITUDE).compare(VectorOperators.GT, F32_INFINITY);
    }

    /**
     * E4M3 codes without their signs.
     *
     * @param values whose magnitude rounds to 448 at most, none of them NaN: there is nothing to saturate.
     * @return codes.
     */
    static IntVector toE4m3Magnitude(final FloatVector values)
    {
        final IntVector magnitude = values.reinterpretAsInts().and(MAGNITUDE);
        final IntVector normal = magnitude.lanewise(VectorOperators.LSHR, E4m3.DROPPED_BITS).and(1)
            .add(magnitude)
            .add(E4m3.HALF_MINUS_ONE - (E4m3.BIAS_DIFFERENCE << E4m3.DROPPED_BITS))
            .lanewise(VectorOperators.LSHR, E4m3.DROPPED_BITS);
        final IntVector subnormal = magnitude.reinterpretAsFloats().add(E4m3.SUBNORMAL_ROUNDER).reinterpretAsInts()
            .sub(E4m3.SUBNORMAL_ROUNDER_BITS);

        return normal.blend(subnormal, magnitude.compare(VectorOperators.LT, E4m3.SMALLEST_NORMAL_BITS));
    }

    /**
     * Signs of two BF16 at the places which they have in two E4M3.
     *
     * @param pairs of BF16.
     * @return bits 7 and 15 of each lane.
     */
    static IntVector e4m3Signs(final IntVector pairs)
    {
        return pairs.lanewise(VectorOperators.LSHR, 8).and(0x80)
            .or(pairs.lanewise(VectorOperators.LSHR, 16).and(0x8000));
    }

    static FloatVector fromE4m3(final IntVector codes)
    {
        final IntVector magnitude = codes.and(0x7F);
        final IntVector normal = magnitude.lanewise(VectorOperators.LSHL, E4m3.DROPPED_BITS).add(DECODED_BIAS);
        final IntVector subnormal = magnitude.add(E4m3.SUBNORMAL_ROUNDER_BITS).reinterpretAsFloats()
            .sub(E4m3.SUBNORMAL_ROUNDER).reinterpretAsInts();

        return normal
            .blend(subnormal, magnitude.compare(VectorOperators.LT, SMALLEST_NORMAL_CODE))
            .blend(CANONICAL_NAN, magnitude.compare(VectorOperators.EQ, E4m3.NAN))
            .or(codes.and(0x80).lanewise(VectorOperators.LSHL, 24))
            .reinterpretAsFloats();
    }
}
