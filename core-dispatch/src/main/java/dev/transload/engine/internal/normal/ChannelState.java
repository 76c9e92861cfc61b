/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.internal.ring.Cursor;

/** What the roles of one channel tell each other on this rank, where they may run on different threads. */
public final class ChannelState
{
    private final int channel;
    private final Cursor ownBlocks = new Cursor();
    private final Cursor ownBlocksFree = new Cursor();
    private final Cursor[] listed;
    private final Cursor[] planned;
    private final Cursor[] forwarded;
    private final Cursor[] handedOn;
    private final Cursor[] read;

    /**
     * Empty.
     *
     * @param streams that this rank relays in the channel.
     */
    public ChannelState(final int channel, final int nodes, final int streams)
    {
        this.channel = channel;
        this.listed = cursors(nodes);
        this.planned = cursors(streams);
        this.forwarded = cursors(streams);
        this.handedOn = cursors(streams);
        this.read = cursors(streams);
    }

    private static Cursor[] cursors(final int count)
    {
        final Cursor[] made = new Cursor[count];
        for (int i = 0; i < count; i++)
        {
            made[i] = new Cursor();
        }

        return made;
    }

    public int channel()
    {
        return channel;
    }

    /** Blocks that the sender has written for the own node. */
    Cursor ownBlocks()
    {
        return ownBlocks;
    }

    /** Of those, blocks that nobody needs any more; by the forwarder coordinator. */
    Cursor ownBlocksFree()
    {
        return ownBlocksFree;
    }

    /** Rows to a node, from the opening of the engine on, that are in the send table; by the sender. */
    Cursor listed(final int node)
    {
        return listed[node];
    }

    /** Blocks of a relayed stream that the forwarder has planned; their rows may not be in the table yet. */
    Cursor planned(final int stream)
    {
        return planned[stream];
    }

    /** Position in a relayed stream's ring up to which the forwarder needs no slot any more. */
    Cursor forwarded(final int stream)
    {
        return forwarded[stream];
    }

    /** Blocks of a relayed stream that the own receiver may read; by the forwarder. */
    Cursor handedOn(final int stream)
    {
        return handedOn[stream];
    }

    /** Blocks of a relayed stream that the own receiver has read. */
    Cursor read(final int stream)
    {
        return read[stream];
    }
}
