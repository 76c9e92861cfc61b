/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import dev.transload.natives.BundledLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kernels in {@code transload_kernels.c}: casts, scattered rows, and sums with the table that they are read from:
 * many by one call, as each call drains the streamed stores before it. Stores that are streamed write memory without
 * reading it first and leave nothing in the cache; they are weakly ordered, until {@link #fence}. Of one queue, hence
 * of one thread.
 */
final class NativeKernels
{
    /** As in {@code lib<name>.so}. */
    static final String LIBRARY = "transload-kernels";

    private static final Logger LOG = LoggerFactory.getLogger(NativeKernels.class);

    /** Of the table, at first: 200 sums of one row, and small beside the nearest cache. */
    private static final int INITIAL_BYTES = 8 * 1024;

    /** A sum: address, elements, rows, rows that are rounded, whether streamed, F32, with F32 rows; then its rows. */
    private static final int SUM_BYTES = 24;
    private static final int HIDDEN = 8;
    private static final int COUNT = 12;
    private static final int ROUNDED = 16;
    private static final int IS_STREAMED = 20;
    private static final int IS_SUM_F32 = 21;
    private static final int HAS_F32 = 22;

    /** A row: address, weight, whether the weight counts, whether it is F32. */
    private static final int ROW_BYTES = 16;
    private static final int WEIGHT = 8;
    private static final int IS_WEIGHTED = 12;
    private static final int IS_F32 = 14;

    private ByteBuffer table = ByteBuffer.allocateDirect(INITIAL_BYTES);
    private long address = BufferUtil.address(table);
    private int used;

    /**
     * Why there are none here.
     *
     * @return null where there are, else one clause.
     */
    static String unavailableBecause()
    {
        return Verdict.REASON;
    }

    /**
     * Sum rows into one, behind all sums before it, by {@link #flush} at the latest. Until then rows stay where they
     * are.
     *
     * @param sources       summands in order.
     * @param targetAddress of the sum.
     * @param targetType    BF16 or F32.
     * @param hidden        elements.
     * @param isStreamed    whether its stores go round the cache, if all is BF16.
     */
    void add(
        final SourceRows sources, final long targetAddress, final ElementType targetType, final int hidden,
        final boolean isStreamed)
    {
        final int count = sources.count();
        final int bytes = SUM_BYTES + count * ROW_BYTES;
        if (table.capacity() - used < bytes)
        {
            makeRoom(bytes);
        }

        final long sum = address + used;
        UnsafeApi.putLong(sum, targetAddress);
        UnsafeApi.putInt(sum + HIDDEN, hidden);
        UnsafeApi.putInt(sum + COUNT, count);
        UnsafeApi.putInt(sum + ROUNDED, sources.rounded());
        final boolean isSumF32 = ElementType.F32 == targetType;
        UnsafeApi.putByte(sum + IS_STREAMED, byteOf(isStreamed));
        UnsafeApi.putByte(sum + IS_SUM_F32, byteOf(isSumF32));
        UnsafeApi.putByte(sum + HAS_F32, byteOf(isSumF32 || sources.leadingBf16() < count));

        for (int row = 0; row < count; row++)
        {
            final long entry = sum + SUM_BYTES + (long)row * ROW_BYTES;
            UnsafeApi.putLong(entry, sources.addressOf(row));
            UnsafeApi.putFloat(entry + WEIGHT, sources.weightOf(row));
            UnsafeApi.putShort(entry + IS_WEIGHTED, byteOf(sources.isWeighted(row)));
            UnsafeApi.putShort(entry + IS_F32, byteOf(ElementType.F32 == sources.typeOf(row)));
        }

        used += bytes;
    }

    private static byte byteOf(final boolean isSet)
    {
        return (byte)(isSet ? 1 : 0);
    }

    private void makeRoom(final int bytes)
    {
        flush();
        if (table.capacity() < bytes)
        {
            table = ByteBuffer.allocateDirect(2 * bytes);
            address = BufferUtil.address(table);
        }
    }

    /** Write all sums that wait, in the order in which they came. */
    void flush()
    {
        if (used > 0)
        {
            sumAll(address, address + used);
            clear();
        }
    }

    /** Forget all sums that wait. */
    void clear()
    {
        used = 0;
    }

    private static String load()
    {
        try
        {
            BundledLibrary.load(NativeKernels.class, LIBRARY, path -> System.load(path));
            return isPossible() ? null : "this CPU has no AVX2 and FMA, or is big-endian";
        }
        catch (final IOException | UnsatisfiedLinkError ex)
        {
            return ex.getMessage();
        }
    }

    /** Behind it, streamed stores of this thread count as plain ones. */
    static native void fence();

    /**
     * Copy rows of a table to all of their entries.
     *
     * @param rows         address of the first row.
     * @param entries      address of the table's first entry.
     * @param count        of rows.
     * @param source       address of row 0.
     * @param sourceStride bytes from a row to the next.
     * @param length       bytes of a row.
     * @param targets      by region: address of row 0, and bytes from a row to the next.
     * @param regions      how many; entries name no other.
     * @param isStreamed   whether stores go round the cache; they count as plain ones when the call returns.
     */
    static native void scatter(
        long rows, long entries, int count, long source, long sourceStride, int length, long targets,
        int regions, boolean isStreamed);

    /**
     * Cast one BF16 row to E4M3.
     *
     * @param source       address of the row.
     * @param target       address of the codes.
     * @param scales       address of the row's F32 scales.
     * @param hidden       elements, a multiple of 128.
     * @param isPowerOfTwo whether scales are powers of two.
     */
    static native void quantize(long source, long target, long scales, int hidden, boolean isPowerOfTwo);

    /**
     * Cast one E4M3 row to BF16.
     *
     * @param source address of the codes.
     * @param target address of the row.
     * @param scales address of the row's F32 scales.
     * @param hidden elements, a multiple of 128.
     */
    static native void dequantize(long source, long target, long scales, int hidden);

    private static native boolean isPossible();

    private static native void sumAll(long first, long end);

    /** Initialised once, by the first thread that asks. */
    private static final class Verdict
    {
        static final String REASON = load();

        static
        {
            if (null == REASON)
            {
                LOG.debug("Host row kernels are native");
            }
            else
            {
                LOG.warn("Rows of host memory are summed and cast by the JVM, which is slower: {}", REASON);
            }
        }
    }
}
