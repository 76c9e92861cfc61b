/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.connect.ThreadResources;
import dev.transload.engine.ring.CreditReturn;
import dev.transload.engine.ring.PendingHeads;
import dev.transload.engine.ring.Staging;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.wire.Weights;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.spi.SignalRegion;

/**
 * The partial sums that one other node sends for a channel's tokens, in a ring; those that came into host memory are
 * copied to the payload's memory first, to the same slots, so that credit guards both.
 */
public final class ArrivedSums
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ThreadResources thread;
    private final SignalRegion signals;
    private final int channel;
    private final int node;
    private final CreditReturn returns;
    private final Staging staging;
    private final PendingHeads consumed = new PendingHeads();
    private long tail;
    private long head;

    /**
     * Of a channel.
     *
     * @param geometry sizes.
     * @param map      memory.
     * @param thread   which sums them.
     * @param signals  own signals of the scale-out stage.
     * @param channel  lane.
     * @param node     which sends them.
     * @param returns  of credit.
     * @param staging  to the payload's memory, null where nothing is staged.
     */
    public ArrivedSums(
        final Geometry geometry, final ArenaMap map, final ThreadResources thread, final SignalRegion signals,
        final int channel, final int node, final CreditReturn returns, final Staging staging)
    {
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.signals = signals;
        this.channel = channel;
        this.node = node;
        this.returns = returns;
        this.staging = staging;
    }

    void begin(final CombineCall call)
    {
        if (null != staging)
        {
            staging.use(map.wirePartialsIn.arena().region(Stage.SCALE_UP),
                call.hidden() * geometry.partialType().bytes(), null, 0);
        }
    }

    /** The reduction reads them as one of its source regions, all nodes' the same. */
    static void readBy(final Reduction reduction, final int region, final ArenaMap map, final Geometry geometry)
    {
        reduction.source(region, map.partialsOutIn.arena().region(Stage.SCALE_UP), map.partialsOutIn.offset(0),
            map.partialsOutIn.stride(), geometry.partialType());
    }

    /** Give back what the row kernels have passed, and copy on what has arrived in host memory. */
    int settle(final long completed)
    {
        final long settled = consumed.settle(completed);
        if (null == staging)
        {
            return returns.report(settled);
        }

        final int work = returns.report(staging.released(settled)) + staging.advance();
        final int count = (int)Math.min(arrivedOverWire() - staging.begun(), geometry.config().scaleOut().chunk());
        return count > 0 && staging.hasRoom(count) ? work + stage(count) : work;
    }

    private int stage(final int count)
    {
        for (long row = staging.begun(), end = row + count; row < end; row++)
        {
            final long entry = entry(row);
            staging.set(row, map.wirePartialsIn.offset(entry), map.partialsOutIn.offset(entry));
        }

        return staging.begin(count);
    }

    private long entry(final long row)
    {
        return geometry.otherRingStart(channel, node, geometry.world().node()) + row % geometry.outRing();
    }

    private long arrivedOverWire()
    {
        return signals.getAcquire(SignalMap.combineTailOut(geometry, channel, node));
    }

    /** See what has arrived. */
    void refresh()
    {
        final long seen = null == staging ? arrivedOverWire() : staging.arrived();
        thread.tally().found(Stage.SCALE_OUT, seen - head);
        if (seen > tail)
        {
            tail = seen;
            final Stage writer = map.isStaged() ? Stage.SCALE_UP : Stage.SCALE_OUT;
            thread.acquire(writer, map.partialsOutIn.arena().region(writer));
        }
    }

    boolean isReady()
    {
        return head < tail;
    }

    /**
     * Take the next sum.
     *
     * @param sums       where it is added as an entry.
     * @param region     of the reduction.
     * @param weightSums [K] to which its weights are added.
     * @param topk       K, 0 for none.
     */
    void take(final RowTable sums, final int region, final float[] weightSums, final int topk)
    {
        final long entry = entry(head++);
        sums.add(region, (int)entry);
        Weights.add(map.partialWeightsOutIn.buffer(), map.partialWeightsOutIn.index(entry), topk, weightSums);
    }

    /** What was taken is not needed any more once the row kernels pass a position. */
    void submitted(final long position)
    {
        consumed.add(position, head);
    }

    boolean isComplete()
    {
        return consumed.isEmpty() && !returns.isDue(head) && (null == staging || staging.isComplete());
    }

    /** Report the node whose next sum is missing. */
    boolean awaits(final Wait wait)
    {
        return null != staging && staging.awaits(wait) ||
            wait.set(geometry.world().rankAt(node, geometry.world().local()), channel,
            WaitCounter.SCALE_OUT_TAIL, head + 1, tail);
    }
}
