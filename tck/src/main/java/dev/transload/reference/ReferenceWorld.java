/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Routing of a complete world, and the layouts derived from it. */
public final class ReferenceWorld
{
    private final int[] firstRanks;
    private final int[] nodeOfRank;
    private final int ranks;
    private final int experts;
    private final int expertsPerRank;
    private final List<Routing> routings;

    /**
     * Creates a world of {@code nodes × ranksPerNode} ranks; rank r is on node r / ranksPerNode.
     *
     * @param nodes        N, number of nodes.
     * @param ranksPerNode G, number of ranks per node.
     * @param experts      number of experts; it is padded to E, a multiple of the number of ranks.
     * @param routings     routing of each rank, all with the same K.
     */
    public ReferenceWorld(
        final int nodes, final int ranksPerNode, final int experts, final List<Routing> routings)
    {
        this(Collections.nCopies(nodes, ranksPerNode), experts, routings);
    }

    /**
     * Creates a world with a separate number of ranks for each node. Ranks are numbered node by node.
     *
     * @param ranksOfNodes number of ranks of each node.
     * @param experts      number of experts; it is padded to E, a multiple of the number of ranks.
     * @param routings     routing of each rank, all with the same K.
     */
    public ReferenceWorld(final List<Integer> ranksOfNodes, final int experts, final List<Routing> routings)
    {
        this.ranks = ranksOfNodes.stream().mapToInt(Integer::intValue).sum();
        this.firstRanks = new int[ranksOfNodes.size() + 1];
        this.nodeOfRank = new int[ranks];
        for (int node = 0; node < ranksOfNodes.size(); node++)
        {
            firstRanks[node + 1] = firstRanks[node] + ranksOfNodes.get(node);
            Arrays.fill(nodeOfRank, firstRanks[node], firstRanks[node + 1], node);
        }

        if (routings.size() != ranks)
        {
            throw new IllegalArgumentException(routings.size() + " routings for " + ranks + " ranks");
        }

        this.expertsPerRank = (experts + ranks - 1) / ranks;
        this.experts = expertsPerRank * ranks;
        this.routings = List.copyOf(routings);
    }

    /**
     * Returns the number of nodes.
     *
     * @return number of nodes N.
     */
    public int nodes()
    {
        return firstRanks.length - 1;
    }

    /**
     * Returns the number of ranks.
     *
     * @return number of ranks P.
     */
    public int ranks()
    {
        return ranks;
    }

    /**
     * Returns the number of experts, including padding.
     *
     * @return number of experts E.
     */
    public int experts()
    {
        return experts;
    }

    /**
     * Returns the routing of a rank.
     *
     * @param rank rank in [0, P).
     * @return routing of the rank's tokens.
     */
    public Routing routing(final int rank)
    {
        return routings.get(rank);
    }

    /**
     * Returns whether the expert of a token's choice is on a rank.
     *
     * @param source source rank of the token.
     * @param token  index of the token on its source rank.
     * @param k      index of the choice, from 0.
     * @param rank   rank to check.
     * @return true if the expert is on the rank.
     */
    public boolean isOn(final int source, final int token, final int k, final int rank)
    {
        final long expert = routings.get(source).expert(token, k);
        return expert >= 0 && expert / expertsPerRank == rank;
    }

    /**
     * Returns whether a token goes to a rank.
     *
     * @param source source rank of the token.
     * @param token  index of the token on its source rank.
     * @param rank   rank to check.
     * @return true if one of the token's experts is on the rank.
     */
    public boolean isInRank(final int source, final int token, final int rank)
    {
        for (int k = 0; k < routings.get(source).topk(); k++)
        {
            if (isOn(source, token, k, rank))
            {
                return true;
            }
        }

        return false;
    }

    /**
     * Returns the layout of a rank's tokens.
     *
     * @param source source rank of the tokens.
     * @return layout of the tokens.
     */
    public ReferenceLayout layout(final int source)
    {
        final Routing routing = routings.get(source);
        final int[] perRank = new int[ranks];
        final int[] perNode = new int[nodes()];
        final int[] perExpert = new int[experts];
        final boolean[][] inRank = new boolean[routing.tokens()][ranks];
        for (int token = 0; token < routing.tokens(); token++)
        {
            final boolean[] inNode = new boolean[nodes()];
            for (int rank = 0; rank < ranks; rank++)
            {
                if (isInRank(source, token, rank))
                {
                    inRank[token][rank] = true;
                    inNode[nodeOfRank[rank]] = true;
                    perRank[rank]++;
                }
            }

            for (int node = 0; node < nodes(); node++)
            {
                perNode[node] += inNode[node] ? 1 : 0;
            }

            for (int k = 0; k < routing.topk(); k++)
            {
                if (routing.expert(token, k) >= 0)
                {
                    perExpert[(int)routing.expert(token, k)]++;
                }
            }
        }

        return new ReferenceLayout(perRank, perNode, perExpert, inRank);
    }

    /**
     * Returns the rows that a rank receives in rank-major order: by source rank, then by token.
     *
     * @param rank      receiving rank.
     * @param alignment multiple to which the number of rows per expert is rounded up.
     * @return expected rows.
     */
    public ReferenceDispatch rankMajor(final int rank, final int alignment)
    {
        final int topk = routings.get(0).topk();
        final RowCollector rows = new RowCollector(topk);
        final int[] prefixSum = new int[ranks];
        final int[] perExpert = new int[expertsPerRank];
        for (int source = 0; source < ranks; source++)
        {
            final Routing routing = routings.get(source);
            for (int token = 0; token < routing.tokens(); token++)
            {
                if (isInRank(source, token, rank))
                {
                    final int row = rows.add(source, token);
                    for (int k = 0; k < topk; k++)
                    {
                        if (isOn(source, token, k, rank))
                        {
                            final int local = (int)(routing.expert(token, k) - (long)rank * expertsPerRank);
                            rows.choose(row, k, local, routing.weight(token, k));
                            perExpert[local]++;
                        }
                    }
                }
            }

            prefixSum[source] = rows.size();
        }

        for (int local = 0; local < expertsPerRank; local++)
        {
            perExpert[local] = roundUp(perExpert[local], alignment);
        }

        return rows.finish(perExpert, prefixSum);
    }

    /**
     * Returns the rows that a rank receives in expert-major order: by local expert, source rank and token. The rows of
     * each expert are padded.
     *
     * @param rank      receiving rank.
     * @param alignment multiple to which each expert's rows are padded.
     * @return expected rows.
     */
    public ReferenceDispatch expertMajor(final int rank, final int alignment)
    {
        final RowCollector rows = new RowCollector(1);
        final int[] perExpert = new int[expertsPerRank];
        for (int local = 0; local < expertsPerRank; local++)
        {
            final int begin = rows.size();
            final long expert = (long)rank * expertsPerRank + local;
            for (int source = 0; source < ranks; source++)
            {
                final Routing routing = routings.get(source);
                for (int token = 0; token < routing.tokens(); token++)
                {
                    for (int k = 0; k < routing.topk(); k++)
                    {
                        if (routing.expert(token, k) == expert)
                        {
                            rows.choose(rows.add(source, token), 0, local, routing.weight(token, k));
                        }
                    }
                }
            }

            perExpert[local] = roundUp(rows.size() - begin, alignment);
            while (rows.size() < begin + perExpert[local])
            {
                rows.add(-1, -1);
            }
        }

        return rows.finish(perExpert, rankMajor(rank, alignment).rankPrefixSum());
    }

    /**
     * Returns the ranks of a node that answer for a token, in ascending order.
     *
     * @param source source rank of the token.
     * @param token  index of the token on its source rank.
     * @param node   node of the ranks.
     * @return ranks in ascending order.
     */
    public List<Integer> answering(final int source, final int token, final int node)
    {
        final List<Integer> answering = new ArrayList<>();
        for (int rank = firstRanks[node]; rank < firstRanks[node + 1]; rank++)
        {
            if (isInRank(source, token, rank))
            {
                answering.add(rank);
            }
        }

        return answering;
    }

    private static int roundUp(final int rows, final int alignment)
    {
        return (rows + alignment - 1) / alignment * alignment;
    }
}
