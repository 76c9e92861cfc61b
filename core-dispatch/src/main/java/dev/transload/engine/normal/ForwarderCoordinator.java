/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.ring.CreditReturn;
import dev.transload.engine.wire.EncodedWord;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;

/**
 * Returns credit for a channel's scale-out rings: what all forwarders of the channel have consumed is free, the least
 * of their heads. It ends after them, and clears the lane metas which they read.
 */
public final class ForwarderCoordinator extends Role
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final DispatchLane lane;
    private final Forwarder[] forwarders;
    private final CreditReturn[] returns;
    private final long[] heads;
    private Call call;
    private long dispatches;
    private boolean areForwardersFinished;

    /**
     * Of a channel.
     *
     * @param board      of the engine.
     * @param geometry   sizes.
     * @param map        memory.
     * @param lane       shared state of the channel.
     * @param forwarders of the channel, by local rank.
     * @param returns    of credit by source node, null for the own one.
     */
    public ForwarderCoordinator(
        final Board board, final Geometry geometry, final ArenaMap map, final DispatchLane lane,
        final Forwarder[] forwarders, final CreditReturn[] returns)
    {
        super(board, "forwarder-coordinator");
        this.geometry = geometry;
        this.map = map;
        this.lane = lane;
        this.forwarders = forwarders;
        this.returns = returns;
        this.heads = new long[geometry.nodes()];
    }

    @Override
    protected boolean begin(final Call next)
    {
        if (!(next instanceof DispatchCall))
        {
            return false;
        }

        call = next;
        dispatches++;
        areForwardersFinished = false;
        return true;
    }

    @Override
    protected int step()
    {
        // Asked first: heads read afterwards are the final ones.
        areForwardersFinished = areForwardersFinished();
        int work = 0;
        for (int node = 0; node < heads.length; node++)
        {
            final long head = leastHead(node);
            if (node == geometry.world().node())
            {
                work += head > heads[node] ? 1 : 0;
                lane.ownHead().setRelease(head);
            }
            else
            {
                work += returns[node].report(head);
            }

            heads[node] = head;
        }

        if (areForwardersFinished)
        {
            clearMetas();
        }

        return work;
    }

    private long leastHead(final int node)
    {
        long least = Long.MAX_VALUE;
        for (int local = 0; local < geometry.locals(); local++)
        {
            least = Math.min(least, lane.forwarderHead(local, node).getAcquire());
        }

        return least;
    }

    private boolean areForwardersFinished()
    {
        for (final Forwarder forwarder : forwarders)
        {
            if (forwarder.finishedCall() != call.number())
            {
                return false;
            }
        }

        return true;
    }

    private void clearMetas()
    {
        final int set = (int)((dispatches - 1) % ArenaMap.SETS);
        for (int node = 0; node < geometry.nodes(); node++)
        {
            EncodedWord.clear(map.laneOutIn.buffer(),
                map.laneOutIn.index(geometry.laneOut(set, lane.channel(), node)),
                Math.toIntExact(map.laneOutIn.stride()));
        }
    }

    @Override
    protected boolean isComplete()
    {
        if (!areForwardersFinished)
        {
            return false;
        }

        for (int node = 0; node < returns.length; node++)
        {
            if (null != returns[node] && returns[node].isDue(heads[node]))
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        for (int node = 0; node < returns.length; node++)
        {
            if (null != returns[node] && returns[node].isDue(heads[node]))
            {
                return returns[node].awaits(wait);
            }
        }

        return false;
    }
}
