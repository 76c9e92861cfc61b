/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.route;

import dev.transload.engine.BadInputException;
import dev.transload.engine.memory.Geometry;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.agrona.UnsafeApi;

/**
 * Where the tokens of this rank go. For each token and node a mask of local ranks; exclusive prefix sums over channels
 * of the rows to each rank, node and expert.
 */
public final class HomeRoutes
{
    private static final int NONE = -1;

    /** Their selections stay in the nearest cache. */
    private static final int BLOCK_TOKENS = 256;

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
    private long[] block = new long[0];
    private int[] lastToken = new int[0];
    private int[] maskWord = new int[0];
    private long[] maskBit = new long[0];

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
        learnExperts();
        final LongBuffer choices = indices.asLongBuffer();
        for (int channel = 0; channel < geometry.channels(); channel++)
        {
            carryCounts(channel);
            for (int token = firstToken(channel), end = firstToken(channel + 1); token < end; token += BLOCK_TOKENS)
            {
                readTokens(choices, channel, token, Math.min(end, token + BLOCK_TOKENS), numExperts);
            }

            countTokens(channel);
        }
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
        if (block.length < BLOCK_TOKENS * topk)
        {
            block = new long[BLOCK_TOKENS * topk];
        }

        final int rows = geometry.channels() + 1;
        rankStarts = ensure(rankStarts, rows * geometry.world().size());
        nodeStarts = ensure(nodeStarts, rows * geometry.nodes());
        expertStarts = ensure(expertStarts, rows * experts);
        Arrays.fill(rankStarts, 0, geometry.world().size(), 0);
        Arrays.fill(nodeStarts, 0, geometry.nodes(), 0);
        Arrays.fill(expertStarts, 0, experts, 0);
    }

    /** Where each expert's bit is, since a division takes longer than all else that is done for a selection. */
    private void learnExperts()
    {
        if (lastToken.length != experts)
        {
            lastToken = new int[experts];
            maskWord = new int[experts];
            maskBit = new long[experts];
            final int perRank = experts / geometry.world().size();
            for (int expert = 0; expert < experts; expert++)
            {
                final int rank = expert / perRank;
                final int local = rank % geometry.locals();
                maskWord[expert] = rank / geometry.locals() * maskWords + (local >> 6);
                maskBit[expert] = 1L << (local & 63);
            }
        }

        Arrays.fill(lastToken, NONE);
    }

    /** Counts of a channel begin with those of the channels before. */
    private void carryCounts(final int channel)
    {
        final int ranks = geometry.world().size();
        final int nodes = geometry.nodes();
        System.arraycopy(rankStarts, channel * ranks, rankStarts, (channel + 1) * ranks, ranks);
        System.arraycopy(nodeStarts, channel * nodes, nodeStarts, (channel + 1) * nodes, nodes);
        System.arraycopy(expertStarts, channel * experts, expertStarts, (channel + 1) * experts, experts);
    }

    /** The caller waits for it: a selection takes about two nanoseconds, since all is in arrays and local variables. */
    private void readTokens(
        final LongBuffer choices, final int channel, final int from, final int end, final int numExperts)
    {
        final long[] read = block;
        final int[] selections = topkIdx;
        final int[] last = lastToken;
        final long[] bits = maskBit;
        final int[] counts = expertStarts;
        final int firstCount = (channel + 1) * experts;
        final int count = topk;
        choices.get(from * count, read, 0, (end - from) * count);
        for (int token = from, next = 0; token < end; token++)
        {
            long mask = 0;
            for (int k = 0, at = token * count; k < count; k++, at++)
            {
                final long value = read[next++];
                if (value < NONE || value >= numExperts)
                {
                    throw new BadInputException("topk_idx[" + token + "][" + k + "] = " + value +
                        " is not allowed: must be -1 or in [0, " + numExperts + ")");
                }

                final int expert = (int)value;
                selections[at] = expert;
                if (expert >= 0)
                {
                    if (last[expert] == token)
                    {
                        throw duplicate(token, k, expert);
                    }

                    last[expert] = token;
                    counts[firstCount + expert]++;
                    mask |= bits[expert];
                }
            }

            putMask(token, mask);
        }
    }

    /** The bits of all selections are the mask, unless that has several words. */
    private void putMask(final int token, final long bits)
    {
        final int first = maskIndex(token, 0);
        if (1 == maskWords && 1 == geometry.nodes())
        {
            masks[first] = bits;
            return;
        }

        for (int k = 0, at = token * topk; k < topk; k++, at++)
        {
            if (topkIdx[at] >= 0)
            {
                masks[first + maskWord[topkIdx[at]]] |= maskBit[topkIdx[at]];
            }
        }
    }

    private BadInputException duplicate(final int token, final int k, final int expert)
    {
        int other = 0;
        while (topkIdx[token * topk + other] != expert)
        {
            other++;
        }

        return new BadInputException("topk_idx[" + token + "] selects expert " + expert +
            " twice, at " + other + " and " + k + ": a row's experts must differ");
    }

    private void countTokens(final int channel)
    {
        final long[] tokenMasks = masks;
        final int[] ranks = rankStarts;
        final int words = maskWords;
        final int nodes = geometry.nodes();
        final int locals = geometry.locals();
        final int firstRank = (channel + 1) * nodes * locals;
        for (int node = 0; node < nodes; node++)
        {
            int rows = 0;
            for (int token = firstToken(channel), end = firstToken(channel + 1); token < end; token++)
            {
                long any = 0;
                for (int word = 0; word < words; word++)
                {
                    final long mask = tokenMasks[(token * nodes + node) * words + word];
                    any |= mask;
                    for (long bits = mask; 0 != bits; bits &= bits - 1)
                    {
                        ranks[firstRank + node * locals + word * Long.SIZE + Long.numberOfTrailingZeros(bits)]++;
                    }
                }

                rows += 0 == any ? 0 : 1;
            }

            nodeStarts[(channel + 1) * nodes + node] += rows;
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
     * Copy what a token selected.
     *
     * @param token   index.
     * @param address of K i32.
     */
    public void copyExperts(final int token, final long address)
    {
        for (int k = 0, at = token * topk; k < topk; k++, at++)
        {
            UnsafeApi.putInt(address + (long)k * Integer.BYTES, topkIdx[at]);
        }
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
     * Copy the masks of a channel's tokens that go to a node, in order.
     *
     * @param channel lane.
     * @param node    destination.
     * @param copies  long enough for them.
     */
    void copyMasks(final int channel, final int node, final long[] copies)
    {
        int next = 0;
        for (int token = firstToken(channel), end = firstToken(channel + 1); token < end; token++)
        {
            if (isInNode(token, node))
            {
                System.arraycopy(masks, maskIndex(token, node), copies, next, maskWords);
                next += maskWords;
            }
        }
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
