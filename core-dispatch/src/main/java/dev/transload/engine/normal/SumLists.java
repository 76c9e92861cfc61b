/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.plan.Plan;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The lists by which a channel's tokens are summed, some at a time: a few in turn, each written again once the kernels
 * have passed it, or the one that is kept for the routes.
 */
final class SumLists
{
    /** Sums of host memory are done when they are submitted: few at a time, or other roles wait. */
    private static final int HOST_TOKENS = 64;

    /** What is worth a launch. The first ones have fewer, so that the device begins while the next are written. */
    private static final int DEVICE_TOKENS = 512;
    private static final int FIRST_TOKENS = 64;

    private static final int LISTS = 4;

    private final RowKernels kernels;
    private final int sources;
    private final int most;
    private final RowTable[] lists = new RowTable[LISTS];
    private final long[] positions = new long[LISTS];
    private final Map<Plan, KeptSums> tables = new IdentityHashMap<>();
    private int next;
    private int limit;
    private KeptSums kept;
    private RowTable keptList;
    private boolean isWritten;
    private int first;

    /**
     * Of a channel.
     *
     * @param kernels which sum.
     * @param sources most that a token has.
     */
    SumLists(final RowKernels kernels, final int sources)
    {
        this.kernels = kernels;
        this.sources = sources;
        this.most = kernels.kind().isHost() ? HOST_TOKENS : DEVICE_TOKENS;
        for (int i = 0; i < LISTS; i++)
        {
            lists[i] = kernels.allocateTable(most, most * sources);
        }
    }

    /** A call begins, of which nothing is kept yet. */
    void begin()
    {
        kept = null;
        keptList = null;
        isWritten = false;
        limit = Math.min(FIRST_TOKENS, most);
        first = 0;
    }

    /**
     * Take the list that is kept for the routes, if there is one.
     *
     * @param table  of the call.
     * @param tokens of the channel.
     * @param places where rows, biases and sums are.
     */
    void keep(final Plan table, final int tokens, final long[] places)
    {
        kept = tables.get(table);
        if (null == kept)
        {
            kept = new KeptSums();
            tables.put(table, kept);
        }

        keptList = kept.open(table.callNumber(), tokens, Math.min(sources, table.home().topk()), kernels);
        isWritten = null != keptList && kept.hold(places);
        if (isWritten)
        {
            limit = most;
        }
        else if (null != keptList)
        {
            kept.beFilled(places);
            keptList.clear();
        }
    }

    /** Whether the sums of all tokens are in the list already, in their order. */
    boolean areWritten()
    {
        return isWritten;
    }

    /** Whether a list can be written. */
    boolean isFree()
    {
        return null != keptList || kernels.completedPosition() >= positions[next];
    }

    /** The list to write the next sums to, where they are not written. */
    RowTable open()
    {
        return null != keptList ? keptList : lists[next].clear();
    }

    /** Most tokens of the next submission. */
    int limit()
    {
        return limit;
    }

    /**
     * Submit the next tokens.
     *
     * @param reduction of the call.
     * @param count     of tokens.
     * @return position, negative to be tried again.
     */
    long submit(final Reduction reduction, final int count)
    {
        final long position = null == keptList ? kernels.reduceRows(reduction, lists[next], 0, count) :
            kernels.reduceRows(reduction, keptList, first, count);
        if (position >= 0)
        {
            positions[next] = position;
            next = null == keptList ? (next + 1) % LISTS : next;
            first += count;
            limit = Math.min(most, 2 * limit);
        }

        return position;
    }
}
