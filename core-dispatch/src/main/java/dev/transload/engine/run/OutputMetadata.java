/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.run;

import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import dev.transload.engine.route.DeliveredRows;
import dev.transload.engine.wire.RowMeta;
import org.agrona.concurrent.UnsafeBuffer;

/** The part of a dispatch's output that is metadata: selections, weights and sources of the delivered rows. */
public final class OutputMetadata
{
    private final UnsafeBuffer idx = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer weights = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer sources = new UnsafeBuffer(0, 0);

    OutputMetadata()
    {
    }

    void wrap(final DispatchOutput output)
    {
        wrap(idx, output.topkIdx());
        wrap(weights, output.topkWeights());
        wrap(sources, output.srcTokenIdx());
    }

    private static void wrap(final UnsafeBuffer buffer, final Tensor tensor)
    {
        buffer.wrap(tensor.memory().address() + tensor.offset(), Math.toIntExact(tensor.bytes()));
    }

    /**
     * Deliver the selections of a row, rank-major.
     *
     * @param row          index.
     * @param topk         K.
     * @param layout       of the row's metadata.
     * @param metas        buffer of them.
     * @param at           the row's in bytes.
     * @param firstExpert  of this rank.
     * @param localExperts of this rank.
     */
    public void selections(
        final int row, final int topk, final RowMeta layout, final UnsafeBuffer metas, final int at,
        final int firstExpert, final int localExperts)
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
