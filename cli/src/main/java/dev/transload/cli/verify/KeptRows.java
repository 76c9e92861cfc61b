/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Rows of a reference, made once and kept for the iterations to come. Beyond the bytes that may be kept, a row is made
 * anew whenever it is asked for. Not thread-safe.
 */
public final class KeptRows
{
    /** Two references of each rank take half of the heap at most, also where all ranks share a process. */
    private static final int SHARE_OF_HEAP = 4;

    /** Makes a row. */
    @FunctionalInterface
    public interface Maker
    {
        /**
         * Make it.
         *
         * @param index of the row.
         * @param into  its bytes, zeroed, in native order.
         */
        void make(int index, ByteBuffer into);
    }

    private final ByteBuffer[] rows;
    private final int rowBytes;
    private final Maker maker;
    private long leftBytes;

    /**
     * Of none yet.
     *
     * @param count     of rows.
     * @param rowBytes  of each.
     * @param keptBytes that may be kept in all.
     * @param maker     of rows.
     */
    public KeptRows(final int count, final int rowBytes, final long keptBytes, final Maker maker)
    {
        this.rows = new ByteBuffer[count];
        this.rowBytes = rowBytes;
        this.leftBytes = keptBytes;
        this.maker = maker;
    }

    /**
     * What one reference of a rank may keep.
     *
     * @param ranks of the world.
     * @return bytes.
     */
    public static long share(final int ranks)
    {
        return Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / ranks;
    }

    /**
     * A row.
     *
     * @param index in [0, count).
     * @return its bytes from 0 to the limit, in native order; not to be changed.
     */
    public ByteBuffer row(final int index)
    {
        if (null != rows[index])
        {
            return rows[index];
        }

        final ByteBuffer row = ByteBuffer.allocate(rowBytes).order(ByteOrder.nativeOrder());
        maker.make(index, row);
        row.clear();
        if (leftBytes >= rowBytes)
        {
            leftBytes -= rowBytes;
            rows[index] = row;
        }

        return row;
    }
}
