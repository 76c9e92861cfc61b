/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import dev.transload.engine.world.Geometry;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Selections and sources of delivered rows, copied as they were written to the output, so that a dispatch with the
 * handle can write them again without being told: 8 · K + 4 bytes a row, expert-major 12. The rows of a channel from a
 * source rank are one range of the output, expert-major one for each local expert.
 */
public final class DeliveredRows
{
    private final int lanes;
    private final int ranks;
    private final UnsafeBuffer idx = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer sources = new UnsafeBuffer(0, 0);
    private int[] firsts = new int[0];
    private int[] ends = new int[0];
    private int ranges;
    private int idxBytes;

    /**
     * Empty.
     *
     * @param geometry sizes.
     */
    public DeliveredRows(final Geometry geometry)
    {
        this.ranks = geometry.world().size();
        this.lanes = geometry.channels() * ranks;
    }

    /**
     * Make room for the rows of a dispatch.
     *
     * @param rows       to come.
     * @param topk       selections of a row in the output.
     * @param laneRanges ranges of a channel's rows from one source rank.
     */
    public void begin(final int rows, final int topk, final int laneRanges)
    {
        ranges = laneRanges;
        idxBytes = topk * Long.BYTES;
        reserve(idx, Math.multiplyExact(rows, idxBytes));
        reserve(sources, Math.multiplyExact(rows, Integer.BYTES));
        if (firsts.length < lanes * ranges)
        {
            firsts = new int[lanes * ranges];
            ends = new int[lanes * ranges];
        }
    }

    private static void reserve(final UnsafeBuffer buffer, final int length)
    {
        if (buffer.capacity() < length)
        {
            buffer.wrap(new byte[length]);
        }
    }

    /**
     * Set where a range begins; it is empty until it is kept.
     *
     * @param channel lane.
     * @param rank    source.
     * @param range   of the lane.
     * @param first   row of the output.
     */
    public void first(final int channel, final int rank, final int range, final int first)
    {
        final int at = at(channel, rank, range);
        firsts[at] = first;
        ends[at] = first;
    }

    /**
     * Keep a range that is delivered.
     *
     * @param channel    lane.
     * @param rank       source.
     * @param range      of the lane.
     * @param end        row after the last one.
     * @param outIdx     [R, K] I64 output.
     * @param outSources [R] I32 output.
     */
    public void keep(
        final int channel, final int rank, final int range, final int end, final UnsafeBuffer outIdx,
        final UnsafeBuffer outSources)
    {
        final int at = at(channel, rank, range);
        ends[at] = end;
        copy(firsts[at], end, outIdx, outSources, idx, sources);
    }

    /**
     * Write what was kept of a channel and source rank to an output, with weights of zero.
     *
     * @param channel    lane.
     * @param rank       source.
     * @param outIdx     [R, K] I64 output.
     * @param outWeights [R, K] F32 output.
     * @param outSources [R] I32 output.
     */
    public void restore(
        final int channel, final int rank, final UnsafeBuffer outIdx, final UnsafeBuffer outWeights,
        final UnsafeBuffer outSources)
    {
        final int weightBytes = idxBytes / Long.BYTES * Float.BYTES;
        for (int range = 0; range < ranges; range++)
        {
            final int at = at(channel, rank, range);
            copy(firsts[at], ends[at], idx, sources, outIdx, outSources);
            outWeights.setMemory(firsts[at] * weightBytes, (ends[at] - firsts[at]) * weightBytes, (byte)0);
        }
    }

    private void copy(
        final int first, final int end, final UnsafeBuffer fromIdx, final UnsafeBuffer fromSources,
        final UnsafeBuffer toIdx, final UnsafeBuffer toSources)
    {
        toIdx.putBytes(first * idxBytes, fromIdx, first * idxBytes, (end - first) * idxBytes);
        toSources.putBytes(
            first * Integer.BYTES, fromSources, first * Integer.BYTES, (end - first) * Integer.BYTES);
    }

    private int at(final int channel, final int rank, final int range)
    {
        return (channel * ranks + rank) * ranges + range;
    }
}
