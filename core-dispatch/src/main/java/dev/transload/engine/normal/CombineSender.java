/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.wire.Wait;

/** Returns a channel's expert rows to the relays that brought them, stream by stream in turn. */
public final class CombineSender extends Role
{
    private final OutgoingReturns[] streams;
    private int next;

    /**
     * Of a channel.
     *
     * @param board   of the engine.
     * @param streams that ranks of the node relay.
     */
    public CombineSender(final Board board, final OutgoingReturns[] streams)
    {
        super(board, "combine-sender", Traffic.COMBINE_SCALE_UP);
        this.streams = streams;
    }

    @Override
    protected boolean begin(final Call call)
    {
        if (!(call instanceof CombineCall))
        {
            return false;
        }

        for (final OutgoingReturns stream : streams)
        {
            stream.begin((CombineCall)call);
        }

        return true;
    }

    @Override
    protected int step()
    {
        int work = 0;
        for (int i = 0; i < streams.length; i++)
        {
            work += streams[(next + i) % streams.length].step();
        }

        next = (next + 1) % streams.length;
        return work;
    }

    @Override
    protected boolean isComplete()
    {
        for (final OutgoingReturns stream : streams)
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
        for (final OutgoingReturns stream : streams)
        {
            if (stream.awaits(wait))
            {
                return true;
            }
        }

        return false;
    }
}
