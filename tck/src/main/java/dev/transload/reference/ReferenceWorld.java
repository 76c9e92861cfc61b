/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The routing of a whole world, and what follows from it. */
public final class ReferenceWorld
{
    private final int[] firstRanks;
    private final int[] nodeOfRank;
    private final int ranks;
    private final int experts;
    private final int expertsPerRank;
    private final List<Routing> routings;

    /**
     * A world of {@code nodes × ranksPerNode} ranks; rank r is on node r / ranksPerNode.
     *
     * @param nodes        N.
     * @param ranksPerNode G.
     * @param experts      E; padded up to a multiple of the ranks.
     * @param routings     by rank, of equal K.
     */
    public ReferenceWorld(
        final int nodes, final int ranksPerNode, final int experts, final List<Routing> routings)
    {
        this(Collections.nCopies(nodes, ranksPerNode), experts, routings);
    }

    /**
     * A world of nodes that need not have as many ranks; ranks are numbered node by node.
     *
     * @param ranksOfNodes G by node.
     * @param experts      E; padded up to a multiple of the ranks.
     * @param routings     by rank, of equal K.
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
     * Nodes.
     *
     * @return N.
     */
    public int nodes()
    {
        return firstRanks.length - 1;
    }

    /**
     * Ranks.
     *
     * @return P.
     */
    public int ranks()
    {
        return ranks;
    }

    /**
     * Experts, padding included.
     *
     * @return E.
     */
    public int experts()
    {
        return experts;
    }

    /**
     * Routing of a rank.
     *
     * @param rank in [0, P).
     * @return its choices.
     */
    public Routing routing(final int rank)
    {
        return routings.get(rank);
    }

    /**
     * Whether a choice of a token is an expert of a rank.
     *
     * @param source rank of the token.
     * @param token  on it.
     * @param k      which choice.
     * @param rank   asked for.
     * @return true where the expert lives there.
     */
    public boolean isOn(final int source, final int token, final int k, final int rank)
    {
        final long expert = routings.get(source).expert(token, k);
        return expert >= 0 && expert / expertsPerRank == rank;
    }

    /**
     * Whether a token goes to a rank.
     *
     * @param source rank of the token.
     * @param token  on it.
     * @param rank   asked for.
     * @return true when one of its experts lives there.
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
     * Layout of a rank's tokens.
     *
     * @param source rank.
     * @return layout.
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
     * Rows that a rank receives in rank-major order: by source rank, then token.
     *
     * @param rank      receiver.
     * @param alignment to which rows per expert are rounded up.
     * @return rows.
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
     * Rows that a rank receives in expert-major order: by local expert, source rank, token; each expert's rows padded.
     *
     * @param rank      receiver.
     * @param alignment to which each expert's rows are padded.
     * @return rows.
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
     * Ranks of a node that answer for a token, ascending.
     *
     * @param source rank of the token.
     * @param token  on it.
     * @param node   asked for.
     * @return ranks.
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
