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
 * Sums of BF16 rows into one, in {@code transload_sums.c}, and the table that it reads the rows from. Stores that are
 * streamed write memory without reading it first and leave nothing in the cache; they are weakly ordered, until
 * {@link #fence}. Of one queue, hence of one thread.
 */
final class NativeSums
{
    /** As in {@code lib<name>.so}. */
    static final String LIBRARY = "transload-sums";

    private static final Logger LOG = LoggerFactory.getLogger(NativeSums.class);
    private static final int INITIAL_ROWS = 16;

    /** An entry: address, weight, whether the weight counts. */
    private static final int STRIDE = 16;
    private static final int WEIGHT = 8;
    private static final int IS_WEIGHTED = 12;

    private ByteBuffer table = ByteBuffer.allocateDirect(INITIAL_ROWS * STRIDE);
    private long address = BufferUtil.address(table);

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
     * Sum BF16 rows into a BF16 row.
     *
     * @param sources       summands in order.
     * @param targetAddress of the sum.
     * @param hidden        elements.
     * @param isStreamed    whether its stores go round the cache.
     */
    void sum(final SourceRows sources, final long targetAddress, final int hidden, final boolean isStreamed)
    {
        final int count = sources.count();
        if (table.capacity() < count * STRIDE)
        {
            table = ByteBuffer.allocateDirect(2 * count * STRIDE);
            address = BufferUtil.address(table);
        }

        for (int row = 0; row < count; row++)
        {
            final long entry = address + (long)row * STRIDE;
            UnsafeApi.putLong(entry, sources.addressOf(row));
            UnsafeApi.putFloat(entry + WEIGHT, sources.weightOf(row));
            UnsafeApi.putInt(entry + IS_WEIGHTED, sources.isWeighted(row) ? 1 : 0);
        }

        sum(address, count, sources.rounded(), targetAddress, hidden, isStreamed);
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

    private static native void sum(
        long rows, int count, int rounded, long target, int hidden, boolean isStreamed);

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
