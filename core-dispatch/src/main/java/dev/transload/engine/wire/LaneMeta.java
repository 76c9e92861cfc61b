/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.wire;

import dev.transload.engine.world.Geometry;

/**
 * What a channel announces ahead of its rows. Between nodes: G starts and G ends (rows of this source rank to local
 * rank d in the channels before, and up to and including this one), node start and node end (likewise for rows to the
 * node), E, E/N expert starts. Within a node, about one source node: start, end, path of the rows, how many entries
 * pass the scale-up ring, L expert starts of the destination.
 */
public final class LaneMeta
{
    /** Place of the start within a node. */
    public static final int UP_START = 0;

    /** Place of the end within a node. */
    public static final int UP_END = Integer.BYTES;

    /** Place of the path within a node, one of those below. */
    public static final int UP_PATH = 2 * Integer.BYTES;

    /** Place of the number of entries that pass the scale-up ring, within a node. */
    public static final int UP_ENTRIES = 3 * Integer.BYTES;

    /** Path of rows whose metadata pass the scale-up ring, an entry a row, with payload or while that is put. */
    public static final int PATH_RING = 0;

    /** Path of rows that are put to their places by lists; an entry for each of the source's rows passes the ring. */
    public static final int PATH_LIST = 1;

    /** Path of rows that are put to their places by lists, without metadata: nothing passes the ring. */
    public static final int PATH_REPLAY = 2;

    /** Path of rows that are put to their places by lists; being few, only they have entries that pass the ring. */
    public static final int PATH_SIFTED = 3;

    private static final int UP_EXPERTS = 4 * Integer.BYTES;

    private LaneMeta()
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
        return Geometry.align(outBytes(geometry, geometry.maxLocalExperts() * geometry.locals()), Long.SIZE);
    }

    /**
     * Room for a message within a node.
     *
     * @param geometry sizes.
     * @return bytes.
     */
    public static long upStride(final Geometry geometry)
    {
        return Geometry.align(upBytes(geometry.maxLocalExperts()), Long.SIZE);
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
        return expertStart(geometry, expertsPerNode);
    }

    /**
     * Length of a message within a node.
     *
     * @param localExperts L of the call.
     * @return bytes.
     */
    public static int upBytes(final int localExperts)
    {
        return expertStartUp(localExperts);
    }

    /**
     * Place of a rank's start.
     *
     * @param local destination.
     * @return bytes from the start of the message.
     */
    public static int rankStart(final int local)
    {
        return local * Integer.BYTES;
    }

    /**
     * Place of a rank's end.
     *
     * @param geometry sizes.
     * @param local    destination.
     * @return bytes from the start of the message.
     */
    public static int rankEnd(final Geometry geometry, final int local)
    {
        return (geometry.locals() + local) * Integer.BYTES;
    }

    /**
     * Place of the node's start.
     *
     * @param geometry sizes.
     * @return bytes from the start of the message.
     */
    public static int nodeStart(final Geometry geometry)
    {
        return 2 * geometry.locals() * Integer.BYTES;
    }

    /**
     * Place of the node's end.
     *
     * @param geometry sizes.
     * @return bytes from the start of the message.
     */
    public static int nodeEnd(final Geometry geometry)
    {
        return nodeStart(geometry) + Integer.BYTES;
    }

    /**
     * Place of E: what follows depends on it, and no notify message may have been compared yet.
     *
     * @param geometry sizes.
     * @return bytes from the start of the message.
     */
    public static int experts(final Geometry geometry)
    {
        return nodeEnd(geometry) + Integer.BYTES;
    }

    /**
     * Place of an expert's start between nodes.
     *
     * @param geometry   sizes.
     * @param nodeExpert index among the experts of the destination node.
     * @return bytes from the start of the message.
     */
    public static int expertStart(final Geometry geometry, final int nodeExpert)
    {
        return experts(geometry) + (1 + nodeExpert) * Integer.BYTES;
    }

    /**
     * Place of an expert's start within a node.
     *
     * @param expert local expert of the destination.
     * @return bytes from the start of the message.
     */
    public static int expertStartUp(final int expert)
    {
        return UP_EXPERTS + expert * Integer.BYTES;
    }
}
