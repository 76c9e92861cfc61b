/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.BadInputException;
import dev.transload.engine.internal.world.Geometry;
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
    private final int perToken;
    private LongBuffer choices;
    private int topk;
    private int numExperts;
    private long[] block = new long[0];
    private int[] lastToken = new int[0];
    private int[] maskWord = new int[0];
    private long[] maskBit = new long[0];
    private final int[] rankRows;
    private final int[] nodeRows;
    private int leftOut;

    public TopkReader(final Geometry geometry)
    {
        this.geometry = geometry;
        this.perToken = maskWords(geometry);
        this.rankRows = new int[geometry.world().size()];
        this.nodeRows = new int[geometry.nodes()];
    }

    /** Words of a mask of all ranks. */
    static int maskWords(final Geometry geometry)
    {
        return (geometry.world().size() + Long.SIZE - 1) / Long.SIZE;
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
                maskWord[expert] = rank >> 6;
                maskBit[expert] = geometry.world().isPresent(rank) ? 1L << (rank & 63) : 0;
            }
        }

        Arrays.fill(lastToken, NONE);
    }

    /** Read tokens [from, end): add to counts from {@code firstCount} on, and to masks, which are zero. */
    void read(
        final int from, final int end, final int[] selections, final long[] masks, final int[] counts,
        final int firstCount)
    {
        leftOut = 0;
        for (int token = from; token < end; token += BLOCK_TOKENS)
        {
            readBlock(token, Math.min(end, token + BLOCK_TOKENS), selections, masks, counts, firstCount);
        }
    }

    /** Selections of absent ranks' experts, of the tokens read last: they count as none. */
    int leftOut()
    {
        return leftOut;
    }

    /** Count rows of tokens [from, end) to ranks and nodes, by their masks. */
    void countMasks(final int from, final int end, final long[] masks)
    {
        final int[] ranks = rankRows;
        Arrays.fill(ranks, 0);
        for (int token = from; token < end; token++)
        {
            for (int word = 0; word < perToken; word++)
            {
                for (long bits = masks[token * perToken + word]; 0 != bits; bits &= bits - 1)
                {
                    ranks[word * Long.SIZE + Long.numberOfTrailingZeros(bits)]++;
                }
            }
        }

        for (int node = 0; node < nodeRows.length; node++)
        {
            nodeRows[node] = rowsTo(node, from, end, masks);
        }
    }

    private int rowsTo(final int node, final int from, final int end, final long[] masks)
    {
        final int first = geometry.world().first(node);
        final int last = first + geometry.world().ranksOf(node) - 1;
        final long firstBits = -1L << (first & 63);
        final long lastBits = -1L >>> Long.SIZE - 1 - (last & 63);
        int rows = 0;
        if (first >> 6 == last >> 6)
        {
            final long bits = firstBits & lastBits;
            for (int token = from, at = token * perToken + (first >> 6); token < end; token++, at += perToken)
            {
                rows += 0 == (masks[at] & bits) ? 0 : 1;
            }

            return rows;
        }

        for (int token = from; token < end; token++)
        {
            final int at = token * perToken;
            long any = masks[at + (first >> 6)] & firstBits | masks[at + (last >> 6)] & lastBits;
            for (int word = (first >> 6) + 1; word < last >> 6; word++)
            {
                any |= masks[at + word];
            }

            rows += 0 == any ? 0 : 1;
        }

        return rows;
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
                        throw duplicate(token, k, expert);
                    }

                    last[expert] = token;
                    if (0 == bits[expert])
                    {
                        selections[at] = NONE;
                        leftOut++;
                        continue;
                    }

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
        if (1 == perToken)
        {
            masks[token] = bits;
            return;
        }

        for (int k = 0, at = token * topk; k < topk; k++, at++)
        {
            if (selections[at] >= 0)
            {
                masks[token * perToken + maskWord[selections[at]]] |= maskBit[selections[at]];
            }
        }
    }

    private BadInputException duplicate(final int token, final int k, final int expert)
    {
        int other = 0;
        while (choices.get(token * topk + other) != expert)
        {
            other++;
        }

        return new BadInputException("topk_idx[" + token + "] selects expert " + expert +
            " twice, at " + other + " and " + k + ": a row's experts must differ");
    }
}
