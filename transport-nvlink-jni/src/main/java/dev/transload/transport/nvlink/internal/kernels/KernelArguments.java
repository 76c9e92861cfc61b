/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.kernels.RowCopies;
import dev.transload.transport.nvlink.cuda.CudaStream;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * The kernels by name, and their arguments off-heap, as {@code tl_arguments.cuh} lays them out: plain fields of natural
 * alignment behind the {@link CudaStream#HEADER_LENGTH} bytes that a launch fills in. Each kernel has a method that
 * writes its arguments, from {@link #address()} on, and returns their length. One thread's; the driver has copied
 * arguments when a launch returns, so that the next ones may follow.
 */
public final class KernelArguments
{
    /** Rows from one range to another. */
    public static final String PUT_ROWS = "tl_put_rows";

    /** Bytes from one range to another. */
    public static final String PUT = "tl_put";

    /** An atomic addition. */
    public static final String ADD = "tl_add64";

    /** Rows of several lists, between several ranges. */
    static final String PUT_ROWS_PARTS = "tl_put_rows_parts";

    /** Zeros into rows. */
    static final String ZERO_ROWS = "tl_zero_rows";

    /** Sums of at most {@link #PLAIN_SUMMANDS} BF16 rows, all aligned to {@link #VECTOR} bytes, without parts. */
    static final String REDUCE_ROWS = "tl_reduce_rows";

    /** The same, of groups that may have parts. */
    static final String REDUCE_PARTED_ROWS = "tl_reduce_parted_rows";

    /** Sums of any rows. */
    static final String REDUCE_ANY_ROWS = "tl_reduce_any_rows";

    /** Rows to all of their places. */
    static final String SCATTER_ROWS = "tl_scatter_rows";

    /** BF16 to FP8. */
    static final String QUANTIZE_ROWS = "tl_quantize_rows";

    /** FP8 to BF16. */
    static final String DEQUANTIZE_ROWS = "tl_dequantize_rows";

    /** Most threads of a block. */
    public static final int THREADS = 1024;

    /** Most threads of a block of {@link #REDUCE_ANY_ROWS}. */
    static final int REDUCE_ANY_THREADS = 512;

    /** Most summands of a group, biases among them, that {@link #REDUCE_ROWS} and {@link #REDUCE_PARTED_ROWS} take. */
    static final int PLAIN_SUMMANDS = 8;

    /** Bytes that one instruction moves, if they are aligned to as many. */
    static final int VECTOR = 16;

    /** Regions whose addresses are arguments; more of them are in a table. */
    static final int INLINE_REGIONS = 16;

    /** Words of a source region: address of row 0, and stride with {@link #STRIDE_F32} or without. */
    static final int SOURCE_WORDS = 2;

    /** Words of a target region: address of row 0 and stride, of rows and of scales. */
    static final int TARGET_WORDS = 4;

    /** Of the stride of a source region: its rows are F32. */
    static final long STRIDE_F32 = 1L << 63;

    /** Flag of a reduction: sums are F32. */
    static final int TARGET_F32 = 1;

    /** Flag of a reduction: sums of parts are not rounded. */
    static final int PART_F32 = 2;

    /** Flag of a reduction: sources have weights. */
    static final int WEIGHTED = 4;

    /** Flag of {@link #REDUCE_ANY_ROWS}: some address is no multiple of {@link #VECTOR}. */
    static final int UNALIGNED = 8;

    private static final int FIRST = CudaStream.HEADER_LENGTH;
    private static final int SECOND = FIRST + Long.BYTES;
    private static final int THIRD = SECOND + Long.BYTES;
    private static final int FOURTH = THIRD + Long.BYTES;
    private static final int FIFTH = FOURTH + Long.BYTES;
    private static final int SIXTH = FIFTH + Long.BYTES;

    /** tl_put_rows: entries u64, count u64, row length u64, source u64, target u64. */
    private static final int PUT_ROWS_LENGTH = SIXTH;

    /** tl_put_rows_parts: parts u64, then for each part entries, count, row length, source and target, as above. */
    private static final int PARTS_FIRST = SECOND;
    private static final int PARTS_STRIDE = 5 * Long.BYTES;
    private static final int PARTS_LENGTH = PARTS_FIRST + RowCopies.MAX_PARTS * PARTS_STRIDE;

    /** tl_zero_rows: entries u64, count u64, row length u64, target u64. */
    private static final int ZERO_ROWS_LENGTH = FIFTH;

    /** tl_put: source u64, target u64, bytes u64. */
    private static final int PUT_LENGTH = FOURTH;

    /** tl_add64: address of the word u64, delta i64. */
    private static final int ADD_LENGTH = THIRD;

    /** Of casts: entries u64, scale entries u64, source u64, target u64, scales u64, then these and an unused u32. */
    private static final int CAST_COUNT = SIXTH;
    private static final int CAST_HIDDEN = CAST_COUNT + Integer.BYTES;
    private static final int CAST_POWER_OF_TWO = CAST_HIDDEN + Integer.BYTES;
    private static final int CAST_LENGTH = CAST_POWER_OF_TWO + 2 * Integer.BYTES;

    /**
     * Of sums: rows u64, entries u64, weights u64, source regions u64 or 0; target, bias0 and bias1 u64 or 0, each with
     * its stride, which is one for both biases; then these, an unused u32, and the regions.
     */
    private static final int REDUCE_TARGET = FIFTH;
    private static final int REDUCE_BIASES = REDUCE_TARGET + 2 * Long.BYTES;
    private static final int REDUCE_COUNT = REDUCE_BIASES + 3 * Long.BYTES;
    private static final int REDUCE_HIDDEN = REDUCE_COUNT + Integer.BYTES;
    private static final int REDUCE_FLAGS = REDUCE_HIDDEN + Integer.BYTES;
    private static final int REDUCE_REGIONS = REDUCE_FLAGS + 2 * Integer.BYTES;
    private static final int REDUCE_LENGTH = REDUCE_REGIONS + INLINE_REGIONS * SOURCE_WORDS * Long.BYTES;

    /**
     * tl_scatter_rows: rows u64, entries u64, target regions u64 or 0, count u64, near regions u32, their blocks u32,
     * then planes and target regions.
     */
    private static final int SCATTER_PLANES = SIXTH;
    private static final int SCATTER_PLANE_BYTES = 3 * Long.BYTES;
    private static final int SCATTER_REGIONS = SCATTER_PLANES + 2 * SCATTER_PLANE_BYTES;
    private static final int SCATTER_LENGTH = SCATTER_REGIONS + INLINE_REGIONS * TARGET_WORDS * Long.BYTES;

    private final ByteBuffer buffer =
        BufferUtil.allocateDirectAligned(Math.max(PARTS_LENGTH, SCATTER_LENGTH), Long.BYTES);
    private final long address = BufferUtil.address(buffer);

    /**
     * Where arguments are written.
     *
     * @return address of the first byte.
     */
    public long address()
    {
        return address;
    }

    /**
     * Of {@link #PUT_ROWS}.
     *
     * @param entries   address of the first entry, laid out as those of a row list.
     * @param count     of entries.
     * @param rowLength bytes of a row.
     * @param source    address that the entries' source offsets count from.
     * @param target    address that the entries' target offsets count from.
     * @return length of the arguments in bytes.
     */
    public int putRows(
        final long entries, final long count, final long rowLength, final long source, final long target)
    {
        put(FIRST, entries, count, rowLength);
        UnsafeApi.putLong(address + FOURTH, source);
        UnsafeApi.putLong(address + FIFTH, target);
        return PUT_ROWS_LENGTH;
    }

    /**
     * Of {@link #PUT}.
     *
     * @param source address of the first byte.
     * @param target address of the first byte.
     * @param length in bytes.
     * @return length of the arguments in bytes.
     */
    public int put(final long source, final long target, final long length)
    {
        put(FIRST, source, target, length);
        return PUT_LENGTH;
    }

    /**
     * Of {@link #ADD}.
     *
     * @param word  address of an aligned word.
     * @param delta to be added.
     * @return length of the arguments in bytes.
     */
    public int add(final long word, final long delta)
    {
        UnsafeApi.putLong(address + FIRST, word);
        UnsafeApi.putLong(address + SECOND, delta);
        return ADD_LENGTH;
    }

    /** A part of {@link #PUT_ROWS_PARTS}, whose arguments are those of {@link #putRows}; count and length not 0. */
    void putPart(
        final int part, final long entries, final long count, final long rowLength, final long source,
        final long target)
    {
        final int at = PARTS_FIRST + part * PARTS_STRIDE;
        put(at, entries, count, rowLength);
        UnsafeApi.putLong(address + at + 3 * Long.BYTES, source);
        UnsafeApi.putLong(address + at + 4 * Long.BYTES, target);
    }

    /** How many parts. */
    int putParts(final long parts)
    {
        UnsafeApi.putLong(address + FIRST, parts);
        return PARTS_LENGTH;
    }

    int zeroRows(final long entries, final long count, final long rowLength, final long target)
    {
        put(FIRST, entries, count, rowLength);
        UnsafeApi.putLong(address + FOURTH, target);
        return ZERO_ROWS_LENGTH;
    }

    /** Where the rows and their scales are. */
    KernelArguments castOf(
        final long entries, final long scaleEntries, final long source, final long target, final long scales)
    {
        put(FIRST, entries, scaleEntries, source);
        UnsafeApi.putLong(address + FOURTH, target);
        UnsafeApi.putLong(address + FIFTH, scales);
        return this;
    }

    /** How many rows, of how many elements. */
    int cast(final int count, final int hidden, final boolean isPowerOfTwo)
    {
        UnsafeApi.putInt(address + CAST_COUNT, count);
        UnsafeApi.putInt(address + CAST_HIDDEN, hidden);
        UnsafeApi.putInt(address + CAST_POWER_OF_TWO, isPowerOfTwo ? 1 : 0);
        return CAST_LENGTH;
    }

    /** Where the table is: its first row, its entries, and their weights. */
    KernelArguments sumsOf(final long rows, final long entries, final long weights)
    {
        put(FIRST, rows, entries, weights);
        return this;
    }

    /** Where row 0 of the sums is. */
    KernelArguments sumsTo(final long target, final long stride)
    {
        UnsafeApi.putLong(address + REDUCE_TARGET, target);
        UnsafeApi.putLong(address + REDUCE_TARGET + Long.BYTES, stride);
        return this;
    }

    /** Where row 0 of each bias is, 0 for none. */
    KernelArguments sumsFrom(final long bias0, final long bias1, final long stride)
    {
        put(REDUCE_BIASES, bias0, bias1, stride);
        return this;
    }

    /** Where the sources are: at most {@link #INLINE_REGIONS} regions, of so many words. */
    KernelArguments sourcesAt(final long[] words, final int count)
    {
        UnsafeApi.putLong(address + FOURTH, 0);
        putAll(REDUCE_REGIONS, words, count);
        return this;
    }

    /** Where the sources are: as a table says. */
    KernelArguments sourcesIn(final long table)
    {
        UnsafeApi.putLong(address + FOURTH, table);
        return this;
    }

    /** How many rows, of how many elements. */
    int sums(final int count, final int hidden, final int flags)
    {
        UnsafeApi.putInt(address + REDUCE_COUNT, count);
        UnsafeApi.putInt(address + REDUCE_HIDDEN, hidden);
        UnsafeApi.putInt(address + REDUCE_FLAGS, flags);
        return REDUCE_LENGTH;
    }

    /** Where the table is: its first row, and its entries. */
    KernelArguments scatterOf(final long rows, final long entries)
    {
        UnsafeApi.putLong(address + FIRST, rows);
        UnsafeApi.putLong(address + SECOND, entries);
        return this;
    }

    /** Rows, plane 0, or their scales, plane 1; of length 0 where there are none. */
    KernelArguments plane(final int plane, final long source, final long stride, final long rowLength)
    {
        put(SCATTER_PLANES + plane * SCATTER_PLANE_BYTES, source, stride, rowLength);
        return this;
    }

    /** Where the rows go: at most {@link #INLINE_REGIONS} regions, of so many words. */
    KernelArguments targetsAt(final long[] words, final int count)
    {
        UnsafeApi.putLong(address + THIRD, 0);
        putAll(SCATTER_REGIONS, words, count);
        return this;
    }

    /** Where the rows go: as a table says. */
    KernelArguments targetsIn(final long table)
    {
        UnsafeApi.putLong(address + THIRD, table);
        return this;
    }

    /** How many rows, and how many blocks write to the near regions alone: 0 if all blocks write to all regions. */
    int scatter(final long count, final int near, final int nearBlocks)
    {
        UnsafeApi.putLong(address + FOURTH, count);
        UnsafeApi.putInt(address + FIFTH, near);
        UnsafeApi.putInt(address + FIFTH + Integer.BYTES, nearBlocks);
        return SCATTER_LENGTH;
    }

    private void putAll(final int offset, final long[] words, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            UnsafeApi.putLong(address + offset + (long)i * Long.BYTES, words[i]);
        }
    }

    private void put(final int offset, final long first, final long second, final long third)
    {
        UnsafeApi.putLong(address + offset, first);
        UnsafeApi.putLong(address + offset + Long.BYTES, second);
        UnsafeApi.putLong(address + offset + 2 * Long.BYTES, third);
    }
}
