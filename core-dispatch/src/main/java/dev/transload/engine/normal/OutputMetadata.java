/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import dev.transload.engine.plan.DeliveredRows;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.world.Geometry;
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
    private int maskOffset;
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
        maskOffset = RowMeta.maskOffset(geometry.world().local() >> 6);
        maskBit = 1L << (geometry.world().local() & 63);
    }

    private static void wrap(final UnsafeBuffer buffer, final Tensor tensor)
    {
        buffer.wrap(tensor.memory().address() + tensor.offset(), Math.toIntExact(tensor.bytes()));
    }

    /**
     * Deliver the selections of a row, rank-major.
     *
     * @param row    index.
     * @param layout of the row's metadata.
     * @param metas  buffer of them.
     * @param at     the row's in bytes.
     */
    public void selections(final int row, final RowMeta layout, final UnsafeBuffer metas, final int at)
    {
        for (int k = 0, to = row * topk; k < topk; k++, to++)
        {
            // All bits set where the expert is not here: chance decides, so that a branch would be mispredicted.
            final int expert = layout.expert(metas, at, k) - firstExpert;
            final int elsewhere = (expert | localExperts - 1 - expert) >> Integer.SIZE - 1;
            final int weight = Float.floatToRawIntBits(layout.weight(metas, at, k));
            idx.putLong(to * Long.BYTES, expert | elsewhere);
            weights.putInt(to * Float.BYTES, weight & ~elsewhere);
        }
    }

    /**
     * Deliver those of a source's entries that are rows of this rank, rank-major, one behind the other.
     *
     * @param firstRow index of the first of them.
     * @param layout   of the entries.
     * @param metas    buffer of them.
     * @param from     first entry in bytes.
     * @param stride   of an entry in bytes.
     * @param count    entries.
     * @return index behind the last row.
     */
    public int entries(
        final int firstRow, final RowMeta layout, final UnsafeBuffer metas, final int from, final int stride,
        final int count)
    {
        metas.boundsCheck(from, count * stride);
        int row = firstRow;
        long at = metas.addressOffset() + from;
        for (int i = 0; i < count; i++, at += stride)
        {
            if (0 != (UnsafeApi.getLong(at + maskOffset) & maskBit))
            {
                if (row >= rows)
                {
                    throw new IllegalStateException("more rows came than were announced: the output has " + rows);
                }

                UnsafeApi.putInt(
                    sources.addressOffset() + (long)row * Integer.BYTES, UnsafeApi.getInt(at + RowMeta.TOKEN_OFFSET));
                selections((long)row * topk, at + layout.topkOffset(), at + layout.weightsOffset());
                row++;
            }
        }

        return row;
    }

    /** By address, for the places are within bounds: a row takes half as long. */
    private void selections(final long first, final long experts, final long expertWeights)
    {
        final long toIdx = idx.addressOffset() + first * Long.BYTES;
        final long toWeights = weights.addressOffset() + first * Float.BYTES;
        final int count = topk;
        final int from = firstExpert;
        final int last = localExperts - 1;
        for (int k = 0; k < count; k++)
        {
            final long at = (long)k * Integer.BYTES;
            final int expert = UnsafeApi.getInt(experts + at) - from;
            final int elsewhere = (expert | last - expert) >> Integer.SIZE - 1;
            UnsafeApi.putLong(toIdx + 2 * at, expert | elsewhere);
            UnsafeApi.putInt(toWeights + at, UnsafeApi.getInt(expertWeights + at) & ~elsewhere);
        }
    }

    /**
     * Deliver the only selection of a row, expert-major.
     *
     * @param row    index.
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
     * @param row   index.
     * @param token on the source rank, −1 for padding.
     */
    public void source(final int row, final int token)
    {
        sources.putInt(row * Integer.BYTES, token);
    }

    /**
     * Keep what was delivered of a range of rows.
     *
     * @param kept    copies.
     * @param channel lane.
     * @param rank    source.
     * @param range   of the lane.
     * @param end     row after its last one.
     */
    public void keep(final DeliveredRows kept, final int channel, final int rank, final int range, final int end)
    {
        kept.keep(channel, rank, range, end, idx, sources);
    }

    /**
     * Deliver what was kept of a lane, with weights of zero.
     *
     * @param kept    copies.
     * @param channel lane.
     * @param rank    source.
     */
    public void restore(final DeliveredRows kept, final int channel, final int rank)
    {
        kept.restore(channel, rank, idx, weights, sources);
    }
}
