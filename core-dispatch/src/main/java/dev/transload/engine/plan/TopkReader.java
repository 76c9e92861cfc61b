/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import dev.transload.engine.BadInputException;
import dev.transload.engine.world.Geometry;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * Reads what tokens selected, once: checks it, keeps it, and counts rows of experts, ranks and nodes. The caller of a
 * dispatch waits for it, so that all is in arrays and local variables: a selection takes about two nanoseconds. Each
 * thread has its own.
 */
public final class TopkReader
{
    private static final int NONE = -1;

    /** Their selections stay in the nearest cache. */
    private static final int BLOCK_TOKENS = 256;

    private final Geometry geometry;
    private final int masksPerToken;
    private LongBuffer choices;
    private int topk;
    private int numExperts;
    private long[] block = new long[0];
    private int[] lastToken = new int[0];
    private int[] maskWord = new int[0];
    private long[] maskBit = new long[0];
    private final int[] rankRows;
    private final int[] nodeRows;

    /**
     * Of a world.
     *
     * @param geometry sizes.
     */
    public TopkReader(final Geometry geometry)
    {
        this.geometry = geometry;
        this.masksPerToken = geometry.nodes() * geometry.maskWords();
        this.rankRows = new int[geometry.world().size()];
        this.nodeRows = new int[geometry.nodes()];
    }

    /** Begin [T, K] selections, of E experts, with padding {@code padded}. */
    void begin(final LongBuffer indices, final int k, final int experts, final int padded)
    {
        choices = indices;
        topk = k;
        numExperts = experts;
        if (block.length < BLOCK_TOKENS * topk)
        {
            block = new long[BLOCK_TOKENS * topk];
        }

        learnExperts(padded);
    }

    /** Where each expert's bit is, since a division takes longer than all else that is done for a selection. */
    private void learnExperts(final int experts)
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
                final int local = geometry.world().localOf(rank);
                maskWord[expert] = geometry.world().nodeOf(rank) * geometry.maskWords() + (local >> 6);
                maskBit[expert] = 1L << (local & 63);
            }
        }

        Arrays.fill(lastToken, NONE);
    }

    /** Read tokens [from, end): add to counts from {@code firstCount} on, and to masks, which are zero. */
    void read(
        final int from, final int end, final int[] selections, final long[] masks, final int[] counts,
        final int firstCount)
    {
        for (int token = from; token < end; token += BLOCK_TOKENS)
        {
            readBlock(token, Math.min(end, token + BLOCK_TOKENS), selections, masks, counts, firstCount);
        }
    }

    /** Count rows of tokens [from, end) to ranks and nodes, by their masks. */
    void countMasks(final int from, final int end, final long[] masks)
    {
        final int words = geometry.maskWords();
        final int nodes = geometry.nodes();
        final int[] ranks = rankRows;
        Arrays.fill(ranks, 0);
        for (int node = 0; node < nodes; node++)
        {
            final int first = geometry.world().first(node);
            int rows = 0;
            for (int token = from; token < end; token++)
            {
                long any = 0;
                for (int word = 0; word < words; word++)
                {
                    final long mask = masks[(token * nodes + node) * words + word];
                    any |= mask;
                    for (long bits = mask; 0 != bits; bits &= bits - 1)
                    {
                        ranks[first + word * Long.SIZE + Long.numberOfTrailingZeros(bits)]++;
                    }
                }

                rows += 0 == any ? 0 : 1;
            }

            nodeRows[node] = rows;
        }
    }

    /** Rows to each rank, of the tokens counted last. */
    int[] rankRows()
    {
        return rankRows;
    }

    /** Rows to each node, of the tokens counted last. */
    int[] nodeRows()
    {
        return nodeRows;
    }

    private void readBlock(
        final int from, final int end, final int[] selections, final long[] masks, final int[] counts,
        final int firstCount)
    {
        final long[] read = block;
        final int[] last = lastToken;
        final long[] bits = maskBit;
        final int count = topk;
        final int limit = numExperts;
        choices.get(from * count, read, 0, (end - from) * count);
        for (int token = from, next = 0; token < end; token++)
        {
            long mask = 0;
            for (int k = 0, at = token * count; k < count; k++, at++)
            {
                final long value = read[next++];
                if (value < NONE || value >= limit)
                {
                    throw new BadInputException("topk_idx[" + token + "][" + k + "] = " + value +
                        " is not allowed: must be -1 or in [0, " + limit + ")");
                }

                final int expert = (int)value;
                selections[at] = expert;
                if (expert >= 0)
                {
                    if (last[expert] == token)
                    {
                        throw duplicate(selections, token, k, expert);
                    }

                    last[expert] = token;
                    counts[firstCount + expert]++;
                    mask |= bits[expert];
                }
            }

            putMask(masks, selections, token, mask);
        }
    }

    /** The bits of all selections are the mask, unless that has several words. */
    private void putMask(final long[] masks, final int[] selections, final int token, final long bits)
    {
        if (1 == masksPerToken)
        {
            masks[token] = bits;
            return;
        }

        for (int k = 0, at = token * topk; k < topk; k++, at++)
        {
            if (selections[at] >= 0)
            {
                masks[token * masksPerToken + maskWord[selections[at]]] |= maskBit[selections[at]];
            }
        }
    }

    private BadInputException duplicate(final int[] selections, final int token, final int k, final int expert)
    {
        int other = 0;
        while (selections[token * topk + other] != expert)
        {
            other++;
        }

        return new BadInputException("topk_idx[" + token + "] selects expert " + expert +
            " twice, at " + other + " and " + k + ": a row's experts must differ");
    }
}
