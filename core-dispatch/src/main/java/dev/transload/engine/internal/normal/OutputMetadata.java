/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import dev.transload.engine.internal.plan.Selections;
import dev.transload.engine.internal.wire.MetadataBlock;
import dev.transload.engine.internal.world.Geometry;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/** The part of a dispatch's output that is metadata: selections, weights and sources of the delivered rows. */
public final class OutputMetadata
{
    private final UnsafeBuffer idx = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer weights = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer sources = new UnsafeBuffer(0, 0);
    private int rows;
    private int topk;
    private int localExperts;
    private int firstExpert;
    private int maskWords;
    private int maskWord;
    private long maskBit;

    OutputMetadata()
    {
    }

    void wrap(final DispatchOutput output, final Geometry geometry, final int expertsPerRank)
    {
        wrap(idx, output.topkIdx());
        wrap(weights, output.topkWeights());
        wrap(sources, output.srcTokenIdx());
        rows = Math.min(output.topkIdx().rows(), Math.min(output.topkWeights().rows(), output.srcTokenIdx().rows()));
        topk = output.topkIdx().columns();
        localExperts = expertsPerRank;
        firstExpert = geometry.world().rank() * expertsPerRank;
        maskWords = geometry.maskWords();
        maskWord = geometry.world().local() >> 6;
        maskBit = 1L << (geometry.world().local() & 63);
    }

    private static void wrap(final UnsafeBuffer buffer, final Tensor tensor)
    {
        buffer.wrap(tensor.memory().address() + tensor.offset(), Math.toIntExact(tensor.bytes()));
    }

    /** Deliver the metadata of a block's rows that come to this rank, rank-major, one behind the other. */
    public int rankMajor(final MetadataBlock block, final int firstRow)
    {
        final long masks = block.masks() + maskWord * (long)Long.BYTES;
        final long stride = (long)maskWords * Long.BYTES;
        final long toSources = sources.addressOffset();
        int row = firstRow;
        for (int i = 0, count = block.rows(); i < count; i++)
        {
            if (0 != (UnsafeApi.getLong(masks + i * stride) & maskBit))
            {
                if (row >= rows)
                {
                    throw new IllegalStateException("more rows came than were announced: the output has " + rows);
                }

                UnsafeApi.putInt(toSources + (long)row * Integer.BYTES,
                    UnsafeApi.getInt(block.tokens() + (long)i * Integer.BYTES));
                selections(block, i, row);
                row++;
            }
        }

        return row - firstRow;
    }

    /** By address, for the places are within bounds: a row takes half as long. */
    private void selections(final MetadataBlock block, final int entry, final int row)
    {
        final long experts = block.experts() + (long)entry * topk * Integer.BYTES;
        final long expertWeights = block.weights() + (long)entry * topk * Float.BYTES;
        final long toIdx = idx.addressOffset() + (long)row * topk * Long.BYTES;
        final long toWeights = weights.addressOffset() + (long)row * topk * Float.BYTES;
        final boolean isWeighted = block.isWeighted();
        final int count = topk;
        final int from = firstExpert;
        final int last = localExperts - 1;
        for (int k = 0; k < count; k++)
        {
            // All bits set where the expert is not here: chance decides, so that a branch would be mispredicted.
            final long at = (long)k * Integer.BYTES;
            final int expert = UnsafeApi.getInt(experts + at) - from;
            final int elsewhere = (expert | last - expert) >> Integer.SIZE - 1;
            UnsafeApi.putLong(toIdx + 2 * at, expert | elsewhere);
            UnsafeApi.putInt(toWeights + at, isWeighted ? UnsafeApi.getInt(expertWeights + at) & ~elsewhere : 0);
        }
    }

    /**
     * Deliver the metadata of a block's rows that come to this rank, expert-major.
     *
     * @param next       next row of each local expert for the block's source; moves on.
     * @param selections which learn whose the rows are.
     */
    public int expertMajor(final MetadataBlock block, final int[] next, final Selections selections)
    {
        int rowsHere = 0;
        for (int i = 0, count = block.rows(); i < count; i++)
        {
            boolean isHere = false;
            for (int k = 0, all = block.topk(); k < all; k++)
            {
                final long at = ((long)i * all + k) * Integer.BYTES;
                final int expert = UnsafeApi.getInt(block.experts() + at) - firstExpert;
                if (expert >= 0 && expert < localExperts)
                {
                    if (!isHere)
                    {
                        selections.beginRow();
                    }

                    final int place = next[expert]++;
                    source(place, UnsafeApi.getInt(block.tokens() + (long)i * Integer.BYTES));
                    selection(place, expert, block.isWeighted() ? UnsafeApi.getFloat(block.weights() + at) : 0f);
                    selections.add(k, expert);
                    isHere = true;
                }
            }

            rowsHere += isHere ? 1 : 0;
        }

        return rowsHere;
    }

    /**
     * Deliver the only selection of a row, expert-major.
     *
     * @param expert local, −1 for padding.
     * @param weight 0 for padding.
     */
    public void selection(final int row, final int expert, final float weight)
    {
        idx.putLong(row * Long.BYTES, expert);
        weights.putFloat(row * Float.BYTES, weight);
    }

    /**
     * Deliver where a row comes from.
     *
     * @param token on the source rank, −1 for padding.
     */
    public void source(final int row, final int token)
    {
        sources.putInt(row * Integer.BYTES, token);
    }
}
