/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.ScaleFormat;
import java.nio.ByteBuffer;

/**
 * The arithmetic on rows that were checked before. Its scratch belongs to one queue, hence to one thread. All of them
 * give the same bits; a NaN is always the canonical one (F32: 0x7FC00000).
 */
interface RowArithmetic
{
    /** Name for logs. */
    String name();

    /**
     * Whether it is that of {@link NativeKernels}, which then copy rows too.
     *
     * @return false for what runs without native code.
     */
    default boolean isNative()
    {
        return false;
    }

    /**
     * What {@link RegionView#window} hands out for a part of a region.
     *
     * @param view of that part.
     * @return the view in the form that this arithmetic reads and writes.
     */
    Object windowOf(ByteBuffer view);

    /**
     * Sums of one reduction follow, then {@link #flush} and {@link #end}.
     *
     * @param target region of the sums.
     * @param bytes  of all of them.
     */
    default void begin(final RegionView target, final long bytes)
    {
    }

    /** All sums asked for so far are written behind this; before it, any of them may wait. */
    default void flush()
    {
    }

    /** The reduction is over, flushed or failed: what it has written counts as plain stores; the rest is forgotten. */
    default void end()
    {
    }

    /**
     * Sum rows into one, now or by {@link #flush}; a sum that another one reads is written before it.
     *
     * @param sources      summands in order, biases first.
     * @param target       region of the sum.
     * @param targetOffset byte offset of the sum.
     * @param targetType   BF16 or F32.
     * @param hidden       elements.
     */
    void reduce(SourceRows sources, RegionView target, long targetOffset, ElementType targetType, int hidden);

    /**
     * Cast one BF16 row to E4M3.
     *
     * @param src          region of the row.
     * @param srcOffset    byte offset of the row.
     * @param dst          region of the codes.
     * @param dstOffset    byte offset of the codes.
     * @param scaleAddress of the row's first F32 scale.
     * @param hidden       elements, a multiple of 128.
     * @param format       of the scales.
     */
    void quantize(
        RegionView src, long srcOffset, RegionView dst, long dstOffset, long scaleAddress, int hidden,
        ScaleFormat format);

    /**
     * Cast one E4M3 row to BF16.
     *
     * @param src          region of the codes.
     * @param srcOffset    byte offset of the codes.
     * @param dst          region of the row.
     * @param dstOffset    byte offset of the row.
     * @param scaleAddress of the row's first F32 scale.
     * @param hidden       elements, a multiple of 128.
     */
    void dequantize(
        RegionView src, long srcOffset, RegionView dst, long dstOffset, long scaleAddress, int hidden);
}
