/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * A rank's place in a world of nodes. Nodes may have different numbers of ranks, and ranks are numbered node by node. N
 * is the number of nodes, P the number of ranks, and G the number of ranks of a node.
 */
public final class World
{
    private final int rank;
    private final int[] first;
    private final int[] nodes;
    private final boolean[] isAbsent;

    /**
     * Creates the place of a rank in a given world.
     *
     * @param config number of ranks of each node, and absent ranks.
     * @param rank   this rank, in [0, P), which must be present.
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

        this.isAbsent = new boolean[nodes.length];
        config.absent().forEach((absent) -> isAbsent[absent] = true);
        if (isAbsent[rank])
        {
            throw new IllegalArgumentException(
                "rank = " + rank + " is not allowed: ranks " + config.absent() + " are absent");
        }
    }

    /**
     * Creates the place of a rank in a world whose nodes all have the same number of ranks.
     *
     * @param nodes        N, number of nodes, at least 1.
     * @param ranksPerNode G, number of ranks of each node, at least 1.
     * @param rank         this rank, in [0, N·G).
     */
    public World(final int nodes, final int ranksPerNode, final int rank)
    {
        this(WorldConfig.of(nodes, ranksPerNode), rank);
    }

    /**
     * Returns this rank.
     *
     * @return rank in [0, P).
     */
    public int rank()
    {
        return rank;
    }

    /**
     * Returns the number of nodes.
     *
     * @return N.
     */
    public int nodes()
    {
        return first.length - 1;
    }

    /**
     * Returns the number of ranks, including absent ranks.
     *
     * @return P.
     */
    public int size()
    {
        return nodes.length;
    }

    /**
     * Returns whether a rank takes part. An absent rank keeps its number, its place and its experts.
     *
     * @param of rank in [0, P).
     * @return false if the rank is absent.
     */
    public boolean isPresent(final int of)
    {
        return !isAbsent[of];
    }

    /**
     * Returns whether some rank of a node takes part.
     *
     * @param node node in [0, N).
     * @return false if all ranks of the node are absent.
     */
    public boolean hasRanks(final int node)
    {
        for (int of = first[node]; of < first[node + 1]; of++)
        {
            if (!isAbsent[of])
            {
                return true;
            }
        }

        return false;
    }

    /**
     * Returns the node of this rank.
     *
     * @return node in [0, N).
     */
    public int node()
    {
        return nodes[rank];
    }

    /**
     * Returns the local rank of this rank.
     *
     * @return local rank, in [0, number of ranks of its node).
     */
    public int local()
    {
        return localOf(rank);
    }

    /**
     * Returns the rank that has a given local rank on a given node.
     *
     * @param node  node in [0, N).
     * @param local local rank, in [0, number of ranks of the node).
     * @return rank in [0, P).
     */
    public int rankAt(final int node, final int local)
    {
        return first[node] + local;
    }

    /**
     * Returns the node of a rank.
     *
     * @param of rank in [0, P).
     * @return node in [0, N).
     */
    public int nodeOf(final int of)
    {
        return nodes[of];
    }

    /**
     * Returns the local rank of a rank.
     *
     * @param of rank in [0, P).
     * @return local rank, in [0, number of ranks of its node).
     */
    public int localOf(final int of)
    {
        return of - first[nodes[of]];
    }

    /**
     * Returns the first rank of a node, which may be absent.
     *
     * @param node node in [0, N).
     * @return rank in [0, P).
     */
    public int first(final int node)
    {
        return first[node];
    }

    /**
     * Returns the number of ranks of a node, including absent ranks.
     *
     * @param node node in [0, N).
     * @return number of ranks.
     */
    public int ranksOf(final int node)
    {
        return first[node + 1] - first[node];
    }
}
