/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.route;

import dev.transload.engine.BadInputException;
import dev.transload.engine.memory.Geometry;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where the tokens of this rank go. For each token and node a mask of local ranks; exclusive prefix sums over channels
 * of the rows to each rank, node and expert.
 */
public final class HomeRoutes
{
    private static final int NONE = -1;

    private final Geometry geometry;
    private final int maskWords;
    private int tokens;
    private int topk;
    private int experts;
    private int tokensPerChannel;
    private int[] topkIdx = new int[0];
    private long[] masks = new long[0];
    private int[] rankStarts = new int[0];
    private int[] nodeStarts = new int[0];
    private int[] expertStarts = new int[0];

    /**
     * Empty.
     *
     * @param geometry sizes.
     */
    public HomeRoutes(final Geometry geometry)
    {
        this.geometry = geometry;
        this.maskWords = geometry.maskWords();
    }

    /**
     * Compute from routing decisions.
     *
     * @param indices    [T, K] I64, native order.
     * @param tokenCount T.
     * @param k          K.
     * @param numExperts E before padding.
     * @throws BadInputException naming token, value and what is allowed.
     */
    public void compute(final ByteBuffer indices, final int tokenCount, final int k, final int numExperts)
    {
        tokens = tokenCount;
        topk = k;
        experts = geometry.paddedExperts(numExperts);
        tokensPerChannel = (tokenCount + geometry.channels() - 1) / geometry.channels();
        reserve();
        for (int token = 0; token < tokens; token++)
        {
            readToken(indices, token, numExperts);
        }

        countByChannel();
    }

    private void reserve()
    {
        topkIdx = ensure(topkIdx, tokens * topk);
        final int maskLength = Math.multiplyExact(tokens, geometry.nodes() * maskWords);
        if (masks.length < maskLength)
        {
            masks = new long[maskLength];
        }

        Arrays.fill(masks, 0, maskLength, 0);
        final int rows = geometry.channels() + 1;
        rankStarts = ensure(rankStarts, rows * geometry.world().size());
        nodeStarts = ensure(nodeStarts, rows * geometry.nodes());
        expertStarts = ensure(expertStarts, rows * experts);
        Arrays.fill(rankStarts, 0);
        Arrays.fill(nodeStarts, 0);
        Arrays.fill(expertStarts, 0);
    }

    private void readToken(final ByteBuffer indices, final int token, final int numExperts)
    {
        final int perRank = experts / geometry.world().size();
        final int base = token * topk;
        for (int k = 0; k < topk; k++)
        {
            final long value = indices.getLong((base + k) * Long.BYTES);
            if (value < NONE || value >= numExperts)
            {
                throw new BadInputException("topk_idx[" + token + "][" + k + "] = " + value +
                    " is not allowed: must be -1 or in [0, " + numExperts + ")");
            }

            final int expert = (int)value;
            topkIdx[base + k] = expert;
            if (expert >= 0)
            {
                refuseDuplicate(token, base, k, expert);
                final int rank = expert / perRank;
                final int local = rank % geometry.locals();
                masks[maskIndex(token, rank / geometry.locals()) + (local >> 6)] |= 1L << (local & 63);
            }
        }
    }

    private void refuseDuplicate(final int token, final int base, final int k, final int expert)
    {
        for (int other = 0; other < k; other++)
        {
            if (topkIdx[base + other] == expert)
            {
                throw new BadInputException("topk_idx[" + token + "] selects expert " + expert +
                    " twice, at " + other + " and " + k + ": a row's experts must differ");
            }
        }
    }

    private void countByChannel()
    {
        final int ranks = geometry.world().size();
        final int nodes = geometry.nodes();
        for (int channel = 0; channel < geometry.channels(); channel++)
        {
            final int next = channel + 1;
            System.arraycopy(rankStarts, channel * ranks, rankStarts, next * ranks, ranks);
            System.arraycopy(nodeStarts, channel * nodes, nodeStarts, next * nodes, nodes);
            System.arraycopy(expertStarts, channel * experts, expertStarts, next * experts, experts);
            for (int token = firstToken(channel); token < firstToken(next); token++)
            {
                countToken(token, next);
            }
        }
    }

    private void countToken(final int token, final int row)
    {
        for (int node = 0; node < geometry.nodes(); node++)
        {
            boolean isInNode = false;
            for (int local = 0; local < geometry.locals(); local++)
            {
                if (isInRank(token, node, local))
                {
                    rankStarts[row * geometry.world().size() + geometry.world().rankAt(node, local)]++;
                    isInNode = true;
                }
            }

            nodeStarts[row * geometry.nodes() + node] += isInNode ? 1 : 0;
        }

        for (int k = 0; k < topk; k++)
        {
            final int expert = topkIdx[token * topk + k];
            if (expert >= 0)
            {
                expertStarts[row * experts + expert]++;
            }
        }
    }

    /**
     * Tokens of this rank.
     *
     * @return T.
     */
    public int tokens()
    {
        return tokens;
    }

    /**
     * Selections of a token.
     *
     * @return K.
     */
    public int topk()
    {
        return topk;
    }

    /**
     * Experts, padding included.
     *
     * @return E, a multiple of P.
     */
    public int experts()
    {
        return experts;
    }

    /**
     * First token of a channel.
     *
     * @param channel index; C gives the end of the last one.
     * @return token.
     */
    public int firstToken(final int channel)
    {
        return (int)Math.min(tokens, (long)channel * tokensPerChannel);
    }

    /**
     * Expert that a token selected.
     *
     * @param token index.
     * @param k     position among the top-k.
     * @return expert or −1.
     */
    public int expert(final int token, final int k)
    {
        return topkIdx[token * topk + k];
    }

    /**
     * A word of the mask of local ranks of a node which get a token.
     *
     * @param token index.
     * @param node  destination.
     * @param word  of the mask.
     * @return bits.
     */
    public long mask(final int token, final int node, final int word)
    {
        return masks[maskIndex(token, node) + word];
    }

    /**
     * Whether a token goes to a node.
     *
     * @param token index.
     * @param node  destination.
     * @return true if any of its ranks gets it.
     */
    public boolean isInNode(final int token, final int node)
    {
        final int at = maskIndex(token, node);
        long bits = masks[at];
        for (int word = 1; word < maskWords; word++)
        {
            bits |= masks[at + word];
        }

        return 0 != bits;
    }

    /**
     * Whether a token goes to a rank.
     *
     * @param token index.
     * @param node  destination.
     * @param local destination.
     * @return true if the rank gets it.
     */
    public boolean isInRank(final int token, final int node, final int local)
    {
        return 0 != (masks[maskIndex(token, node) + (local >> 6)] & 1L << (local & 63));
    }

    /**
     * Rows to a rank in the channels before one.
     *
     * @param channel index; C gives the total.
     * @param rank    destination.
     * @return rows.
     */
    public int rankStart(final int channel, final int rank)
    {
        return rankStarts[channel * geometry.world().size() + rank];
    }

    /**
     * Rows to a node in the channels before one.
     *
     * @param channel index; C gives the total.
     * @param node    destination.
     * @return rows.
     */
    public int nodeStart(final int channel, final int node)
    {
        return nodeStarts[channel * geometry.nodes() + node];
    }

    /**
     * Rows to an expert in the channels before one.
     *
     * @param channel index; C gives the total.
     * @param expert  destination.
     * @return rows.
     */
    public int expertStart(final int channel, final int expert)
    {
        return expertStarts[channel * experts + expert];
    }

    private int maskIndex(final int token, final int node)
    {
        return (token * geometry.nodes() + node) * maskWords;
    }

    private static int[] ensure(final int[] array, final int length)
    {
        return array.length < length ? new int[length] : array;
    }
}
