/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.connect.ThreadResources;
import dev.transload.engine.plan.ReceiveLayout;
import dev.transload.engine.ring.Credit;
import dev.transload.engine.ring.RingTransfer;
import dev.transload.engine.ring.RowSet;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;

/**
 * A sub-ring at a forwarder, for the rows of one home node: rank-major rows go straight from the caller's tensor;
 * expert-major rows of one token are first summed into a send half. Exposed rows stay where they are: the tail says
 * that they may be read, the head that they have been.
 */
public final class SubRing
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ThreadResources thread;
    private final Connection link;
    private final Credit credit;
    private final int channel;
    private final int forwarder;
    private final int node;
    private final int slots;
    private final int chunk;
    private final Reduction reduction = new Reduction();
    private final RowTable sums;
    private RingTransfer transfer;
    private RowSet payload;
    private RowSet weights;
    private CombineCall call;
    private boolean isExposed;
    private long tail;
    private int row;
    private int lastRow;
    private int collected;
    private boolean areSumsSubmitted;
    private long sumsPosition;

    /**
     * For a channel, a forwarder and a home node.
     *
     * @param geometry  sizes.
     * @param map       memory.
     * @param thread    which drives it.
     * @param link      to the forwarder.
     * @param credit    head of the sub-ring.
     * @param channel   lane.
     * @param forwarder local rank.
     * @param node      home.
     */
    public SubRing(
        final Geometry geometry, final ArenaMap map, final ThreadResources thread, final Connection link,
        final Credit credit, final int channel, final int forwarder, final int node)
    {
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.link = link;
        this.credit = credit;
        this.channel = channel;
        this.forwarder = forwarder;
        this.node = node;
        this.slots = geometry.subRing();
        this.chunk = geometry.config().scaleUp().chunk();
        this.sums = thread.kernels().allocateTable(chunk, chunk * geometry.config().maxTopk());
    }

    void begin(final CombineCall next)
    {
        call = next;
        if (null == transfer)
        {
            bind();
        }

        final ReceiveLayout experts = call.routes().experts();
        final int rank = geometry.world().rankAt(node, forwarder);
        row = experts.laneStart(channel, rank);
        lastRow = row + experts.laneRows(channel, rank);
        collected = 0;
        final boolean isExpanded = call.routes().isExpanded();
        payload.use(null, 0);
        weights.use(null, 0);
        isExposed = call.isExposedTo(link, map);
        if (isExposed)
        {
            return;
        }

        payload.use(isExpanded ? map.rowsUpOut.arena().region(Stage.SCALE_UP) : call.rows(), call.rowBytes());
        weights.use(map.weightsUpOut.arena().region(Stage.SCALE_UP), call.weightBytes());
        reduction.source(0, call.rows(), call.rowOffset(0), call.rowBytes(), ElementType.BF16)
            .target(map.rowsUpOut.arena().region(Stage.SCALE_UP), map.rowsUpOut.offset(0), map.rowsUpOut.stride(),
                ElementType.BF16)
            .hidden(call.hidden());
    }

    /** Imports exist only once the thread has started. */
    private void bind()
    {
        payload = new RowSet(link.transport().allocateRows(slots), link.remote(map.rowsUpIn));
        weights = new RowSet(link.transport().allocateRows(slots), link.remote(map.weightsUpIn));
        transfer = new RingTransfer(link, slots,
            SignalMap.combineTailUp(geometry, channel, geometry.world().local(), node), payload, weights);
    }

    int step()
    {
        int work = transfer.advance();
        if (transfer.isActive())
        {
            return work;
        }

        if (isExposed)
        {
            return row < lastRow ? work + expose() : work;
        }

        if (0 == collected && row < lastRow && thread.kernels().completedPosition() >= sumsPosition)
        {
            work += collect();
        }

        return collected > 0 ? work + send() : work;
    }

    private int expose()
    {
        final int count = lastRow - row;
        transfer.begin(tail, count, (long)count * (call.rowBytes() + call.weightBytes()));
        tail += count;
        row = lastRow;
        return 1 + transfer.advance();
    }

    private int collect()
    {
        final int wanted = Math.min(chunk, lastRow - row);
        final long needed = tail + wanted - slots;
        if (credit.head(needed) < needed || !transfer.isReleased(tail + wanted - 1))
        {
            return 0;
        }

        sums.clear();
        areSumsSubmitted = false;
        for (int i = 0; i < wanted; i++)
        {
            final int slot = (int)((tail + i) % slots);
            final long there = geometry.subRingStart(channel, geometry.world().local(), node) + slot;
            final long here = geometry.subRingStart(channel, forwarder, node) + slot;
            final boolean isExpanded = call.routes().isExpanded();
            payload.set(slot, isExpanded ? map.rowsUpOut.offset(here) : call.rowOffset(row + i),
                map.rowsUpIn.offset(there));
            if (isExpanded)
            {
                sum(row + i, (int)here);
            }

            if (call.weightBytes() > 0)
            {
                writeWeights(row + i, map.weightsUpOut.index(here));
                weights.set(slot, map.weightsUpOut.offset(here), map.weightsUpIn.offset(there));
            }
        }

        collected = wanted;
        return wanted;
    }

    private void sum(final int from, final int target)
    {
        sums.beginRow(target);
        for (int k = 0, topk = call.routes().home().topk(); k < topk; k++)
        {
            final int place = call.routes().experts().place(from, k);
            if (place >= 0)
            {
                sums.add(0, place);
            }
        }
    }

    private void writeWeights(final int from, final int at)
    {
        final boolean isExpanded = call.routes().isExpanded();
        for (int k = 0, topk = call.routes().home().topk(); k < topk; k++)
        {
            final int place = isExpanded ? call.routes().experts().place(from, k) : from;
            final float weight = place < 0 ? 0f : call.weight(place, isExpanded ? 0 : k);
            map.weightsUpOut.buffer().putFloat(at + k * Float.BYTES, weight);
        }
    }

    private int send()
    {
        if (call.routes().isExpanded())
        {
            final RowKernels kernels = thread.kernels();
            if (!areSumsSubmitted)
            {
                final long position = kernels.reduceRows(reduction, sums, 0, collected);
                if (position < 0)
                {
                    return 0;
                }

                areSumsSubmitted = true;
                sumsPosition = position;
            }

            if (!link.isAccepted(link.channel().startAfter(kernels, sumsPosition)))
            {
                return 0;
            }
        }

        transfer.begin(tail, collected);
        tail += collected;
        row += collected;
        collected = 0;
        return 1 + transfer.advance();
    }

    boolean isComplete()
    {
        return row == lastRow && 0 == collected && !transfer.isActive() &&
            link.channel().releasedPosition() >= transfer.sourcePosition() &&
            thread.kernels().completedPosition() >= sumsPosition &&
            (!isExposed || credit.head(tail) >= tail);
    }

    boolean awaits(final Wait wait)
    {
        if (isExposed && row == lastRow && credit.head(0) < tail)
        {
            return wait.set(link.peer(), channel, WaitCounter.SCALE_UP_HEAD, tail, credit.head(0));
        }

        final long needed = tail + Math.min(chunk, lastRow - row) - slots;
        if (row < lastRow && 0 == collected && needed > credit.head(0))
        {
            return wait.set(link.peer(), channel, WaitCounter.SCALE_UP_HEAD, needed, credit.head(0));
        }

        return transfer.awaits(wait);
    }
}
