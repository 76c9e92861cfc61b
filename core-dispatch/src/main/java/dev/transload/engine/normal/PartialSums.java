/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.Section;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.ring.RingTransfer;
import dev.transload.engine.ring.RowSet;
import dev.transload.engine.ring.Staging;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.wire.Weights;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;

/**
 * A channel's partial sums on their way to another home node, a chunk at a time. Where the home's ring can be reached,
 * the row kernels write it themselves; where the scale-out transport does not move the payload's kind, sums are copied
 * to host memory first.
 */
public final class PartialSums
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final RowKernels kernels;
    private final int channel;
    private final int node;
    private final Connection link;
    private final Staging staging;
    private final int slots;
    private final int chunk;
    private RingTransfer transfer;
    private RowSet payload;
    private RowSet weights;
    private MemoryRegion window;
    private CombineCall call;
    private long sent;

    /**
     * Of a channel to a node.
     *
     * @param geometry sizes.
     * @param map      memory.
     * @param kernels  which sum.
     * @param channel  lane.
     * @param node     home.
     * @param link     to the same-rail peer on that node.
     * @param staging  of the send half, null where nothing is staged.
     */
    public PartialSums(
        final Geometry geometry, final ArenaMap map, final RowKernels kernels, final int channel, final int node,
        final Connection link, final Staging staging)
    {
        this.geometry = geometry;
        this.map = map;
        this.kernels = kernels;
        this.channel = channel;
        this.node = node;
        this.link = link;
        this.staging = staging;
        this.slots = geometry.outRing();
        this.chunk = geometry.config().scaleOut().chunk();
    }

    void begin(final CombineCall next)
    {
        call = next;
        if (null == transfer)
        {
            bind();
        }

        final int rowBytes = rowBytes();
        payload.use(map.wirePartialsOut.arena().region(Stage.SCALE_OUT), null == window ? rowBytes : 0);
        weights.use(map.partialWeightsOutOut.arena().region(Stage.SCALE_OUT), call.weightBytes());
        if (null != staging)
        {
            staging.use(map.partialsOutOut.arena().region(Stage.SCALE_UP), rowBytes, null, 0);
        }
    }

    /** Imports exist only once the thread has started. */
    private void bind()
    {
        payload = new RowSet(link.transport().allocateRows(slots), link.remote(map.wirePartialsIn));
        weights = new RowSet(link.transport().allocateRows(slots), link.remote(map.partialWeightsOutIn));
        window = null == staging ? link.remote(map.wirePartialsIn).window() : null;
        transfer = new RingTransfer(link, slots,
            SignalMap.combineTailOut(geometry, channel, geometry.world().node()), payload, weights);
    }

    private int rowBytes()
    {
        return call.hidden() * geometry.partialType().bytes();
    }

    /** First slot of the send half. */
    private long half()
    {
        return geometry.otherRingStart(channel, node, geometry.world().node());
    }

    /** First slot of the ring at home. */
    private long ring()
    {
        return geometry.otherRingStart(channel, geometry.world().node(), node);
    }

    /** A reduction writes the sums; once imports exist. */
    void writtenBy(final Reduction reduction)
    {
        final Section section = null == window ? map.partialsOutOut : map.partialsOutIn;
        reduction.target(null == window ? section.arena().region(Stage.SCALE_UP) : window, section.offset(0),
            section.stride(), geometry.partialType());
    }

    /** Row of the reduction's target where a sum goes. */
    int sumRow(final long row)
    {
        return (int)((null == window ? half() : ring()) + row % slots);
    }

    /** Write a row's weights. */
    void weights(final long row, final float[] values)
    {
        Weights.write(map.partialWeightsOutOut.buffer(), map.partialWeightsOutOut.index(half() + row % slots),
            call.weightBytes() / Float.BYTES, values);
    }

    /** Whether a row's slot of the send half may be written again, with its weights. */
    boolean isReleased(final long row)
    {
        return transfer.isReleased(row) && (null == staging || staging.isReleased(row));
    }

    /**
     * Stage and send what is due.
     *
     * @param tail         sums submitted to the kernels.
     * @param sumsPosition of the last of them.
     * @param isEnd        whether no more of this call are to come.
     */
    int step(final long tail, final long sumsPosition, final boolean isEnd)
    {
        int work = transfer.advance();
        if (null != staging)
        {
            work += staging.advance() + stage(tail, sumsPosition, isEnd);
        }

        // Chunks are staged as they are to be sent: what has arrived is due.
        final long ready = (null == staging ? tail : staging.arrived()) - sent;
        final boolean isDue = ready >= chunk || ready > 0 && (isEnd || null != staging);
        if (transfer.isActive() || !isDue ||
            null == staging && !link.isAccepted(link.channel().startAfter(kernels, sumsPosition)))
        {
            return work;
        }

        return work + send((int)Math.min(ready, chunk));
    }

    private int stage(final long tail, final long sumsPosition, final boolean isEnd)
    {
        final int count = (int)Math.min(tail - staging.begun(), chunk);
        final boolean isDue = count == chunk || count > 0 && isEnd;
        if (!isDue || !staging.hasRoom(count) || !staging.startsAfter(kernels, sumsPosition))
        {
            return 0;
        }

        for (long row = staging.begun(), end = row + count; row < end; row++)
        {
            final long entry = half() + row % slots;
            staging.set(row, map.partialsOutOut.offset(entry), map.wirePartialsOut.offset(entry));
        }

        return staging.begin(count);
    }

    private int send(final int count)
    {
        final long here = half();
        final long there = ring();
        final Section source = map.wirePartialsOut;
        for (long row = sent; row < sent + count; row++)
        {
            final int slot = (int)(row % slots);
            payload.set(slot, source.offset(here + slot), map.wirePartialsIn.offset(there + slot));
            if (call.weightBytes() > 0)
            {
                weights.set(slot, map.partialWeightsOutOut.offset(here + slot),
                    map.partialWeightsOutIn.offset(there + slot));
            }
        }

        transfer.begin(sent, count, null == window ? 0 : (long)count * rowBytes());
        sent += count;
        return 1 + transfer.advance();
    }

    boolean isComplete(final long tail)
    {
        return sent == tail && !transfer.isActive() &&
            link.channel().releasedPosition() >= transfer.sourcePosition() &&
            (null == staging || staging.isComplete());
    }

    boolean awaits(final Wait wait)
    {
        return transfer.awaits(wait) || null != staging && staging.awaits(wait);
    }
}
