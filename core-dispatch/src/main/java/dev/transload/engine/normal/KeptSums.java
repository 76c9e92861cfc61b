/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import java.util.Arrays;

/**
 * The sums of one channel's tokens with the routes of one dispatch, kept from a combine to the next: 8 bytes a token
 * and a returned row. They hold as long as rows, biases and sums are at the same places. Memory is taken when a combine
 * is repeated, and goes on to later dispatches that have the routes' table.
 */
final class KeptSums
{
    /** Most tokens of a channel whose sums are kept. */
    private static final int MAX_TOKENS = 1 << 12;

    private RowTable list;
    private long dispatch;
    private long[] bases = new long[0];
    private boolean isFilled;

    /**
     * The list for a combine; nothing reads it any more.
     *
     * @param number  of the dispatch.
     * @param tokens  of the channel.
     * @param most    rows of a token that may return.
     * @param kernels which sum.
     * @return list, null where none is kept.
     */
    RowTable open(final long number, final int tokens, final int most, final RowKernels kernels)
    {
        final boolean isRepeated = dispatch == number;
        isFilled &= isRepeated;
        dispatch = number;
        final boolean hasRoom =
            null != list && list.rowCapacity() >= tokens && list.entryCapacity() >= tokens * most;
        if (!hasRoom && isRepeated && tokens <= MAX_TOKENS)
        {
            list = kernels.allocateTable(tokens, tokens * most);
            isFilled = false;
            return list;
        }

        return hasRoom ? list : null;
    }

    /** Whether the list, as it is, has the sums of rows, biases and targets at given places. */
    boolean hold(final long[] places)
    {
        return isFilled && Arrays.equals(bases, places);
    }

    /** The list is written anew. */
    void beFilled(final long[] places)
    {
        isFilled = true;
        if (bases.length != places.length)
        {
            bases = new long[places.length];
        }

        System.arraycopy(places, 0, bases, 0, places.length);
    }
}
