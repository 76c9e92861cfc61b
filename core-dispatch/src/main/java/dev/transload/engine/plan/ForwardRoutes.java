/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import dev.transload.engine.world.Geometry;
import java.util.Arrays;

/**
 * What passed through this rank as a forwarder: for each channel and source node, the mask of local ranks of each row
 * in order. Within a combine sub-ring rows keep that order, so a row's ring index is the number of set bits before it.
 */
public final class ForwardRoutes
{
    private final int nodes;
    private final int maskWords;
    private final long[][] masks;
    private final int[] rows;

    /**
     * Empty.
     *
     * @param geometry sizes.
     */
    public ForwardRoutes(final Geometry geometry)
    {
        this.nodes = geometry.nodes();
        this.maskWords = geometry.maskWords();
        this.masks = new long[geometry.channels() * nodes][0];
        this.rows = new int[geometry.channels() * nodes];
    }

    /**
     * Make room for a channel's rows.
     *
     * @param channel lane.
     * @param node    source.
     * @param count   rows to come.
     */
    public void begin(final int channel, final int node, final int count)
    {
        final int lane = channel * nodes + node;
        rows[lane] = count;
        if (masks[lane].length < count * maskWords)
        {
            masks[lane] = Arrays.copyOf(masks[lane], count * maskWords);
        }
    }

    /**
     * Record a word of a row's mask.
     *
     * @param channel lane.
     * @param node    source.
     * @param row     in order of arrival.
     * @param word    of the mask.
     * @param bits    local ranks that get the row.
     */
    public void record(final int channel, final int node, final int row, final int word, final long bits)
    {
        masks[channel * nodes + node][row * maskWords + word] = bits;
    }

    /**
     * Record all rows of a channel that come from the own node, as the home routes have them.
     *
     * @param channel lane.
     * @param node    the own one.
     * @param home    routes of this rank.
     */
    public void recordOwn(final int channel, final int node, final SendLayout home)
    {
        final int rows = home.rowsToNode(channel, node);
        begin(channel, node, rows);
        home.copyMasks(channel, node, masks[channel * nodes + node]);
    }

    /**
     * Rows that passed.
     *
     * @param channel lane.
     * @param node    source.
     * @return count.
     */
    public int rows(final int channel, final int node)
    {
        return rows[channel * nodes + node];
    }

    /**
     * A word of a row's mask.
     *
     * @param channel lane.
     * @param node    source.
     * @param row     in order of arrival.
     * @param word    of the mask.
     * @return bits of the local ranks that got the row.
     */
    public long mask(final int channel, final int node, final int row, final int word)
    {
        return masks[channel * nodes + node][row * maskWords + word];
    }

    /**
     * Whether a row went to a local rank.
     *
     * @param channel lane.
     * @param node    source.
     * @param row     in order of arrival.
     * @param local   destination.
     * @return true if it did.
     */
    public boolean isForwarded(final int channel, final int node, final int row, final int local)
    {
        return 0 != (masks[channel * nodes + node][row * maskWords + (local >> 6)] & 1L << (local & 63));
    }
}
