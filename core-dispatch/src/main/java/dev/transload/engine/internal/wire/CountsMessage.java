/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import dev.transload.engine.internal.world.Geometry;

/**
 * The two notify messages of a dispatch (other calls send the header alone). Between nodes, from a source to one rank
 * of each node: {@link CallHeader}; for each channel the rows of its stream to the node, then of those the rows to each
 * of the node's ranks; for each expert of the node its rows. Within a node, to local rank d: header; for each source
 * whose counts the sender heard and each channel, the rows of the stream to the node, and the rows to d; then for each
 * local expert of d its rows from the source. Words are encoded, see {@link EncodedWord}.
 */
public final class CountsMessage
{
    private CountsMessage()
    {
    }

    /**
     * Room for a message between nodes.
     *
     * @return bytes.
     */
    public static long outStride(final Geometry geometry)
    {
        return Geometry.align(outBytes(geometry, geometry.maxLocalExperts() * geometry.mostLocals()), Long.SIZE);
    }

    /**
     * Room for a message within a node.
     *
     * @return bytes.
     */
    public static long upStride(final Geometry geometry)
    {
        return Geometry.align(
            upBytes(geometry, geometry.relays().mostSources(), geometry.maxLocalExperts()), Long.SIZE);
    }

    /**
     * Length of a message between nodes.
     *
     * @param nodeExperts experts of the destination node.
     */
    public static int outBytes(final Geometry geometry, final int nodeExperts)
    {
        return expertRows(geometry, nodeExperts);
    }

    /**
     * Length of a message within a node.
     *
     * @param localExperts L of the call.
     */
    public static int upBytes(final Geometry geometry, final int sources, final int localExperts)
    {
        return source(geometry, localExperts, sources);
    }

    /**
     * Place of the rows of a channel to the node, between nodes.
     *
     * @return bytes from the start of the message.
     */
    public static int streamRows(final Geometry geometry, final int channel)
    {
        return CallHeader.BYTES + channel * (1 + geometry.mostLocals()) * Integer.BYTES;
    }

    /**
     * Place of the rows of a channel to a rank, between nodes.
     *
     * @return bytes from the start of the message.
     */
    public static int rankRows(final Geometry geometry, final int channel, final int local)
    {
        return streamRows(geometry, channel) + (1 + local) * Integer.BYTES;
    }

    /**
     * Place of the rows to an expert, between nodes.
     *
     * @param nodeExpert index among the experts of the destination node.
     * @return bytes from the start of the message.
     */
    public static int expertRows(final Geometry geometry, final int nodeExpert)
    {
        return streamRows(geometry, geometry.channels()) + nodeExpert * Integer.BYTES;
    }

    /**
     * Place of what is told of a source, within a node: for each channel the rows to the node, then those to the
     * destination.
     *
     * @param localExperts L of the call.
     * @param index        of the source among those that the sender tells of.
     * @return bytes from the start of the message.
     */
    public static int source(final Geometry geometry, final int localExperts, final int index)
    {
        return CallHeader.BYTES + index * (2 * geometry.channels() + localExperts) * Integer.BYTES;
    }

    /**
     * Place of the rows to a local expert of the destination, in what is told of a source.
     *
     * @return bytes from the source's place.
     */
    public static int expertOfSource(final Geometry geometry, final int expert)
    {
        return (2 * geometry.channels() + expert) * Integer.BYTES;
    }
}
