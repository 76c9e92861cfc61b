/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.internal.wire.Wait;

/**
 * Carries the streams that this rank relays in a channel on to the ranks of its node: blocks of metadata first, then
 * rows, stream by stream in turn.
 */
public final class Forwarder extends Role<DispatchCall>
{
    private final IncomingStream[] streams;
    private final NodeRows rows;
    private DispatchCall call;
    private boolean isKnown;
    private int next;

    /**
     * Of a channel.
     *
     * @param rows on their way to the node's ranks.
     */
    public Forwarder(final IncomingStream[] streams, final NodeRows rows)
    {
        super(DispatchCall.class, "forwarder", Traffic.DISPATCH_SCALE_UP);
        this.streams = streams;
        this.rows = rows;
    }

    @Override
    protected boolean begin(final DispatchCall under)
    {
        call = under;
        isKnown = false;
        rows.begin(call);
        for (final IncomingStream stream : streams)
        {
            stream.begin(call);
        }

        return true;
    }

    @Override
    protected int step()
    {
        // The counts of all sources are known when the output stands.
        if (!isKnown)
        {
            if (!call.isOutputReady())
            {
                return 0;
            }

            isKnown = true;
            for (final IncomingStream stream : streams)
            {
                stream.learn();
            }
        }

        int work = rows.advance();
        for (final IncomingStream stream : streams)
        {
            work += stream.handOn() + stream.stage();
        }

        return rows.isOpen() ? work + forward() : work;
    }

    private int forward()
    {
        int work = 0;
        for (int i = 0; i < streams.length; i++)
        {
            final IncomingStream stream = streams[(next + i) % streams.length];
            work += stream.place() + rows.settle(stream);
            final int ready = rows.isIdle() && stream.hasRoom() ? stream.ready() : 0;
            work += ready > 0 ? rows.send(stream, ready) + rows.settle(stream) : 0;
        }

        next = next + 1 < streams.length ? next + 1 : 0;
        return work;
    }

    @Override
    protected boolean isComplete()
    {
        for (final IncomingStream stream : streams)
        {
            if (!stream.isComplete())
            {
                return false;
            }
        }

        return rows.isComplete();
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        if (!isKnown)
        {
            return false;
        }

        if (rows.isWaitingForClearToSend(wait))
        {
            return true;
        }

        for (final IncomingStream stream : streams)
        {
            if (stream.isWaiting(wait) || rows.isWaitingForCredit(wait, stream))
            {
                return true;
            }
        }

        return rows.isWaiting(wait);
    }
}
