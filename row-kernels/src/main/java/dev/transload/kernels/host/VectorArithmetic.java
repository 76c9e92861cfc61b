/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.ScaleFormat;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import org.agrona.UnsafeApi;

/** Many elements at once, by the Vector API; the elements that fill no vector are left to {@link ScalarArithmetic}. */
final class VectorArithmetic implements RowArithmetic
{
    /*
     * Not final, and that is the point: C2 cannot inline through them. Where it inlines a kernel into its caller's
     * loop it loses track of the vectors and allocates each of them on the heap, which costs a factor of ten.
     */
    private static MethodHandle sumEight;
    private static MethodHandle addEight;
    private static MethodHandle sumToPairs;
    private static MethodHandle sumOne;
    private static MethodHandle sumPairs;
    private static MethodHandle sumPairsOfWindows;
    private static MethodHandle sumPartFirst;
    private static MethodHandle sumToF32;
    private static MethodHandle sumToBf16;
    private static MethodHandle largestMagnitudes;
    private static MethodHandle encode;
    private static MethodHandle pack;
    private static MethodHandle unpack;
    private static MethodHandle decode;
    private static MethodHandle packPairs;

    static
    {
        final MethodType sum = MethodType.methodType(
            void.class, Object[].class, int[].class, float[].class, int.class, int.class, Object.class, int.class,
            int.class);

        sumEight = kernel(EightRowKernels.class, "sum", MethodType.methodType(
            void.class, Object.class, int[].class, float[].class, Object.class, int.class, int.class));
        addEight = kernel(EightRowKernels.class, "addTo", MethodType.methodType(
            void.class, float[].class, float[].class, Object[].class, int[].class, float[].class, int.class,
            Object.class, int.class, int.class));
        sumToPairs = kernel("sumToPairs", MethodType.methodType(
            void.class, Object[].class, int[].class, float[].class, int.class, float[].class, float[].class,
            int.class));
        sumOne = kernel("sumOne", MethodType.methodType(
            void.class, Object.class, int.class, Object.class, int.class, int.class));
        sumPairs = kernel("sumPairs", sum.dropParameterTypes(3, 4).changeParameterType(0, Object.class));
        sumPairsOfWindows = kernel("sumPairsOfWindows", sum.dropParameterTypes(3, 4));
        sumPartFirst = kernel("sumPartFirst", sum);
        sumToF32 = kernel("sumToF32", sum);
        sumToBf16 = kernel("sumToBf16", sum);
        largestMagnitudes = kernel("largestMagnitudes", MethodType.methodType(
            void.class, Object.class, int.class, int[].class, int.class));
        encode = kernel("encode", MethodType.methodType(
            void.class, Object.class, int.class, float[].class, int[].class, int.class));
        pack = kernel("pack", MethodType.methodType(void.class, int[].class, Object.class, int.class, int.class));
        unpack = kernel("unpack", MethodType.methodType(
            void.class, Object.class, int.class, int[].class, int.class));
        decode = kernel("decode", MethodType.methodType(
            void.class, int[].class, int.class, long.class, float[].class, int.class));
        packPairs = kernel("packPairs", MethodType.methodType(
            void.class, float[].class, float[].class, Object.class, int.class, int.class));
    }

    private final ScalarArithmetic scalar = new ScalarArithmetic();
    private Object[] windows = new Object[0];
    private int[] offsets = new int[0];
    private float[] weights = new float[0];
    private int[] magnitudes = new int[0];
    private float[] factors = new float[0];
    private int[] codes = new int[0];
    private float[] evens = new float[0];
    private float[] odds = new float[0];

    private static MethodHandle kernel(final String name, final MethodType type)
    {
        return kernel(VectorKernels.class, name, type);
    }

    private static MethodHandle kernel(final Class<?> owner, final String name, final MethodType type)
    {
        try
        {
            return MethodHandles.lookup().findStatic(owner, name, type);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    @Override
    public String name()
    {
        return "vector of " + VectorMemory.INTS.vectorBitSize() + " bits";
    }

    @Override
    public Object windowOf(final ByteBuffer view)
    {
        return VectorMemory.windowOf(view);
    }

    @Override
    public void reduce(
        final SourceRows sources, final RegionView target, final long targetOffset, final ElementType targetType,
        final int hidden)
    {
        if (!sources.isBf16First())
        {
            scalar.reduce(sources, target, targetOffset, targetType, hidden);
            return;
        }

        gather(sources);

        try
        {
            final VectorForm form = VectorForm.of(sources, targetType);
            final Object window = target.window(targetOffset);
            final int offset = target.offsetInWindow(targetOffset);
            final int done = VectorForm.SUM_OF_LANES == form ?
                reduceLanes(sources.leadingBf16(), sources.count(), window, offset, targetType, hidden) :
                reducePairs(form, sources.count(), sources.rounded(), window, offset, hidden);

            scalar.reduceFrom(done, sources, target.addressOf(targetOffset), targetType, hidden);
        }
        catch (final Throwable ex)
        {
            throw unchecked(ex);
        }
    }

    private void gather(final SourceRows sources)
    {
        final int count = sources.count();
        if (windows.length < count)
        {
            windows = new Object[2 * count];
            offsets = new int[2 * count];
            weights = new float[2 * count];
        }

        for (int row = 0; row < count; row++)
        {
            windows[row] = sources.windowOf(row);
            offsets[row] = sources.offsetInWindow(row);
            weights[row] = sources.weightOf(row);
        }
    }

    private int reducePairs(
        final VectorForm form, final int count, final int rounded, final Object target, final int targetOffset,
        final int hidden)
        throws Throwable
    {
        final int elements = hidden - hidden % (2 * VectorKernels.LANES);
        final int bytes = elements * Bf16.BYTES;
        if (VectorForm.SUM_AFTER_PART == form)
        {
            sumPartFirst.invokeExact(windows, offsets, weights, rounded, count, target, targetOffset, bytes);
        }
        else if (VectorForm.SUM_OF_ONE == form)
        {
            sumOne.invokeExact(windows[0], offsets[0], target, targetOffset, bytes);
        }
        else if (VectorForm.SUM_OF_EIGHT == form)
        {
            sumEight.invokeExact(windows[0], offsets, weights, target, targetOffset, bytes);
        }
        else if (VectorForm.SUM_OF_MORE == form)
        {
            final int leading = count - EightRowKernels.ROWS;
            growPairs(hidden / 2);
            sumToPairs.invokeExact(windows, offsets, weights, leading, evens, odds, bytes);
            addEight.invokeExact(evens, odds, windows, offsets, weights, leading, target, targetOffset, bytes);
        }
        else if (VectorForm.SUM_OF_WINDOW == form)
        {
            final Object window = 0 == count ? target : windows[0];
            sumPairs.invokeExact(window, offsets, weights, count, target, targetOffset, bytes);
        }
        else
        {
            sumPairsOfWindows.invokeExact(windows, offsets, weights, count, target, targetOffset, bytes);
        }

        return elements;
    }

    private int reduceLanes(
        final int bf16Rows, final int count, final Object target, final int targetOffset,
        final ElementType targetType, final int hidden)
        throws Throwable
    {
        final int elements = hidden - hidden % VectorKernels.LANES;
        if (ElementType.F32 == targetType)
        {
            sumToF32.invokeExact(windows, offsets, weights, bf16Rows, count, target, targetOffset, elements);
        }
        else
        {
            sumToBf16.invokeExact(windows, offsets, weights, bf16Rows, count, target, targetOffset, elements);
        }

        return elements;
    }

    @Override
    public void quantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden, final ScaleFormat format)
    {
        final int groups = Fp8.scales(hidden);
        growCasts(hidden);

        try
        {
            final Object source = src.window(srcOffset);
            final int sourceOffset = src.offsetInWindow(srcOffset);
            largestMagnitudes.invokeExact(source, sourceOffset, magnitudes, groups);

            boolean isFinite = true;
            for (int group = 0; group < groups; group++)
            {
                final float amax = GroupScale.amax(magnitudes[group]);
                final float scale = GroupScale.scale(amax, format);
                UnsafeApi.putFloat(scaleAddress + (long)group * Float.BYTES, scale);
                factors[group] = GroupScale.factor(amax, scale, format);
                isFinite &= amax <= Float.MAX_VALUE;
            }

            if (isFinite)
            {
                encode.invokeExact(source, sourceOffset, factors, codes, groups);
                pack.invokeExact(codes, dst.window(dstOffset), dst.offsetInWindow(dstOffset), hidden / 2);
                return;
            }
        }
        catch (final Throwable ex)
        {
            throw unchecked(ex);
        }

        // Infinities and NaNs are rare enough to be left to the form that knows them.
        scalar.quantize(src, srcOffset, dst, dstOffset, scaleAddress, hidden, format);
    }

    @Override
    public void dequantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden)
    {
        final int pairs = hidden / 2;
        final int groups = Fp8.scales(hidden);
        growCasts(hidden);
        growPairs(pairs);

        try
        {
            unpack.invokeExact(src.window(srcOffset), src.offsetInWindow(srcOffset), codes, pairs);
            decode.invokeExact(codes, 0, scaleAddress, evens, groups);
            decode.invokeExact(codes, Byte.SIZE, scaleAddress, odds, groups);
            packPairs.invokeExact(evens, odds, dst.window(dstOffset), dst.offsetInWindow(dstOffset), pairs);
        }
        catch (final Throwable ex)
        {
            throw unchecked(ex);
        }
    }

    private void growCasts(final int hidden)
    {
        if (codes.length < hidden / 2)
        {
            codes = new int[hidden / 2];
            magnitudes = new int[Fp8.scales(hidden)];
            factors = new float[Fp8.scales(hidden)];
        }
    }

    private void growPairs(final int pairs)
    {
        if (evens.length < pairs)
        {
            evens = new float[pairs];
            odds = new float[pairs];
        }
    }

    /** Kernels declare what a method handle declares; they throw nothing that is checked. */
    private static RuntimeException unchecked(final Throwable failure)
    {
        if (failure instanceof Error error)
        {
            throw error;
        }

        return failure instanceof RuntimeException exception ?
            exception : new IllegalStateException("a vector kernel failed", failure);
    }
}
