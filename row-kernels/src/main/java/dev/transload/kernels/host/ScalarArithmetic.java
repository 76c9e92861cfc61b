/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.ScaleFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.agrona.UnsafeApi;

/** Element by element, in plain Java: runs everywhere, and says what the vectors must compute. */
final class ScalarArithmetic implements RowArithmetic
{
    /** Elements that are summed at a time; their accumulators stay in the first-level cache. */
    private static final int BLOCK = 1024;

    private final float[] accumulators = new float[BLOCK];

    @Override
    public String name()
    {
        return "scalar";
    }

    @Override
    public Object windowOf(final ByteBuffer view)
    {
        return view;
    }

    @Override
    public void reduce(
        final SourceRows sources, final RegionView target, final long targetOffset, final ElementType targetType,
        final int hidden)
    {
        reduceFrom(0, sources, target.addressOf(targetOffset), targetType, hidden);
    }

    /**
     * Sum the elements of rows from one on; vectors leave their tails to it.
     *
     * @param first         element to sum.
     * @param sources       summands in order.
     * @param targetAddress of element 0 of the sum.
     * @param targetType    BF16 or F32.
     * @param hidden        elements of a row.
     */
    void reduceFrom(
        final int first, final SourceRows sources, final long targetAddress, final ElementType targetType,
        final int hidden)
    {
        for (int at = first; at < hidden; at += BLOCK)
        {
            final int length = Math.min(BLOCK, hidden - at);
            Arrays.fill(accumulators, 0, length, 0.0f);

            for (int row = 0; row < sources.count(); row++)
            {
                accumulate(sources, row, at, length);
                if (row + 1 == sources.rounded())
                {
                    round(length);
                }
            }

            if (ElementType.BF16 == targetType)
            {
                storeBf16(targetAddress + (long)at * Bf16.BYTES, length);
            }
            else
            {
                storeF32(targetAddress + (long)at * Float.BYTES, length);
            }
        }
    }

    private void accumulate(final SourceRows sources, final int row, final int at, final int length)
    {
        final ElementType type = sources.typeOf(row);
        final long address = sources.addressOf(row) + (long)at * type.bytes();
        final boolean isBf16 = ElementType.BF16 == type;

        if (sources.isWeighted(row))
        {
            final float weight = sources.weightOf(row);
            if (isBf16)
            {
                fmaBf16(address, weight, length);
            }
            else
            {
                fmaF32(address, weight, length);
            }
        }
        else if (isBf16)
        {
            addBf16(address, length);
        }
        else
        {
            addF32(address, length);
        }
    }

    private void round(final int length)
    {
        final float[] acc = accumulators;
        for (int i = 0; i < length; i++)
        {
            acc[i] = Bf16.toFloat(Bf16.fromFloat(acc[i]));
        }
    }

    private void addBf16(final long address, final int length)
    {
        final float[] acc = accumulators;
        for (int i = 0; i < length; i++)
        {
            acc[i] += Bf16.toFloat(UnsafeApi.getShort(address + (long)i * Bf16.BYTES));
        }
    }

    private void addF32(final long address, final int length)
    {
        final float[] acc = accumulators;
        for (int i = 0; i < length; i++)
        {
            acc[i] += UnsafeApi.getFloat(address + (long)i * Float.BYTES);
        }
    }

    private void fmaBf16(final long address, final float weight, final int length)
    {
        final float[] acc = accumulators;
        for (int i = 0; i < length; i++)
        {
            acc[i] = Math.fma(weight, Bf16.toFloat(UnsafeApi.getShort(address + (long)i * Bf16.BYTES)), acc[i]);
        }
    }

    private void fmaF32(final long address, final float weight, final int length)
    {
        final float[] acc = accumulators;
        for (int i = 0; i < length; i++)
        {
            acc[i] = Math.fma(weight, UnsafeApi.getFloat(address + (long)i * Float.BYTES), acc[i]);
        }
    }

    private void storeBf16(final long address, final int length)
    {
        final float[] acc = accumulators;
        for (int i = 0; i < length; i++)
        {
            UnsafeApi.putShort(address + (long)i * Bf16.BYTES, (short)Bf16.fromFloat(acc[i]));
        }
    }

    private void storeF32(final long address, final int length)
    {
        final float[] acc = accumulators;
        for (int i = 0; i < length; i++)
        {
            // Not the raw bits: which operand's payload a sum of two NaNs keeps is the processor's choice.
            UnsafeApi.putInt(address + (long)i * Float.BYTES, Float.floatToIntBits(acc[i]));
        }
    }

    @Override
    public void quantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden, final ScaleFormat format)
    {
        final long source = src.addressOf(srcOffset);
        final long target = dst.addressOf(dstOffset);

        for (int at = 0; at < hidden; at += Fp8.GROUP)
        {
            final long group = source + (long)at * Bf16.BYTES;
            int magnitudeBits = 0;
            for (int i = 0; i < Fp8.GROUP; i++)
            {
                magnitudeBits = Math.max(magnitudeBits, UnsafeApi.getShort(group + (long)i * Bf16.BYTES) & 0x7FFF);
            }

            final float amax = GroupScale.amax(magnitudeBits);
            final float scale = GroupScale.scale(amax, format);
            final float factor = GroupScale.factor(amax, scale, format);
            UnsafeApi.putFloat(scaleAddress + (long)(at / Fp8.GROUP) * Float.BYTES, scale);

            for (int i = 0; i < Fp8.GROUP; i++)
            {
                final float value = Bf16.toFloat(UnsafeApi.getShort(group + (long)i * Bf16.BYTES));
                UnsafeApi.putByte(target + at + i, (byte)E4m3.fromFloat(value * factor));
            }
        }
    }

    @Override
    public void dequantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden)
    {
        final long source = src.addressOf(srcOffset);
        final long target = dst.addressOf(dstOffset);

        for (int at = 0; at < hidden; at += Fp8.GROUP)
        {
            final float scale = UnsafeApi.getFloat(scaleAddress + (long)(at / Fp8.GROUP) * Float.BYTES);
            for (int i = at; i < at + Fp8.GROUP; i++)
            {
                final float value = E4m3.toFloat(UnsafeApi.getByte(source + i)) * scale;
                UnsafeApi.putShort(target + (long)i * Bf16.BYTES, (short)Bf16.fromFloat(value));
            }
        }
    }
}
