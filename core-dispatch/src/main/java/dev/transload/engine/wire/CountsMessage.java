/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.wire;

import dev.transload.engine.world.Geometry;

/**
 * The two notify messages. Between nodes, from a rank to its relay on a node: {@link CallHeader}, G rank counts, E/N
 * expert counts, one node count. Within a node, to local rank d: header, N counts (rows from the same-rail peer of the
 * sender on node i to rank d), N·L counts (of those, per local expert of d). Calls without counts send the header.
 */
public final class CountsMessage
{
    private CountsMessage()
    {
    }

    /**
     * Room for a message between nodes.
     *
     * @param geometry sizes.
     * @return bytes.
     */
    public static long outStride(final Geometry geometry)
    {
        return Geometry.align(
            outBytes(geometry, geometry.maxLocalExperts() * geometry.locals()), Long.SIZE);
    }

    /**
     * Room for a message within a node.
     *
     * @param geometry sizes.
     * @return bytes.
     */
    public static long upStride(final Geometry geometry)
    {
        return Geometry.align(upBytes(geometry, geometry.maxLocalExperts()), Long.SIZE);
    }

    /**
     * Length of a message between nodes.
     *
     * @param geometry       sizes.
     * @param expertsPerNode E/N of the call.
     * @return bytes.
     */
    public static int outBytes(final Geometry geometry, final int expertsPerNode)
    {
        return nodeCount(geometry, expertsPerNode) + Integer.BYTES;
    }

    /**
     * Length of a message within a node.
     *
     * @param geometry     sizes.
     * @param localExperts L of the call.
     * @return bytes.
     */
    public static int upBytes(final Geometry geometry, final int localExperts)
    {
        return expertCountUp(geometry, localExperts, geometry.nodes(), 0);
    }

    /**
     * Place of a rank count between nodes.
     *
     * @param local destination.
     * @return bytes from the start of the message.
     */
    public static int rankCount(final int local)
    {
        return CallHeader.BYTES + local * Integer.BYTES;
    }

    /**
     * Place of an expert count between nodes.
     *
     * @param geometry   sizes.
     * @param nodeExpert index among the experts of the destination node.
     * @return bytes from the start of the message.
     */
    public static int expertCount(final Geometry geometry, final int nodeExpert)
    {
        return rankCount(geometry.locals()) + nodeExpert * Integer.BYTES;
    }

    /**
     * Place of the node count.
     *
     * @param geometry       sizes.
     * @param expertsPerNode E/N of the call.
     * @return bytes from the start of the message.
     */
    public static int nodeCount(final Geometry geometry, final int expertsPerNode)
    {
        return expertCount(geometry, expertsPerNode);
    }

    /**
     * Place of a rank count within a node.
     *
     * @param node source.
     * @return bytes from the start of the message.
     */
    public static int rankCountUp(final int node)
    {
        return CallHeader.BYTES + node * Integer.BYTES;
    }

    /**
     * Place of an expert count within a node.
     *
     * @param geometry     sizes.
     * @param localExperts L of the call.
     * @param node         source.
     * @param expert       local expert of the destination.
     * @return bytes from the start of the message.
     */
    public static int expertCountUp(
        final Geometry geometry, final int localExperts, final int node, final int expert)
    {
        return rankCountUp(geometry.nodes()) + (node * localExperts + expert) * Integer.BYTES;
    }
}
