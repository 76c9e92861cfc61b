/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.ring.Cursor;
import dev.transload.engine.world.Geometry;

/** What the dispatch roles of one channel share on this rank. */
public final class DispatchLane
{
    private final int channel;
    private final SendHalf[] halves;
    private final Cursor ownTail = new Cursor();
    private final Cursor ownHead = new Cursor();
    private final Cursor[] forwarderHeads;
    private final Cursor[] paths;
    private final int nodes;

    /**
     * Empty.
     *
     * @param geometry sizes.
     * @param channel  lane.
     */
    public DispatchLane(final Geometry geometry, final int channel)
    {
        this.channel = channel;
        this.nodes = geometry.nodes();
        this.halves = new SendHalf[nodes];
        for (int node = 0; node < nodes; node++)
        {
            halves[node] = new SendHalf(geometry.outRing());
        }

        this.forwarderHeads = new Cursor[geometry.locals() * nodes];
        for (int i = 0; i < forwarderHeads.length; i++)
        {
            forwarderHeads[i] = new Cursor();
        }

        this.paths = new Cursor[geometry.locals()];
        for (int local = 0; local < paths.length; local++)
        {
            paths[local] = new Cursor();
        }
    }

    /**
     * Channel.
     *
     * @return index.
     */
    public int channel()
    {
        return channel;
    }

    /**
     * Send half of the ring to a node; the own node's is the ring itself.
     *
     * @param node destination.
     * @return send half.
     */
    public SendHalf half(final int node)
    {
        return halves[node];
    }

    /**
     * Rows released into the own node's ring, by the sender coordinator.
     *
     * @return cursor.
     */
    public Cursor ownTail()
    {
        return ownTail;
    }

    /**
     * Rows consumed from the own node's ring, by the forwarder coordinator.
     *
     * @return cursor.
     */
    public Cursor ownHead()
    {
        return ownHead;
    }

    /**
     * Rows of a source node that a forwarder has consumed.
     *
     * @param local forwarder's destination.
     * @param node  source.
     * @return cursor.
     */
    public Cursor forwarderHead(final int local, final int node)
    {
        return forwarderHeads[local * nodes + node];
    }

    /**
     * A forwarder of a replayable call knows which way its rows take.
     *
     * @param local      forwarder's destination.
     * @param call       number.
     * @param isReplayed whether it needs nothing from the own node's ring.
     */
    public void choose(final int local, final long call, final boolean isReplayed)
    {
        paths[local].setRelease(2 * call + (isReplayed ? 1 : 0));
    }

    /**
     * Whether all forwarders have chosen.
     *
     * @param call number.
     * @return true if {@link #isReplayed} is final.
     */
    public boolean isChosen(final long call)
    {
        return leastPath() >= 2 * call;
    }

    /**
     * Whether all forwarders have chosen, and none needs the own node's ring.
     *
     * @param call number.
     * @return true if senders have nothing to do.
     */
    public boolean isReplayed(final long call)
    {
        return leastPath() == 2 * call + 1;
    }

    private long leastPath()
    {
        long least = Long.MAX_VALUE;
        for (final Cursor path : paths)
        {
            least = Math.min(least, path.getAcquire());
        }

        return least;
    }
}
