/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Place of a rank in a world of {@code nodes × ranksPerNode} ranks: rank r is on node r / G with local rank r % G.
 *
 * @param nodes        N, at least 1.
 * @param ranksPerNode G, at least 1.
 * @param rank         own rank in [0, N·G).
 */
public record World(int nodes, int ranksPerNode, int rank)
{
    /** Checks the place. */
    public World
    {
        if (nodes < 1 || ranksPerNode < 1)
        {
            throw new IllegalArgumentException(
                "world of " + nodes + " nodes x " + ranksPerNode + " ranks: both must be at least 1");
        }

        if (rank < 0 || rank >= Math.multiplyExact(nodes, ranksPerNode))
        {
            throw new IllegalArgumentException(
                "rank = " + rank + " is not allowed: must be in [0, " + nodes * ranksPerNode + ")");
        }
    }

    /**
     * Number of ranks.
     *
     * @return P = N·G.
     */
    public int size()
    {
        return nodes * ranksPerNode;
    }

    /**
     * Own node.
     *
     * @return in [0, N).
     */
    public int node()
    {
        return rank / ranksPerNode;
    }

    /**
     * Own local rank.
     *
     * @return in [0, G).
     */
    public int local()
    {
        return rank % ranksPerNode;
    }

    /**
     * Rank at a place.
     *
     * @param node  in [0, N).
     * @param local in [0, G).
     * @return rank.
     */
    public int rankAt(final int node, final int local)
    {
        return node * ranksPerNode + local;
    }

    /**
     * Node of a rank.
     *
     * @param of rank in [0, P).
     * @return in [0, N).
     */
    public int nodeOf(final int of)
    {
        return of / ranksPerNode;
    }

    /**
     * Local rank of a rank.
     *
     * @param of rank in [0, P).
     * @return in [0, G) of its node.
     */
    public int localOf(final int of)
    {
        return of % ranksPerNode;
    }

    /**
     * First rank of a node.
     *
     * @param node in [0, N).
     * @return rank.
     */
    public int first(final int node)
    {
        return node * ranksPerNode;
    }

    /**
     * Ranks of a node.
     *
     * @param node in [0, N).
     * @return G of the node.
     */
    public int ranksOf(final int node)
    {
        return ranksPerNode;
    }
}
