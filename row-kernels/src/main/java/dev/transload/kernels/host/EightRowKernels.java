/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums of exactly eight BF16 rows, the usual number of experts a token: weights and offsets stay in registers, which
 * a loop over the rows cannot have. All is spelled out, since C2 stops inlining any methods but the incubator's own
 * after 18,000 nodes, and vectors that cross a call are allocated. Each is a compilation of its own: see
 * {@link VectorArithmetic}.
 */
final class EightRowKernels
{
    /** Rows of a sum. */
    static final int ROWS = 8;

    private static final int VECTOR_BYTES = VectorKernels.VECTOR_BYTES;
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final int UPPER = VectorFormats.UPPER_HALF;
    private static final int HALF = VectorFormats.BF16_HALF_MINUS_ONE;

    private EightRowKernels()
    {
    }

    /** Sum eight rows of one window to BF16; bytes is a multiple of {@link VectorKernels#VECTOR_BYTES}. */
    static void sum(
        final Object window, final int[] offsets, final float[] weights, final Object target,
        final int to, final int bytes) throws Throwable
    {
        final int offset0 = offsets[0];
        final int offset1 = offsets[1];
        final int offset2 = offsets[2];
        final int offset3 = offsets[3];
        final int offset4 = offsets[4];
        final int offset5 = offsets[5];
        final int offset6 = offsets[6];
        final int offset7 = offsets[7];
        final FloatVector weight0 = FloatVector.broadcast(FLOATS, weights[0]);
        final FloatVector weight1 = FloatVector.broadcast(FLOATS, weights[1]);
        final FloatVector weight2 = FloatVector.broadcast(FLOATS, weights[2]);
        final FloatVector weight3 = FloatVector.broadcast(FLOATS, weights[3]);
        final FloatVector weight4 = FloatVector.broadcast(FLOATS, weights[4]);
        final FloatVector weight5 = FloatVector.broadcast(FLOATS, weights[5]);
        final FloatVector weight6 = FloatVector.broadcast(FLOATS, weights[6]);
        final FloatVector weight7 = FloatVector.broadcast(FLOATS, weights[7]);
        for (int at = 0; at < bytes; at += VECTOR_BYTES)
        {
            IntVector pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window, offset0 + at);
            FloatVector even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats()
                .fma(weight0, FloatVector.zero(FLOATS));
            FloatVector odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight0, FloatVector.zero(FLOATS));
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window, offset1 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight1, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight1, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window, offset2 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight2, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight2, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window, offset3 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight3, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight3, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window, offset4 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight4, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight4, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window, offset5 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight5, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight5, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window, offset6 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight6, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight6, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window, offset7 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight7, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight7, odd);
            final IntVector lower = even.blend(Float.NaN, even.compare(VectorOperators.NE, even)).reinterpretAsInts();
            final IntVector upper = odd.blend(Float.NaN, odd.compare(VectorOperators.NE, odd)).reinterpretAsInts();
            VectorMemory.STORE_INTS.invokeExact(
                lower.add(lower.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).lanewise(VectorOperators.LSHR, 16)
                .or(upper.add(upper.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).and(UPPER)), target, to + at);
        }
    }

    /** Add eight rows to the sums of those before {@code first}, from {@link VectorKernels#sumToPairs}, to BF16. */
    static void addTo(
        final float[] evens, final float[] odds, final Object[] windows, final int[] offsets, final float[] weights,
        final int first, final Object target, final int to, final int bytes) throws Throwable
    {
        final Object window0 = windows[first];
        final Object window1 = windows[first + 1];
        final Object window2 = windows[first + 2];
        final Object window3 = windows[first + 3];
        final Object window4 = windows[first + 4];
        final Object window5 = windows[first + 5];
        final Object window6 = windows[first + 6];
        final Object window7 = windows[first + 7];
        final int offset0 = offsets[first];
        final int offset1 = offsets[first + 1];
        final int offset2 = offsets[first + 2];
        final int offset3 = offsets[first + 3];
        final int offset4 = offsets[first + 4];
        final int offset5 = offsets[first + 5];
        final int offset6 = offsets[first + 6];
        final int offset7 = offsets[first + 7];
        final FloatVector weight0 = FloatVector.broadcast(FLOATS, weights[first]);
        final FloatVector weight1 = FloatVector.broadcast(FLOATS, weights[first + 1]);
        final FloatVector weight2 = FloatVector.broadcast(FLOATS, weights[first + 2]);
        final FloatVector weight3 = FloatVector.broadcast(FLOATS, weights[first + 3]);
        final FloatVector weight4 = FloatVector.broadcast(FLOATS, weights[first + 4]);
        final FloatVector weight5 = FloatVector.broadcast(FLOATS, weights[first + 5]);
        final FloatVector weight6 = FloatVector.broadcast(FLOATS, weights[first + 6]);
        final FloatVector weight7 = FloatVector.broadcast(FLOATS, weights[first + 7]);
        for (int at = 0; at < bytes; at += VECTOR_BYTES)
        {
            IntVector pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window0, offset0 + at);
            FloatVector even = FloatVector.fromArray(FLOATS, evens, at / Integer.BYTES);
            FloatVector odd = FloatVector.fromArray(FLOATS, odds, at / Integer.BYTES);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight0, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight0, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window1, offset1 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight1, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight1, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window2, offset2 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight2, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight2, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window3, offset3 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight3, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight3, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window4, offset4 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight4, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight4, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window5, offset5 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight5, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight5, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window6, offset6 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight6, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight6, odd);
            pairs = (IntVector)VectorMemory.LOAD_INTS.invokeExact(window7, offset7 + at);
            even = pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().fma(weight7, even);
            odd = pairs.and(UPPER).reinterpretAsFloats().fma(weight7, odd);
            final IntVector lower = even.blend(Float.NaN, even.compare(VectorOperators.NE, even)).reinterpretAsInts();
            final IntVector upper = odd.blend(Float.NaN, odd.compare(VectorOperators.NE, odd)).reinterpretAsInts();
            VectorMemory.STORE_INTS.invokeExact(
                lower.add(lower.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).lanewise(VectorOperators.LSHR, 16)
                .or(upper.add(upper.lanewise(VectorOperators.LSHR, 16).and(1)).add(HALF).and(UPPER)), target, to + at);
        }
    }
}
