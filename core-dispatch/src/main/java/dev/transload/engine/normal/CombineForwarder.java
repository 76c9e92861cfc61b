/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.wire.Wait;

/**
 * Sums, for the streams of other nodes that this rank relays in a channel, the rows which the ranks of its node return,
 * and sends the partial sums home. Streams take turns, from the channel's own index on.
 */
public final class CombineForwarder extends Role
{
    private final OutgoingSums[] streams;
    private int next;

    public CombineForwarder(final Board board, final int channel, final OutgoingSums[] streams)
    {
        super(board, "combine-forwarder", Traffic.COMBINE_SCALE_OUT);
        this.streams = streams;
        this.next = 0 == streams.length ? 0 : channel % streams.length;
    }

    @Override
    protected boolean begin(final Call call)
    {
        if (!(call instanceof CombineCall))
        {
            return false;
        }

        for (final OutgoingSums stream : streams)
        {
            stream.begin((CombineCall)call);
        }

        return streams.length > 0;
    }

    @Override
    protected int step()
    {
        int work = 0;
        for (int i = 0; i < streams.length; i++)
        {
            work += streams[(next + i) % streams.length].step();
        }

        next = next + 1 < streams.length ? next + 1 : 0;
        return work;
    }

    @Override
    protected boolean isComplete()
    {
        for (final OutgoingSums stream : streams)
        {
            if (!stream.isComplete())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        for (final OutgoingSums stream : streams)
        {
            if (stream.awaits(wait))
            {
                return true;
            }
        }

        return false;
    }
}
