/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Place of a rank in a world of nodes, which need not have as many ranks. Ranks are numbered node by node. */
public final class World
{
    private final int rank;
    private final int[] first;
    private final int[] nodes;

    /**
     * A place.
     *
     * @param config ranks of the nodes.
     * @param rank   own rank in [0, P).
     */
    public World(final WorldConfig config, final int rank)
    {
        this.rank = rank;
        this.first = new int[config.nodes() + 1];
        this.nodes = new int[config.size()];
        for (int node = 0, next = 0; node < config.nodes(); node++)
        {
            for (int local = 0; local < config.ranksOfNodes().get(node); local++)
            {
                nodes[next++] = node;
            }

            first[node + 1] = next;
        }

        if (rank < 0 || rank >= nodes.length)
        {
            throw new IllegalArgumentException(
                "rank = " + rank + " is not allowed: must be in [0, " + nodes.length + ")");
        }
    }

    /**
     * A place among nodes that have as many ranks.
     *
     * @param nodes        N, at least 1.
     * @param ranksPerNode G, at least 1.
     * @param rank         own rank in [0, N·G).
     */
    public World(final int nodes, final int ranksPerNode, final int rank)
    {
        this(WorldConfig.of(nodes, ranksPerNode), rank);
    }

    /**
     * Own rank.
     *
     * @return in [0, P).
     */
    public int rank()
    {
        return rank;
    }

    /**
     * Number of nodes.
     *
     * @return N.
     */
    public int nodes()
    {
        return first.length - 1;
    }

    /**
     * Number of ranks.
     *
     * @return P.
     */
    public int size()
    {
        return nodes.length;
    }

    /**
     * Own node.
     *
     * @return in [0, N).
     */
    public int node()
    {
        return nodes[rank];
    }

    /**
     * Own local rank.
     *
     * @return in [0, G) of the own node.
     */
    public int local()
    {
        return localOf(rank);
    }

    /**
     * Rank at a place.
     *
     * @param node  in [0, N).
     * @param local in [0, G) of the node.
     * @return rank.
     */
    public int rankAt(final int node, final int local)
    {
        return first[node] + local;
    }

    /**
     * Node of a rank.
     *
     * @param of rank in [0, P).
     * @return in [0, N).
     */
    public int nodeOf(final int of)
    {
        return nodes[of];
    }

    /**
     * Local rank of a rank.
     *
     * @param of rank in [0, P).
     * @return in [0, G) of its node.
     */
    public int localOf(final int of)
    {
        return of - first[nodes[of]];
    }

    /**
     * First rank of a node.
     *
     * @param node in [0, N).
     * @return rank.
     */
    public int first(final int node)
    {
        return first[node];
    }

    /**
     * Ranks of a node.
     *
     * @param node in [0, N).
     * @return G of the node.
     */
    public int ranksOf(final int node)
    {
        return first[node + 1] - first[node];
    }
}
