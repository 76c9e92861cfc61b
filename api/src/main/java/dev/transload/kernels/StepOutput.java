/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * Memory that a dispatch fills: own memory with REMOTE access, or a window to it. Sources store rows, scales and
 * {@code srcInfo}, the owner the rest. L = ⌈E/P⌉ local experts and R = P·M rows of the call, all in native byte order:
 * <pre>
 * rows: x           [L][R][hidden]     BF16 or FP8, at 0
 *       scales      as {@link StepScales} says, at {@link #scalesOffset}
 * info: srcInfo     [L][R]  i32        token of the source rank, at 0
 *       layoutRange [L][P]  i64        first row &lt;&lt; 32 | rows of each source, at {@link #layoutRangeOffset}
 *       count       [L]     i32        rows of each expert, at {@link #countOffset}
 * </pre>
 * Rows of an expert that belong to a source which was masked after it had got its starts are undefined: {@code count}
 * spans them, and its {@code layoutRange} says 0 rows. All that lies beyond the count stays as it was.
 *
 * @param rows of the rows' kind.
 * @param info of {@link StepMemory#controlKind()}; may be the same region as the rows', at other offsets.
 */
public record StepOutput(MemoryRegion rows, MemoryRegion info)
{
    private static final int ALIGNMENT = 128;

    private static long align(final long bytes)
    {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /**
     * Place of the scales, which is equal on all ranks.
     *
     * @param places L·R of the call.
     * @param hidden elements of a row.
     * @return offset in {@code rows}, behind x.
     */
    public static long scalesOffset(final int places, final int hidden)
    {
        return align((long)places * hidden);
    }

    /**
     * What rows and scales take.
     *
     * @param places L·R of the call.
     * @param hidden elements of a row.
     * @param scales layout of the scales of FP8 rows, null for BF16 rows.
     * @return bytes.
     */
    public static long rowsBytes(final int places, final int hidden, final StepScales scales)
    {
        return null == scales ? (long)places * hidden * ElementType.BF16.bytes() :
            scalesOffset(places, hidden) + (long)places * scales.words(hidden) * Integer.BYTES;
    }

    /**
     * Place of the ranges.
     *
     * @param places L·R of the call.
     * @return offset in {@code info}.
     */
    public static long layoutRangeOffset(final int places)
    {
        return align((long)places * Integer.BYTES);
    }

    /**
     * Place of the counts.
     *
     * @param places L·R of the call.
     * @param ranges L·P of the call.
     * @return offset in {@code info}.
     */
    public static long countOffset(final int places, final int ranges)
    {
        return layoutRangeOffset(places) + align((long)ranges * Long.BYTES);
    }

    /**
     * What tokens, ranges and counts take.
     *
     * @param places  L·R of the call.
     * @param ranges  L·P of the call.
     * @param experts L of the call.
     * @return bytes.
     */
    public static long infoBytes(final int places, final int ranges, final int experts)
    {
        return countOffset(places, ranges) + (long)experts * Integer.BYTES;
    }
}
