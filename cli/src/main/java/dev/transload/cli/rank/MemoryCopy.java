/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import java.nio.ByteBuffer;

/** What a copy in memory reaches on this machine: cold, over more than a last-level cache holds. */
public final class MemoryCopy
{
    private static final int BYTES = 64 << 20;
    private static final int PAGE = 4096;
    private static final int PASSES = 5;
    private static final double NS_PER_SECOND = 1e9;

    private MemoryCopy()
    {
    }

    /**
     * Measure.
     *
     * @return bytes copied a second, the best of several passes.
     */
    public static double bytesPerSecond()
    {
        final ByteBuffer source = touched();
        final ByteBuffer target = touched();
        double best = 0.0;
        for (int pass = 0; pass < PASSES; pass++)
        {
            final long begin = System.nanoTime();
            target.put(0, source, 0, BYTES);
            best = Math.max(best, BYTES * NS_PER_SECOND / Math.max(1, System.nanoTime() - begin));
        }

        return best;
    }

    /** Pages that were never touched cost more than the copy. */
    private static ByteBuffer touched()
    {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
        for (int at = 0; at < BYTES; at += PAGE)
        {
            buffer.put(at, (byte)1);
        }

        return buffer;
    }
}
