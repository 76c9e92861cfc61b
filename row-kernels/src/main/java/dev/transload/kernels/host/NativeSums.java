/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.natives.BundledLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sums of BF16 rows into one, in {@code transload_sums.c}, and the table that it reads them from: many by one call, as
 * each call drains the streamed stores before it. Stores that are streamed write memory without reading it first and
 * leave nothing in the cache; they are weakly ordered, until {@link #fence}. Of one queue, hence of one thread.
 */
final class NativeSums
{
    /** As in {@code lib<name>.so}. */
    static final String LIBRARY = "transload-sums";

    private static final Logger LOG = LoggerFactory.getLogger(NativeSums.class);

    /** Of the table, at first: 200 sums of one row, and small beside the nearest cache. */
    private static final int INITIAL_BYTES = 8 * 1024;

    /** A sum: address, elements, rows, rows that are rounded, whether it is streamed; then its rows. */
    private static final int SUM_BYTES = 24;
    private static final int HIDDEN = 8;
    private static final int COUNT = 12;
    private static final int ROUNDED = 16;
    private static final int IS_STREAMED = 20;

    /** A row: address, weight, whether the weight counts. */
    private static final int ROW_BYTES = 16;
    private static final int WEIGHT = 8;
    private static final int IS_WEIGHTED = 12;

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
     * Sum BF16 rows into a BF16 row, behind all sums before it, by {@link #flush} at the latest. Until then the rows
     * stay where they are.
     *
     * @param sources       summands in order.
     * @param targetAddress of the sum.
     * @param hidden        elements.
     * @param isStreamed    whether its stores go round the cache.
     */
    void add(final SourceRows sources, final long targetAddress, final int hidden, final boolean isStreamed)
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
        UnsafeApi.putInt(sum + IS_STREAMED, isStreamed ? 1 : 0);

        for (int row = 0; row < count; row++)
        {
            final long entry = sum + SUM_BYTES + (long)row * ROW_BYTES;
            UnsafeApi.putLong(entry, sources.addressOf(row));
            UnsafeApi.putFloat(entry + WEIGHT, sources.weightOf(row));
            UnsafeApi.putInt(entry + IS_WEIGHTED, sources.isWeighted(row) ? 1 : 0);
        }

        used += bytes;
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
            BundledLibrary.load(NativeSums.class, LIBRARY, path -> System.load(path));
            return isPossible() ? null : "this CPU has no AVX2 and FMA";
        }
        catch (final IOException | UnsatisfiedLinkError ex)
        {
            return ex.toString();
        }
    }

    /** Behind it, streamed stores of this thread count as plain ones. */
    static native void fence();

    private static native boolean isPossible();

    private static native void sumAll(long first, long end);

    /** Initialised once, by the first thread that asks. */
    private static final class Verdict
    {
        static final String REASON = load();

        static
        {
            LOG.debug("host row kernels: native sums {}", null == REASON ? "are there" : "are not there: " + REASON);
        }
    }
}
