/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.internal.world.Geometry;

/**
 * Index of every signal, a function of the geometry alone, equal on all ranks; each is written by one channel. Of the
 * scale-out stage those of a stream (see
 * {@link dev.transload.engine.internal.world.Relays}) are the relay's, those of a node
 * the source's, which is the home of combined rows. Those of rows that are staged are written by the rank itself.
 */
public final class SignalMap
{
    /** Kinds of scale-out signals a (channel, stream), and a (channel, node). */
    private static final int OUT_KINDS = 3;
    /** Kinds of scale-up signals a (channel, local rank, stream). */
    private static final int UP_KINDS = 6;
    /** Kinds of signals of staged rows a (channel, node). */
    private static final int STAGED_KINDS = 4;

    private SignalMap()
    {
    }

    /** Scale-out signals of a rank. */
    public static int outCount(final Geometry geometry)
    {
        return confirmedOut(geometry, geometry.world().size());
    }

    /** Scale-up signals of a rank. */
    public static int upCount(final Geometry geometry)
    {
        return confirmedUp(geometry, geometry.mostLocals());
    }

    /** Notify messages of a source rank. */
    public static int notifyOut(final int source)
    {
        return source;
    }

    /**
     * Metadata blocks that came for a stream.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-out signals.
     */
    public static int blocksOut(final Geometry geometry, final int channel, final int stream)
    {
        return out(geometry, 0, geometry.stream(channel, stream));
    }

    /**
     * Rows that came for a stream.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-out signals.
     */
    public static int rowsOut(final Geometry geometry, final int channel, final int stream)
    {
        return out(geometry, 1, geometry.stream(channel, stream));
    }

    /**
     * Partial sums of a stream that its home has consumed.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-out signals.
     */
    public static int sumHeadOut(final Geometry geometry, final int channel, final int stream)
    {
        return out(geometry, 2, geometry.stream(channel, stream));
    }

    /** Metadata blocks that a node has consumed. */
    public static int blockHeadOut(final Geometry geometry, final int channel, final int node)
    {
        return outOfNode(geometry, 0, channel, node);
    }

    /** Rows of dispatch that a node has consumed. */
    public static int rowHeadOut(final Geometry geometry, final int channel, final int node)
    {
        return outOfNode(geometry, 1, channel, node);
    }

    /** Partial sums that came from a node. */
    public static int sumsOut(final Geometry geometry, final int channel, final int node)
    {
        return outOfNode(geometry, 2, channel, node);
    }

    /** Notify messages of a local rank. */
    public static int notifyUp(final int local)
    {
        return local;
    }

    /** What a rank of the node exposes, a message a call. */
    public static int clearToSend(final Geometry geometry, final int local)
    {
        return geometry.mostLocals() + local;
    }

    /**
     * Metadata blocks of a stream that its relay hands on.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-up signals.
     */
    public static int blocksUp(final Geometry geometry, final int channel, final int local, final int stream)
    {
        return up(geometry, 0, geometry.streamUp(channel, local, stream));
    }

    /**
     * Rows of dispatch of a stream that its relay hands on.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-up signals.
     */
    public static int rowsUp(final Geometry geometry, final int channel, final int local, final int stream)
    {
        return up(geometry, 1, geometry.streamUp(channel, local, stream));
    }

    /**
     * Rows of combine of a stream that its relay has read.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-up signals.
     */
    public static int returnHeadUp(final Geometry geometry, final int channel, final int local, final int stream)
    {
        return up(geometry, 2, geometry.streamUp(channel, local, stream));
    }

    /**
     * Metadata blocks of an own stream that a rank of the node has read.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-up signals.
     */
    public static int blockHeadUp(final Geometry geometry, final int channel, final int local, final int stream)
    {
        return up(geometry, 3, geometry.streamUp(channel, local, stream));
    }

    /**
     * Rows of dispatch of an own stream that a rank of the node has taken from its ring.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-up signals.
     */
    public static int rowHeadUp(final Geometry geometry, final int channel, final int local, final int stream)
    {
        return up(geometry, 4, geometry.streamUp(channel, local, stream));
    }

    /**
     * Rows of combine that a rank of the node returns for an own stream.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-up signals.
     */
    public static int returnsUp(final Geometry geometry, final int channel, final int local, final int stream)
    {
        return up(geometry, 5, geometry.streamUp(channel, local, stream));
    }

    /** Rows of dispatch that this rank has copied to its own host memory for a node. */
    public static int stagedOut(final Geometry geometry, final int channel, final int node)
    {
        return staged(geometry, 0, channel, node);
    }

    /** Partial sums that this rank has copied to its own host memory for a stream's home. */
    public static int stagedSumsOut(final Geometry geometry, final int channel, final int node)
    {
        return staged(geometry, 1, channel, node);
    }

    /** Partial sums from a node that this rank has copied from its own host memory. */
    public static int stagedSumsIn(final Geometry geometry, final int channel, final int node)
    {
        return staged(geometry, 2, channel, node);
    }

    /**
     * Rows of dispatch of a stream that this rank has copied from its own host memory.
     *
     * @param stream of the relay in the channel.
     * @return index among the scale-up signals.
     */
    public static int stagedIn(final Geometry geometry, final int channel, final int stream)
    {
        return staged(geometry, 3, channel, stream);
    }

    /** Calls with which the node of a source rank is done. */
    public static int confirmedOut(final Geometry geometry, final int source)
    {
        return outOfNode(geometry, OUT_KINDS, 0, 0) + source;
    }

    /** Rounds in which a local rank has said that it, or that its nodes, are done with calls. */
    public static int confirmedUp(final Geometry geometry, final int local)
    {
        return staged(geometry, STAGED_KINDS, 0, 0) + local;
    }

    private static int out(final Geometry geometry, final int kind, final int stream)
    {
        return geometry.world().size() + kind * geometry.channels() * geometry.streams() + stream;
    }

    private static int outOfNode(final Geometry geometry, final int kind, final int channel, final int node)
    {
        return out(geometry, OUT_KINDS, 0) + (kind * geometry.channels() + channel) * geometry.nodes() + node;
    }

    private static int up(final Geometry geometry, final int kind, final int stream)
    {
        return 2 * geometry.mostLocals() +
            kind * geometry.channels() * geometry.mostLocals() * geometry.streams() + stream;
    }

    private static int staged(final Geometry geometry, final int kind, final int channel, final int index)
    {
        final int most = Math.max(geometry.nodes(), geometry.streams());
        return up(geometry, UP_KINDS, 0) + (kind * geometry.channels() + channel) * most + index;
    }
}
