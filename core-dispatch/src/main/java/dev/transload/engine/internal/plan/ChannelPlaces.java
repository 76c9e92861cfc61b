/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.internal.world.Geometry;

/**
 * Where the copies of rows are, expert-major: counted out row by row, for what a channel brings from a source rank. To
 * keep them for all rows would take four times the memory of the experts that they follow from.
 */
public final class ChannelPlaces
{
    private static final int NONE = -1;

    private final int[] next;
    private final int[] places;
    private ReceiveLayout layout;
    private int channel;
    private int source;
    private int row;
    private int at;

    public ChannelPlaces(final Geometry geometry)
    {
        this.next = new int[Math.max(1, geometry.maxLocalExperts())];
        this.places = new int[geometry.config().maxTopk()];
    }

    /** Begin before the first row. */
    public void begin(final ReceiveLayout experts, final int ofChannel, final int sourceRank)
    {
        layout = experts;
        channel = ofChannel;
        source = sourceRank;
        row = 0;
        at = 0;
    }

    /** Go to the next row, which has come. */
    public void advance()
    {
        if (0 == row)
        {
            layout.copyChannelPlaces(channel, source, next);
        }

        at = layout.selections(channel, source).read(at, places);
        for (int k = 0; k < layout.topk(); k++)
        {
            final int expert = places[k];
            places[k] = expert < 0 ? NONE : next[expert]++;
        }

        row++;
    }

    /**
     * Where the row's copy for one of its selected experts is.
     *
     * @param k position among the top-k.
     * @return expert-major row, −1 where that expert is not here.
     */
    public int place(final int k)
    {
        return places[k];
    }
}
