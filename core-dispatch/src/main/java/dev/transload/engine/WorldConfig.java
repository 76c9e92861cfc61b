/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Number of ranks of each node. Ranks are numbered node by node.
 *
 * @param ranksOfNodes for each node, its number of ranks G, at least 1.
 */
public record WorldConfig(List<Integer> ranksOfNodes)
{
    /** Creates a world with a checked copy of the list. */
    public WorldConfig
    {
        ranksOfNodes = List.copyOf(ranksOfNodes);
        if (ranksOfNodes.isEmpty() || Collections.min(ranksOfNodes) < 1)
        {
            throw new IllegalArgumentException(
                "world of nodes with " + ranksOfNodes + " ranks: must be one node at least, each of one rank at least");
        }

        ranksOfNodes.stream().reduce(0, Math::addExact);
    }

    /**
     * Creates a world whose nodes all have the same number of ranks.
     *
     * @param nodes        N, number of nodes, at least 1.
     * @param ranksPerNode G, number of ranks of each node, at least 1.
     * @return world.
     */
    public static WorldConfig of(final int nodes, final int ranksPerNode)
    {
        if (nodes < 1 || ranksPerNode < 1)
        {
            throw new IllegalArgumentException(
                "world of " + nodes + " nodes x " + ranksPerNode + " ranks: both must be at least 1");
        }

        return new WorldConfig(Collections.nCopies(nodes, ranksPerNode));
    }

    /**
     * Returns the number of nodes.
     *
     * @return N.
     */
    public int nodes()
    {
        return ranksOfNodes.size();
    }

    /**
     * Returns the number of ranks.
     *
     * @return P.
     */
    public int size()
    {
        return ranksOfNodes.stream().mapToInt(Integer::intValue).sum();
    }

    /**
     * Returns the number of ranks of the largest node.
     *
     * @return number of ranks.
     */
    public int mostRanks()
    {
        return Collections.max(ranksOfNodes);
    }

    /**
     * Returns whether all nodes have the same number of ranks.
     *
     * @return true if the numbers are equal.
     */
    public boolean isEven()
    {
        return mostRanks() == Collections.min(ranksOfNodes);
    }

    /**
     * Returns the largest number of streams of one channel that one rank receives: the rank's own stream, and its share
     * of the streams that ranks of the other nodes send.
     *
     * @return number of streams, equal to the number of nodes if all nodes have the same number of ranks.
     */
    public int mostStreams()
    {
        final int least = Collections.min(ranksOfNodes);
        // Nobody relays more than a rank of the smallest node, which counts as 1 among these itself.
        return ranksOfNodes.stream().mapToInt((ranks) -> (ranks + least - 1) / least).sum();
    }

    /**
     * Returns the smallest number of channels with which every rank of the largest node relays rows from some rank of
     * the smallest node.
     *
     * @return number of ranks of the largest node divided by that of the smallest node, rounded up.
     */
    public int advisedChannels()
    {
        final int least = Collections.min(ranksOfNodes);
        return (mostRanks() + least - 1) / least;
    }

    /**
     * Returns the numbers of ranks of the nodes, in the form of the key {@code transload.ranks-per-node}.
     *
     * @return one number for all nodes, or one for each node, e.g. {@code 8,8,4}.
     */
    public String ranksPerNode()
    {
        return isEven() ? String.valueOf(mostRanks()) :
            ranksOfNodes.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    @Override
    public String toString()
    {
        return nodes() + (1 == nodes() ? " node x " : " nodes x ") + ranksPerNode() +
            (1 == mostRanks() ? " rank" : " ranks");
    }
}
