/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.ScaleFormat;
import java.nio.ByteBuffer;

/**
 * Sums from BF16 to BF16 by {@link NativeSums}, at full speed from the first row on; all else by another arithmetic.
 * Native sums wait for each other, and are written before the other arithmetic reads or writes a row.
 */
final class NativeArithmetic implements RowArithmetic
{
    /**
     * From so many bytes of sums in one reduction on, they are streamed: memory is not read before it is written, a
     * third of what a sum of one row moves. Less is in the cache of whoever reads it at once.
     */
    private static final long STREAM_MIN_BYTES = 256 * 1024;

    private final NativeSums sums = new NativeSums();
    private final RowArithmetic others;
    private RegionView streamed;

    NativeArithmetic(final RowArithmetic others)
    {
        this.others = others;
    }

    @Override
    public String name()
    {
        return "native sums of BF16, else " + others.name();
    }

    @Override
    public Object windowOf(final ByteBuffer view)
    {
        return others.windowOf(view);
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
            NativeSums.fence();
        }
    }

    @Override
    public void reduce(
        final SourceRows sources, final RegionView target, final long targetOffset, final ElementType targetType,
        final int hidden)
    {
        if (ElementType.BF16 == targetType && sources.leadingBf16() == sources.count())
        {
            sums.add(sources, target.addressOf(targetOffset), hidden, target == streamed);
        }
        else
        {
            sums.flush();
            others.reduce(sources, target, targetOffset, targetType, hidden);
        }
    }

    @Override
    public void quantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden, final ScaleFormat format)
    {
        sums.flush();
        others.quantize(src, srcOffset, dst, dstOffset, scaleAddress, hidden, format);
    }

    @Override
    public void dequantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden)
    {
        sums.flush();
        others.dequantize(src, srcOffset, dst, dstOffset, scaleAddress, hidden);
    }
}
