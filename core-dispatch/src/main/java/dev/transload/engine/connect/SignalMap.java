/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.connect;

import dev.transload.engine.world.Geometry;

/**
 * Index of every signal, a function of the geometry alone. The scale-out signals of a rank are written by the ranks
 * with its local index on other nodes, the scale-up ones by the ranks of its node; each by one channel. Those of rows
 * that are staged are written by the rank itself.
 */
public final class SignalMap
{
    private static final int OUT_KINDS_PER_CHANNEL_AND_NODE = 5;
    private static final int STAGED_KINDS_PER_CHANNEL_AND_NODE = 3;

    private SignalMap()
    {
    }

    /**
     * Scale-out signals of a rank.
     *
     * @param geometry sizes.
     * @return count.
     */
    public static int outCount(final Geometry geometry)
    {
        return geometry.nodes() * (1 + OUT_KINDS_PER_CHANNEL_AND_NODE * geometry.channels());
    }

    /**
     * Scale-up signals of a rank.
     *
     * @param geometry sizes.
     * @return count.
     */
    public static int upCount(final Geometry geometry)
    {
        return upBase(geometry, 6) + STAGED_KINDS_PER_CHANNEL_AND_NODE * geometry.channels() * geometry.nodes();
    }

    /**
     * Notify messages from a node.
     *
     * @param node source.
     * @return index among the scale-out signals.
     */
    public static int notifyOut(final int node)
    {
        return node;
    }

    /**
     * Lane metas from a node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param node     source.
     * @return index among the scale-out signals.
     */
    public static int laneOut(final Geometry geometry, final int channel, final int node)
    {
        return out(geometry, 0, channel, node);
    }

    /**
     * Rows of dispatch produced by a node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param node     source.
     * @return index among the scale-out signals.
     */
    public static int dispatchTailOut(final Geometry geometry, final int channel, final int node)
    {
        return out(geometry, 1, channel, node);
    }

    /**
     * Rows of dispatch consumed by a node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param node     destination.
     * @return index among the scale-out signals.
     */
    public static int dispatchHeadOut(final Geometry geometry, final int channel, final int node)
    {
        return out(geometry, 2, channel, node);
    }

    /**
     * Partial sums produced by a node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param node     where the experts are.
     * @return index among the scale-out signals.
     */
    public static int combineTailOut(final Geometry geometry, final int channel, final int node)
    {
        return out(geometry, 3, channel, node);
    }

    /**
     * Partial sums consumed by a home node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param node     home.
     * @return index among the scale-out signals.
     */
    public static int combineHeadOut(final Geometry geometry, final int channel, final int node)
    {
        return out(geometry, 4, channel, node);
    }

    /**
     * Notify messages from a local rank.
     *
     * @param local source.
     * @return index among the scale-up signals.
     */
    public static int notifyUp(final int local)
    {
        return local;
    }

    /**
     * What a rank of the node exposes, a message a call.
     *
     * @param geometry sizes.
     * @param local    who exposes.
     * @return index.
     */
    public static int exposureUp(final Geometry geometry, final int local)
    {
        return geometry.locals() + local;
    }

    /**
     * Rows of dispatch produced by a forwarder.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param local    forwarder.
     * @return index among the scale-up signals.
     */
    public static int dispatchTailUp(final Geometry geometry, final int channel, final int local)
    {
        return upBase(geometry, 0) + channel * geometry.locals() + local;
    }

    /**
     * Rows of dispatch consumed by a local rank.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param local    receiver.
     * @return index among the scale-up signals.
     */
    public static int dispatchHeadUp(final Geometry geometry, final int channel, final int local)
    {
        return upBase(geometry, 1) + channel * geometry.locals() + local;
    }

    /**
     * Rows of dispatch that a forwarder put to their final places by kept lists, past the ring, and 1 for their scales.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param local    forwarder.
     * @return index among the scale-up signals.
     */
    public static int dispatchListedUp(final Geometry geometry, final int channel, final int local)
    {
        return upBase(geometry, 2) + channel * geometry.locals() + local;
    }

    /**
     * Lane metas from a forwarder about a source node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param local    forwarder.
     * @param node     source.
     * @return index among the scale-up signals.
     */
    public static int laneUp(final Geometry geometry, final int channel, final int local, final int node)
    {
        return upBase(geometry, 3) + (channel * geometry.locals() + local) * geometry.nodes() + node;
    }

    /**
     * Rows of combine produced by a local rank for a home node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param local    expert's rank.
     * @param node     home.
     * @return index among the scale-up signals.
     */
    public static int combineTailUp(final Geometry geometry, final int channel, final int local, final int node)
    {
        return upBase(geometry, 4) + (channel * geometry.locals() + local) * geometry.nodes() + node;
    }

    /**
     * Rows of combine consumed by a forwarder for a home node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param local    forwarder.
     * @param node     home.
     * @return index among the scale-up signals.
     */
    public static int combineHeadUp(final Geometry geometry, final int channel, final int local, final int node)
    {
        return upBase(geometry, 5) + (channel * geometry.locals() + local) * geometry.nodes() + node;
    }

    /**
     * Rows of dispatch that this rank has copied to its own host memory for a node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param node     destination.
     * @return index among the scale-up signals.
     */
    public static int dispatchStagedOut(final Geometry geometry, final int channel, final int node)
    {
        return staged(geometry, 0, channel, node);
    }

    /**
     * Partial sums that this rank has copied to its own host memory for a home node.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param node     home.
     * @return index among the scale-up signals.
     */
    public static int combineStagedOut(final Geometry geometry, final int channel, final int node)
    {
        return staged(geometry, 1, channel, node);
    }

    /**
     * Partial sums from a node that this rank has copied from its own host memory.
     *
     * @param geometry sizes.
     * @param channel  lane.
     * @param node     where the experts are.
     * @return index among the scale-up signals.
     */
    public static int combineStagedIn(final Geometry geometry, final int channel, final int node)
    {
        return staged(geometry, 2, channel, node);
    }

    private static int staged(final Geometry geometry, final int kind, final int channel, final int node)
    {
        return upBase(geometry, 6) + (kind * geometry.channels() + channel) * geometry.nodes() + node;
    }

    private static int out(final Geometry geometry, final int kind, final int channel, final int node)
    {
        return geometry.nodes() * (1 + kind * geometry.channels() + channel) + node;
    }

    /** Kinds 0 to 2 have an entry per (channel, local rank), the others one per (channel, local rank, node). */
    private static int upBase(final Geometry geometry, final int kind)
    {
        final int lanes = geometry.channels() * geometry.locals();
        return 2 * geometry.locals() + lanes * Math.min(kind, 3) + lanes * geometry.nodes() * Math.max(0, kind - 3);
    }
}
