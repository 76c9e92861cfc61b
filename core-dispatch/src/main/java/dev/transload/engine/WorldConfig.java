/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Number of ranks of each node. Ranks are numbered node by node. Some ranks may be absent, e.g. because they were lost:
 * they keep their numbers and their experts, but take part in no call.
 *
 * @param ranksOfNodes for each node, its number of ranks G, at least 1; absent ranks count.
 * @param absent       ranks that take no part.
 */
public record WorldConfig(List<Integer> ranksOfNodes, Set<Integer> absent)
{
    /** Creates a world with checked copies of the collections. */
    public WorldConfig
    {
        ranksOfNodes = List.copyOf(ranksOfNodes);
        if (ranksOfNodes.isEmpty() || Collections.min(ranksOfNodes) < 1)
        {
            throw new IllegalArgumentException(
                "world of nodes with " + ranksOfNodes + " ranks: must be one node at least, each of one rank at least");
        }

        final int size = ranksOfNodes.stream().reduce(0, Math::addExact);
        final TreeSet<Integer> missing = new TreeSet<>(absent);
        if (!missing.isEmpty() && (missing.first() < 0 || missing.last() >= size || missing.size() == size))
        {
            throw new IllegalArgumentException("absent ranks " + missing + " of " + size +
                " are not allowed: each must be in [0, " + size + "), and one rank at least must be present");
        }

        absent = Collections.unmodifiableSortedSet(missing);
    }

    /**
     * Creates a world in which all ranks are present.
     *
     * @param ranksOfNodes for each node, its number of ranks G, at least 1.
     */
    public WorldConfig(final List<Integer> ranksOfNodes)
    {
        this(ranksOfNodes, Set.of());
    }

    /**
     * Returns this world with more absent ranks. After a {@link GroupChangedException}, an engine of
     * {@code world.without(exception.dead())} goes on without the lost ranks.
     *
     * @param ranks ranks that take no part.
     * @return world with the same numbers of ranks and nodes.
     */
    public WorldConfig without(final Collection<Integer> ranks)
    {
        final Set<Integer> all = new TreeSet<>(absent);
        all.addAll(ranks);
        return new WorldConfig(ranksOfNodes, all);
    }

    /**
     * Returns this world with other present ranks. All other ranks are absent.
     *
     * @param ranks ranks that take part.
     * @return world with the same numbers of ranks and nodes.
     */
    public WorldConfig only(final Collection<Integer> ranks)
    {
        return new WorldConfig(ranksOfNodes, IntStream.range(0, size()).filter((rank) -> !ranks.contains(rank))
            .boxed().collect(Collectors.toSet()));
    }

    /**
     * Returns the ranks that take part.
     *
     * @return ranks, ascending.
     */
    public List<Integer> present()
    {
        return IntStream.range(0, size()).filter((rank) -> !absent.contains(rank)).boxed().toList();
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
     * Returns the number of ranks, including absent ranks.
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
            (1 == mostRanks() ? " rank" : " ranks") + (absent.isEmpty() ? "" : " without " + absent);
    }
}
