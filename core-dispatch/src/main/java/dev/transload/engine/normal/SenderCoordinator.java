/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.wire.Wait;

/**
 * Sends its channel's rows to the relays on other nodes, a chunk at a time. Nodes take turns, from the channel's own
 * index on, so that they are not hit in step.
 */
public final class SenderCoordinator extends Role
{
    private final OutgoingRows[] nodes;
    private final int first;

    public SenderCoordinator(final Board board, final int channel, final OutgoingRows[] nodes)
    {
        super(board, "sender-coordinator", Traffic.DISPATCH_SCALE_OUT);
        this.nodes = nodes;
        this.first = 0 == nodes.length ? 0 : channel % nodes.length;
    }

    @Override
    protected boolean begin(final Call next)
    {
        if (!(next instanceof DispatchCall))
        {
            return false;
        }

        for (final OutgoingRows node : nodes)
        {
            node.begin((DispatchCall)next);
        }

        return nodes.length > 0;
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
        for (final OutgoingRows node : nodes)
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
        for (final OutgoingRows node : nodes)
        {
            if (node.awaits(wait))
            {
                return true;
            }
        }

        return false;
    }
}
