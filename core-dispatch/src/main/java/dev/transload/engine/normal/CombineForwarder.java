/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.wire.Wait;

/**
 * Sums, for a channel, the rows which the ranks of its node return for one token of another node, local ranks
 * ascending, and sends the partial sums to the tokens' home nodes, round-robin from the channel's own index.
 */
public final class CombineForwarder extends Role
{
    private final Home[] homes;
    private int nextHome;

    /**
     * Of a channel.
     *
     * @param board   of the engine.
     * @param channel lane.
     * @param homes   other nodes.
     */
    public CombineForwarder(final Board board, final int channel, final Home[] homes)
    {
        super(board, "combine-forwarder", Traffic.COMBINE_SCALE_OUT);
        this.homes = homes;
        this.nextHome = 0 == homes.length ? 0 : channel % homes.length;
    }

    @Override
    protected boolean begin(final Call call)
    {
        if (!(call instanceof CombineCall))
        {
            return false;
        }

        for (final Home home : homes)
        {
            home.begin((CombineCall)call);
        }

        return true;
    }

    @Override
    protected int step()
    {
        int work = 0;
        for (int i = 0; i < homes.length; i++)
        {
            work += homes[(nextHome + i) % homes.length].step();
        }

        nextHome = nextHome + 1 < homes.length ? nextHome + 1 : 0;
        return work;
    }

    @Override
    protected boolean isComplete()
    {
        for (final Home home : homes)
        {
            if (!home.isComplete())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        for (final Home home : homes)
        {
            if (home.awaits(wait))
            {
                return true;
            }
        }

        return false;
    }
}
