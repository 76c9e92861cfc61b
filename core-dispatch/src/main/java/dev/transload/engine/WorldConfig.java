/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How many ranks each node has. Ranks are numbered node by node.
 *
 * @param ranksOfNodes G by node, each at least 1.
 */
public record WorldConfig(List<Integer> ranksOfNodes)
{
    /** Copies the list and checks it. */
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
     * Nodes that have as many ranks.
     *
     * @param nodes        N, at least 1.
     * @param ranksPerNode G of each, at least 1.
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
     * Number of nodes.
     *
     * @return N.
     */
    public int nodes()
    {
        return ranksOfNodes.size();
    }

    /**
     * Number of ranks.
     *
     * @return P.
     */
    public int size()
    {
        return ranksOfNodes.stream().mapToInt(Integer::intValue).sum();
    }

    /**
     * Ranks of the largest node.
     *
     * @return greatest G.
     */
    public int mostRanks()
    {
        return Collections.max(ranksOfNodes);
    }

    /**
     * Whether all nodes have as many ranks.
     *
     * @return true for N x G.
     */
    public boolean isEven()
    {
        return mostRanks() == Collections.min(ranksOfNodes);
    }

    /**
     * Most streams of a channel that meet at one rank: its own one, and of every other node as many as its node's ranks
     * leave to each.
     *
     * @return count, N where all nodes have as many ranks.
     */
    public int mostStreams()
    {
        final int least = Collections.min(ranksOfNodes);
        // Nobody relays more than a rank of the smallest node, which counts as 1 among these itself.
        return ranksOfNodes.stream().mapToInt((ranks) -> (ranks + least - 1) / least).sum();
    }

    /**
     * Channels from which on every rank of the largest node is a peer of some rank of the smallest one.
     *
     * @return greatest G by the least, rounded up.
     */
    public int advisedChannels()
    {
        final int least = Collections.min(ranksOfNodes);
        return (mostRanks() + least - 1) / least;
    }

    /**
     * Value of {@code transload.ranks-per-node}.
     *
     * @return a number, or one for each node: {@code 8,8,4}.
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
