/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.ring.PendingHeads;
import dev.transload.engine.internal.ring.RingReader;
import dev.transload.engine.internal.ring.Staging;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.wire.Weights;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.Reduction;
import dev.transload.spi.SignalRegion;

/**
 * The partial sums that another node sends for a channel's tokens, in a ring; those that came into host memory are
 * copied to the payload's memory first, to the same slots, so that credit guards both.
 */
public final class IncomingSums
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ThreadResources thread;
    private final SignalRegion signals;
    private final int channel;
    private final int node;
    private final RingReader reader;
    private final Staging staging;
    private final PendingHeads consumed = new PendingHeads();
    private final long ring;
    private CombineCall call;
    private int rows;
    private int arrived;
    private int taken;
    private int weighed;

    /**
     * Of a channel from a node.
     *
     * @param signals own signals of the scale-out stage.
     * @param staging to the payload's memory, null where nothing is staged.
     */
    public IncomingSums(
        final Geometry geometry, final ArenaMap map, final ThreadResources thread, final SignalRegion signals,
        final int channel, final int node, final RingReader reader, final Staging staging)
    {
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.signals = signals;
        this.channel = channel;
        this.node = node;
        this.reader = reader;
        this.staging = staging;
        this.ring = ((long)channel * geometry.nodes() + node) * geometry.outRing();
    }

    void begin(final CombineCall next)
    {
        call = next;
        rows = call.plan().sendLayout().rowsToNode(channel, node);
        arrived = 0;
        taken = 0;
        weighed = 0;
        consumed.reset();
        reader.begin();
        if (null != staging)
        {
            staging.begin(call.sumBytes(geometry));
        }
    }

    /** The reduction reads them as one of its source regions, by slot. */
    void readBy(final Reduction reduction, final int region)
    {
        reduction.source(region, map.partialsIn.arena().region(Stage.SCALE_UP), map.partialsIn.offset(ring),
            call.sumBytes(geometry), geometry.partialType());
    }

    int node()
    {
        return node;
    }

    /** Sums that it sends. */
    int rows()
    {
        return rows;
    }

    /** Give back what the row kernels have passed, and copy on what has arrived in host memory. */
    int settle(final long completed)
    {
        final int settled = (int)consumed.settle(completed);
        if (null == staging)
        {
            return reader.consumed(settled);
        }

        final int work = reader.consumed(Math.min(settled, staging.released())) + staging.advance();
        final int count = Math.min(arrivedOverWire() - staging.begun(), geometry.config().scaleOut().chunk());
        return count > 0 && staging.isFree() ? work + staging.copy(count) : work;
    }

    private int arrivedOverWire()
    {
        return reader.arrived(tail());
    }

    private long tail()
    {
        return signals.getAcquire(SignalMap.sumsOut(geometry, channel, node));
    }

    /** See what has arrived. */
    void refresh()
    {
        final int seen = null == staging ? arrivedOverWire() : staging.arrived();
        thread.counters().found(Stage.SCALE_OUT, seen - taken);
        if (seen > arrived)
        {
            arrived = seen;
            final Stage writer = map.isStaged() ? Stage.SCALE_UP : Stage.SCALE_OUT;
            thread.acquire(writer, map.partialsIn.arena().region(writer));
        }
    }

    boolean isReady()
    {
        return taken < arrived;
    }

    /** Take the next sum: slot that has it. */
    int take()
    {
        return reader.slot(taken++);
    }

    /**
     * Add up the weights of the next sum of those taken.
     *
     * @param sums [K] to which they are added.
     */
    void weigh(final float[] sums)
    {
        final long address = map.partialWeightsIn.address(ring + reader.slot(weighed++));
        Weights.add(address, call.weightBytes() / Float.BYTES, sums);
    }

    boolean hasRoom()
    {
        return consumed.hasRoom();
    }

    /** What was taken is not needed any more once the row kernels pass a position. */
    void submitted(final long position)
    {
        consumed.add(position, taken);
    }

    boolean isComplete()
    {
        return taken == rows && consumed.isEmpty() && !reader.isDue() && (null == staging || staging.isComplete());
    }

    /** Report the node whose next sum is missing. */
    boolean isWaiting(final Wait wait)
    {
        return null != staging && staging.isWaiting(wait) || wait.set(
            geometry.relays().relay(geometry.world().rank(), node, channel), channel, WaitCounter.SCALE_OUT_TAIL,
            reader.tail(taken + 1), tail());
    }
}
