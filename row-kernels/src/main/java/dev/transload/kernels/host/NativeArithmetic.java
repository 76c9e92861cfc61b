/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.ScaleFormat;
import java.nio.ByteBuffer;

/**
 * All of it by {@link NativeKernels}, at full speed from the first row on. Sums wait for each other, and are written
 * before a cast reads or writes a row.
 */
final class NativeArithmetic implements RowArithmetic
{
    /**
     * From so many bytes of sums in one reduction on, they are streamed: memory is not read before it is written, a
     * third of what a sum of one row moves. Less is in the cache of a core that reads it at once.
     */
    private static final long STREAM_MIN_BYTES = 256 * 1024;

    private final NativeKernels sums = new NativeKernels();
    private RegionView streamed;

    @Override
    public String name()
    {
        return "native";
    }

    @Override
    public boolean isNative()
    {
        return true;
    }

    @Override
    public Object windowOf(final ByteBuffer view)
    {
        return view;
    }

    @Override
    public void begin(final RegionView target, final long bytes)
    {
        streamed = bytes >= STREAM_MIN_BYTES ? target : null;
    }

    @Override
    public void flush()
    {
        sums.flush();
    }

    @Override
    public void end()
    {
        // After a failure: regions may be gone by now, and nobody may rely on these sums.
        sums.clear();
        if (null != streamed)
        {
            streamed = null;
            NativeKernels.fence();
        }
    }

    @Override
    public void reduce(
        final SourceRows sources, final RegionView target, final long targetOffset, final ElementType targetType,
        final int hidden)
    {
        sums.add(sources, target.addressOf(targetOffset), targetType, hidden, target == streamed);
    }

    @Override
    public void quantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden, final ScaleFormat format)
    {
        sums.flush();
        NativeKernels.quantize(src.addressOf(srcOffset), dst.addressOf(dstOffset), scaleAddress, hidden,
            ScaleFormat.POWER_OF_TWO == format);
    }

    @Override
    public void dequantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden)
    {
        sums.flush();
        NativeKernels.dequantize(src.addressOf(srcOffset), dst.addressOf(dstOffset), scaleAddress, hidden);
    }
}
