/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.plan.SendLayout;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;

/**
 * Sends its channel's rows to the other nodes, a chunk at a time, round-robin from the channel's own index so that
 * nodes are not hit in step; releases the own node's rows to the forwarders of this rank.
 */
public final class SenderCoordinator extends Role
{
    private final Geometry geometry;
    private final DispatchLane lane;
    private final Destination[] destinations;
    private DispatchCall call;
    private long ownReleased;
    private long ownEnd;

    /**
     * Of a channel.
     *
     * @param board        of the engine.
     * @param geometry     sizes.
     * @param lane         shared state of the channel.
     * @param destinations by node, null for the own one.
     */
    public SenderCoordinator(
        final Board board, final Geometry geometry, final DispatchLane lane, final Destination[] destinations)
    {
        super(board, "sender-coordinator", Traffic.DISPATCH_SCALE_OUT);
        this.geometry = geometry;
        this.lane = lane;
        this.destinations = destinations;
    }

    @Override
    protected boolean begin(final Call next)
    {
        if (!(next instanceof DispatchCall))
        {
            return false;
        }

        call = (DispatchCall)next;
        final SendLayout routes = call.routes().home();
        for (final Destination destination : destinations)
        {
            if (null != destination)
            {
                destination.begin(call);
            }
        }

        final int own = geometry.world().node();
        ownEnd += routes.rowsToNode(lane.channel(), own);
        return true;
    }

    @Override
    protected int step()
    {
        int work = 0;
        for (int i = 0; i < destinations.length; i++)
        {
            final Destination destination = destinations[(i + lane.channel()) % destinations.length];
            work += null == destination ? releaseOwn() : destination.step();
        }

        return work;
    }

    private int releaseOwn()
    {
        final long released = call.isReplayable() && lane.isReplayed(call.number()) ? ownEnd :
            lane.half(geometry.world().node()).released(ownReleased, ownEnd);
        if (released == ownReleased)
        {
            return 0;
        }

        ownReleased = released;
        lane.ownTail().setRelease(released);
        return 1;
    }

    @Override
    protected boolean isComplete()
    {
        for (final Destination destination : destinations)
        {
            if (null != destination && !destination.isComplete())
            {
                return false;
            }
        }

        return ownReleased == ownEnd;
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        for (final Destination destination : destinations)
        {
            if (null != destination && destination.awaits(wait))
            {
                return true;
            }
        }

        return false;
    }
}
