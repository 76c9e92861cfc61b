/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.ScaleFormat;
import java.nio.ByteBuffer;

/**
 * Scalar at first, vectors once they pay: when this JVM has worked on so many bytes of a form that compiling its
 * vectors is worth it, they are warmed up beside the caller, and take over when they are compiled, form by form. So a
 * short run never pays for them, not even for loading their classes. The bits are the same.
 */
final class AutoArithmetic implements RowArithmetic
{
    private final ScalarArithmetic scalar = new ScalarArithmetic();
    private VectorArithmetic vector;
    private AllocationWatch watch;

    @Override
    public String name()
    {
        return "scalar, vector once compiled";
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
        final VectorForm form = VectorForm.of(sources, targetType);

        if (sources.isBf16First() && usesVectors(form, (long)sources.count() * hidden * Bf16.BYTES))
        {
            final long before = watch.before(form);
            vector.reduce(sources, target, targetOffset, targetType, hidden);
            judge(form, before);
        }
        else
        {
            scalar.reduce(sources, target, targetOffset, targetType, hidden);
        }
    }

    @Override
    public void quantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden, final ScaleFormat format)
    {
        if (usesVectors(VectorForm.TO_FP8, (long)hidden * Bf16.BYTES))
        {
            final long before = watch.before(VectorForm.TO_FP8);
            vector.quantize(src, srcOffset, dst, dstOffset, scaleAddress, hidden, format);
            judge(VectorForm.TO_FP8, before);
        }
        else
        {
            scalar.quantize(src, srcOffset, dst, dstOffset, scaleAddress, hidden, format);
        }
    }

    @Override
    public void dequantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden)
    {
        if (usesVectors(VectorForm.FROM_FP8, hidden))
        {
            final long before = watch.before(VectorForm.FROM_FP8);
            vector.dequantize(src, srcOffset, dst, dstOffset, scaleAddress, hidden);
            judge(VectorForm.FROM_FP8, before);
        }
        else
        {
            scalar.dequantize(src, srcOffset, dst, dstOffset, scaleAddress, hidden);
        }
    }

    private boolean usesVectors(final VectorForm form, final long bytes)
    {
        if (VectorWarmUp.isReady(form))
        {
            if (null == vector)
            {
                vector = new VectorArithmetic();
                watch = new AllocationWatch();
            }

            return true;
        }

        VectorWarmUp.countScalar(form, bytes);

        return false;
    }

    private void judge(final VectorForm form, final long before)
    {
        if (watch.after(form, before))
        {
            VectorWarmUp.refuse(form, "its vector form allocates though it was compiled");
        }
    }
}
