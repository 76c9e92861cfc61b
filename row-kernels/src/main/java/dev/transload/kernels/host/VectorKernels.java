/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.Fp8;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;
import org.agrona.UnsafeApi;

/**
 * Loops over one row. Each must be a compilation of its own: see {@link VectorArithmetic}. A plain sum is
 * {@code fma(1, x, acc)}, whose product is exact, hence of the same bits as {@code acc + x}. Sums to BF16 are spelled
 * out: C2 does not inline a method that it has compiled into much code already, and whether it has is a race.
 */
final class VectorKernels
{
    /** Bytes of a vector of ints or floats. */
    static final int VECTOR_BYTES = VectorMemory.INTS.vectorByteSize();

    /** Elements in as many int lanes: what one step of a loop over single elements does. */
    static final int LANES = VectorMemory.INTS.length();

    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final int UPPER = VectorFormats.UPPER_HALF;
    private static final int HALF = VectorFormats.BF16_HALF_MINUS_ONE;
    private static final int MAGNITUDE = 0x7FFF;
    private static final short INFINITY = 0x7F80;
    private static final int GROUP_PAIRS = Fp8.GROUP / 2;
    private static final int GROUP_BYTES = Fp8.GROUP * Bf16.BYTES;

    private VectorKernels()
    {
    }

    /** Sum one BF16 row to BF16: it is its own sum, but for the one NaN that is produced, and for zero, which is +0. */
    static void sumOne(
        final Object source, final int offset, final Object target, final int targetOffset, final int bytes)
        throws Throwable
    {
        for (int at = 0; at < bytes; at += VECTOR_BYTES)
        {
            final IntVector pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(source, offset + at);
            final ShortVector row = pairs.reinterpretAsShorts();
            final ShortVector magnitude = row.and((short)MAGNITUDE);
            VectorMemory.STORE_INTS.invokeExact(
                row.blend((short)Bf16.NAN, magnitude.compare(VectorOperators.GT, INFINITY))
                .blend((short)0, magnitude.compare(VectorOperators.EQ, (short)0)).reinterpretAsInts(),
                target, targetOffset + at);
        }
    }

    /** Sum BF16 rows of one window to BF16, two elements a lane; bytes is a multiple of {@link #VECTOR_BYTES}. */
    static void sumPairs(
        final Object window, final int[] offsets, final float[] weights, final int count, final Object target,
        final int targetOffset, final int bytes)
        throws Throwable
    {
        for (int at = 0; at < bytes; at += VECTOR_BYTES)
        {
            FloatVector even = FloatVector.zero(FLOATS);
            FloatVector odd = FloatVector.zero(FLOATS);
            for (int row = 0; row < count; row++)
            {
                final FloatVector weight = FloatVector.broadcast(FLOATS, weights[row]);
                final IntVector pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window, offsets[row] + at);
                even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight, even);
                odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight, odd);
            }

            final IntVector lower = even.blend(Float.NaN, even.compare(VectorOperators.NE, even)).reinterpretAsInts();
            final IntVector upper = odd.blend(Float.NaN, odd.compare(VectorOperators.NE, odd)).reinterpretAsInts();
            VectorMemory.STORE_INTS.invokeExact(
                lower.add(lower.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).lanewise(VectorOperators.LSHR, 16)
                .or(upper.add(upper.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).and(UPPER)),
                target, targetOffset + at);
        }
    }

    /** Same as {@link #sumPairs} for rows of several windows; looking a window up costs as much as the sum. */
    static void sumPairsOfWindows(
        final Object[] windows, final int[] offsets, final float[] weights, final int count, final Object target,
        final int targetOffset, final int bytes)
        throws Throwable
    {
        for (int at = 0; at < bytes; at += VECTOR_BYTES)
        {
            FloatVector even = FloatVector.zero(FLOATS);
            FloatVector odd = FloatVector.zero(FLOATS);
            for (int row = 0; row < count; row++)
            {
                final FloatVector weight = FloatVector.broadcast(FLOATS, weights[row]);
                final IntVector pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(windows[row], offsets[row] + at);
                even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight, even);
                odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight, odd);
            }

            final IntVector lower = even.blend(Float.NaN, even.compare(VectorOperators.NE, even)).reinterpretAsInts();
            final IntVector upper = odd.blend(Float.NaN, odd.compare(VectorOperators.NE, odd)).reinterpretAsInts();
            VectorMemory.STORE_INTS.invokeExact(
                lower.add(lower.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).lanewise(VectorOperators.LSHR, 16)
                .or(upper.add(upper.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).and(UPPER)),
                target, targetOffset + at);
        }
    }

    /**
     * Sum BF16 rows to BF16; the sum of the first {@code rounded} ones is rounded to BF16 before the others are added.
     */
    static void sumPartFirst(
        final Object[] windows, final int[] offsets, final float[] weights, final int rounded, final int count,
        final Object target, final int to, final int bytes)
        throws Throwable
    {
        for (int at = 0; at < bytes; at += VECTOR_BYTES)
        {
            FloatVector partEven = FloatVector.zero(FLOATS);
            FloatVector partOdd = FloatVector.zero(FLOATS);
            for (int row = 0; row < rounded; row++)
            {
                final FloatVector weight = FloatVector.broadcast(FLOATS, weights[row]);
                final IntVector pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(windows[row], offsets[row] + at);
                partEven = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight, partEven);
                partOdd = pairs.and(UPPER).reinterpretAsFloats().fma(weight, partOdd);
            }

            IntVector lower =
                partEven.blend(Float.NaN, partEven.compare(VectorOperators.NE, partEven)).reinterpretAsInts();
            IntVector upper =
                partOdd.blend(Float.NaN, partOdd.compare(VectorOperators.NE, partOdd)).reinterpretAsInts();
            FloatVector even = lower.add(lower.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).and(UPPER)
                .reinterpretAsFloats();
            FloatVector odd = upper.add(upper.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).and(UPPER)
                .reinterpretAsFloats();
            for (int row = rounded; row < count; row++)
            {
                final FloatVector weight = FloatVector.broadcast(FLOATS, weights[row]);
                final IntVector pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(windows[row], offsets[row] + at);
                even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight, even);
                odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight, odd);
            }

            lower = even.blend(Float.NaN, even.compare(VectorOperators.NE, even)).reinterpretAsInts();
            upper = odd.blend(Float.NaN, odd.compare(VectorOperators.NE, odd)).reinterpretAsInts();
            VectorMemory.STORE_INTS.invokeExact(
                lower.add(lower.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).lanewise(VectorOperators.LSHR, 16)
                .or(upper.add(upper.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).and(UPPER)), target, to + at);
        }
    }

    /** Sum BF16 rows and leave the sums of even and of odd elements unrounded, for {@link EightRowKernels#addTo}. */
    static void sumToPairs(
        final Object[] windows, final int[] offsets, final float[] weights, final int count, final float[] evens,
        final float[] odds, final int bytes)
        throws Throwable
    {
        for (int at = 0; at < bytes; at += VECTOR_BYTES)
        {
            FloatVector even = FloatVector.zero(FLOATS);
            FloatVector odd = FloatVector.zero(FLOATS);
            for (int row = 0; row < count; row++)
            {
                final FloatVector weight = FloatVector.broadcast(FLOATS, weights[row]);
                final IntVector pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(windows[row], offsets[row] + at);
                even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight, even);
                odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight, odd);
            }

            even.intoArray(evens, at / Integer.BYTES);
            odd.intoArray(odds, at / Integer.BYTES);
        }
    }

    /** Sum rows, the first of them BF16 and the others F32, to F32; elements is a multiple of {@link #LANES}. */
    static void sumToF32(
        final Object[] rows, final int[] offsets, final float[] weights, final int bf16Rows, final int count,
        final Object target, final int targetOffset, final int elements)
        throws Throwable
    {
        for (int at = 0; at < elements; at += LANES)
        {
            FloatVector sum = FloatVector.zero(FLOATS);
            for (int row = 0; row < bf16Rows; row++)
            {
                final ShortVector bf16 = VectorMemory.loadShorts(rows[row], offsets[row] + at * Bf16.BYTES);
                sum = VectorFormats.widened(bf16).fma(FloatVector.broadcast(FLOATS, weights[row]), sum);
            }

            for (int row = bf16Rows; row < count; row++)
            {
                final IntVector f32 = VectorMemory.loadInts(rows[row], offsets[row] + at * Float.BYTES);
                sum = f32.reinterpretAsFloats().fma(FloatVector.broadcast(FLOATS, weights[row]), sum);
            }

            VectorMemory.store(target, targetOffset + at * Float.BYTES, VectorFormats.canonical(sum));
        }
    }

    /** Sum rows, the first of them BF16 and the others F32, to BF16; elements is a multiple of {@link #LANES}. */
    static void sumToBf16(
        final Object[] rows, final int[] offsets, final float[] weights, final int bf16Rows, final int count,
        final Object target, final int targetOffset, final int elements)
        throws Throwable
    {
        for (int at = 0; at < elements; at += LANES)
        {
            FloatVector sum = FloatVector.zero(FLOATS);
            for (int row = 0; row < bf16Rows; row++)
            {
                final ShortVector bf16 = VectorMemory.loadShorts(rows[row], offsets[row] + at * Bf16.BYTES);
                sum = VectorFormats.widened(bf16).fma(FloatVector.broadcast(FLOATS, weights[row]), sum);
            }

            for (int row = bf16Rows; row < count; row++)
            {
                final IntVector f32 = VectorMemory.loadInts(rows[row], offsets[row] + at * Float.BYTES);
                sum = f32.reinterpretAsFloats().fma(FloatVector.broadcast(FLOATS, weights[row]), sum);
            }

            VectorMemory.store(target, targetOffset + at * Bf16.BYTES, VectorFormats.narrowed(sum));
        }
    }

    /** Find the largest magnitude, as BF16 bits, of each of the first groups of a BF16 row. */
    static void largestMagnitudes(
        final Object source, final int sourceOffset, final int[] magnitudes, final int groups)
        throws Throwable
    {
        for (int group = 0; group < groups; group++)
        {
            final int from = sourceOffset + group * GROUP_BYTES;
            IntVector largest = IntVector.zero(VectorMemory.INTS);
            for (int at = 0; at < GROUP_BYTES; at += VECTOR_BYTES)
            {
                final IntVector pairs = VectorMemory.loadInts(source, from + at);
                largest = largest.max(pairs.and(MAGNITUDE))
                    .max(pairs.lanewise(VectorOperators.LSHR, 16).and(MAGNITUDE));
            }

            magnitudes[group] = largest.reduceLanes(VectorOperators.MAX);
        }
    }

    /**
     * Cast the first groups of a BF16 row to pairs of E4M3; no product with a group's factor may exceed 448 or be NaN.
     */
    static void encode(
        final Object source, final int sourceOffset, final float[] factors, final int[] codes, final int groups)
        throws Throwable
    {
        for (int group = 0; group < groups; group++)
        {
            final FloatVector factor = FloatVector.broadcast(FLOATS, factors[group]);
            final int from = sourceOffset + group * GROUP_BYTES;
            final int to = group * GROUP_PAIRS;
            for (int at = 0; at < GROUP_PAIRS; at += LANES)
            {
                final IntVector pairs = VectorMemory.loadInts(source, from + at * Integer.BYTES);
                final IntVector even = VectorFormats.toE4m3Magnitude(VectorFormats.even(pairs).mul(factor));
                final IntVector odd = VectorFormats.toE4m3Magnitude(VectorFormats.odd(pairs).mul(factor));
                even.or(odd.lanewise(VectorOperators.LSHL, 8)).or(VectorFormats.e4m3Signs(pairs))
                    .intoArray(codes, to + at);
            }
        }
    }

    /** Write pairs of E4M3; apart from {@link #encode}, since both together exceed what C2 of JDK 17 inlines. */
    static void pack(final int[] codes, final Object target, final int targetOffset, final int pairs) throws Throwable
    {
        for (int at = 0; at < pairs; at += LANES)
        {
            final ShortVector packed = (ShortVector)IntVector.fromArray(VectorMemory.INTS, codes, at)
                .convertShape(VectorOperators.I2S, VectorMemory.SHORTS, 0);
            VectorMemory.store(target, targetOffset + at * Short.BYTES, packed);
        }
    }

    /** Read pairs of E4M3; the upper halves of the ints are of no meaning. */
    static void unpack(final Object source, final int sourceOffset, final int[] codes, final int pairs) throws Throwable
    {
        for (int at = 0; at < pairs; at += LANES)
        {
            final IntVector unpacked = (IntVector)VectorMemory.loadShorts(source, sourceOffset + at * Short.BYTES)
                .convertShape(VectorOperators.S2I, VectorMemory.INTS, 0);
            unpacked.intoArray(codes, at);
        }
    }

    /**
     * Cast one element of each pair of the first groups from E4M3 to F32 and multiply it by its group's scale.
     *
     * @param codes        pairs from {@link #unpack}.
     * @param shift        0 for the even elements, 8 for the odd ones.
     * @param scaleAddress of the first group's scale.
     * @param values       products.
     * @param groups       to cast.
     */
    static void decode(
        final int[] codes, final int shift, final long scaleAddress, final float[] values, final int groups)
    {
        for (int group = 0; group < groups; group++)
        {
            final FloatVector scale =
                FloatVector.broadcast(FLOATS, UnsafeApi.getFloat(scaleAddress + (long)group * Float.BYTES));
            for (int at = group * GROUP_PAIRS; at < (group + 1) * GROUP_PAIRS; at += LANES)
            {
                final IntVector pairs = IntVector.fromArray(VectorMemory.INTS, codes, at);
                VectorFormats.fromE4m3(pairs.lanewise(VectorOperators.LSHR, shift)).mul(scale).intoArray(values, at);
            }
        }
    }

    /** Round pairs of F32 to BF16. */
    static void packPairs(
        final float[] evens, final float[] odds, final Object target, final int targetOffset, final int pairs)
        throws Throwable
    {
        for (int at = 0; at < pairs; at += LANES)
        {
            final FloatVector even = FloatVector.fromArray(FLOATS, evens, at);
            final FloatVector odd = FloatVector.fromArray(FLOATS, odds, at);
            VectorMemory.store(target, targetOffset + at * Integer.BYTES, VectorFormats.pairs(even, odd));
        }
    }
}
