/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;

/**
 * Writes the metadata of its channel's streams in blocks, and the send tables that say which token each row is: once a
 * handle, since cached dispatches need neither. Nodes take turns, from the channel's own index on.
 */
public final class Sender extends Role
{
    private final OutgoingBlocks[] nodes;
    private final int first;

    public Sender(
        final Board board, final Geometry geometry, final ChannelState state, final OutgoingBlocks[] nodes)
    {
        super(board, "sender");
        this.nodes = nodes;
        this.first = state.channel() % geometry.nodes();
    }

    @Override
    protected boolean begin(final Call next)
    {
        if (Call.Kind.DISPATCH != next.kind())
        {
            return false;
        }

        for (final OutgoingBlocks node : nodes)
        {
            node.begin((DispatchCall)next);
        }

        return true;
    }

    @Override
    protected int step()
    {
        int work = 0;
        for (int i = 0; i < nodes.length; i++)
        {
            work += nodes[(first + i) % nodes.length].step();
        }

        return work;
    }

    @Override
    protected boolean isComplete()
    {
        for (final OutgoingBlocks node : nodes)
        {
            if (!node.isComplete())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        for (final OutgoingBlocks node : nodes)
        {
            if (node.awaits(wait))
            {
                return true;
            }
        }

        return false;
    }
}
