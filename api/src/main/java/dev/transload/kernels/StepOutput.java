/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * Memory that a dispatch fills: this rank's memory with REMOTE access, or a window to another rank's memory. Source
 * ranks store rows, scales and {@code srcInfo}; the rank that owns the output stores the rest. P is the number of
 * ranks, M is {@link StepShape#maxTokens()}, and E is the number of experts of the call. L = ⌈E/P⌉ is the number of
 * local experts of a rank, and R = P·M is the number of rows of a local expert. This is the layout, in native byte
 * order:
 * <pre>
 * rows: x           [L][R][hidden]     BF16 or FP8, at 0
 *       scales      as {@link StepScales} says, at {@link #scalesOffset}
 * info: srcInfo     [L][R]  i32        token of the source rank, at 0
 *       layoutRange [L][P]  i64        first row &lt;&lt; 32 | rows of each source, at {@link #layoutRangeOffset}
 *       count       [L]     i32        rows of each expert, at {@link #countOffset}
 * </pre>
 * If a source is masked after it received its start words ({@link StepWords#starts}), its rows are undefined.
 * {@code count} still includes these rows, and the {@code layoutRange} of the source has 0 rows. Rows beyond the count
 * do not change.
 *
 * @param rows region of the rows and scales, with the memory kind of the session's rows.
 * @param info region of {@code srcInfo}, {@code layoutRange} and {@code count}, with the memory kind
 *             {@link StepMemory#controlKind()}. This region must not overlap the region of the rows.
 */
public record StepOutput(MemoryRegion rows, MemoryRegion info)
{
    private static final int ALIGNMENT = 128;

    private static long align(final long bytes)
    {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /**
     * Returns the offset of the scales, which is equal on all ranks.
     *
     * @param places number of places L·R of the call.
     * @param hidden number of elements of a row.
     * @return byte offset in {@code rows}, behind {@code x}.
     */
    public static long scalesOffset(final int places, final int hidden)
    {
        return align((long)places * hidden);
    }

    /**
     * Returns the size of rows and scales.
     *
     * @param places number of places L·R of the call.
     * @param hidden number of elements of a row.
     * @param scales layout of the scales of FP8 rows, null for BF16 rows.
     * @return number of bytes.
     */
    public static long rowsBytes(final int places, final int hidden, final StepScales scales)
    {
        return null == scales ? (long)places * hidden * ElementType.BF16.bytes() :
            scalesOffset(places, hidden) + (long)places * scales.words(hidden) * Integer.BYTES;
    }

    /**
     * Returns the offset of {@code layoutRange}.
     *
     * @param places number of places L·R of the call.
     * @return byte offset in {@code info}.
     */
    public static long layoutRangeOffset(final int places)
    {
        return align((long)places * Integer.BYTES);
    }

    /**
     * Returns the offset of {@code count}.
     *
     * @param places number of places L·R of the call.
     * @param ranges number L·P of entries of {@code layoutRange} in the call.
     * @return byte offset in {@code info}.
     */
    public static long countOffset(final int places, final int ranges)
    {
        return layoutRangeOffset(places) + align((long)ranges * Long.BYTES);
    }

    /**
     * Returns the size of {@code srcInfo}, {@code layoutRange} and {@code count}.
     *
     * @param places  number of places L·R of the call.
     * @param ranges  number L·P of entries of {@code layoutRange} in the call.
     * @param experts number of local experts L of the call.
     * @return number of bytes.
     */
    public static long infoBytes(final int places, final int ranges, final int experts)
    {
        return countOffset(places, ranges) + (long)experts * Integer.BYTES;
    }
}
