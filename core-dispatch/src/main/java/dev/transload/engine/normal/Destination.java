/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.Section;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.plan.SendLayout;
import dev.transload.engine.ring.MetaTransfer;
import dev.transload.engine.ring.RingTransfer;
import dev.transload.engine.ring.RowSet;
import dev.transload.engine.ring.Staging;
import dev.transload.engine.wire.EncodedWord;
import dev.transload.engine.wire.LaneMeta;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.spi.MemoryRegion;

/**
 * One other node as a channel's sender coordinator sees it: lane meta ahead, then chunks of rows into its ring. Where
 * the scale-out transport does not move the payload's kind, each chunk is copied to host memory first, while the
 * transport moves those before it.
 */
public final class Destination
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final DispatchLane lane;
    private final Connection link;
    private final int node;
    private final RowMeta layout;
    private final MetaTransfer meta;
    private final Staging staging;
    private final int slots;
    private final int chunk;
    private final boolean isPacked;
    private RingTransfer transfer;
    private RowSet payload;
    private RowSet scales;
    private RowSet metas;
    private DispatchCall call;
    private long dispatches;
    private long sent;
    private long released;
    private long freed;
    private long end;

    /**
     * Of a channel.
     *
     * @param geometry sizes.
     * @param map      memory.
     * @param lane     shared state of the channel.
     * @param link     to the same-rail peer on the node.
     * @param node     destination.
     * @param staging  of the send half, null where nothing is staged.
     */
    public Destination(
        final Geometry geometry, final ArenaMap map, final DispatchLane lane, final Connection link, final int node,
        final Staging staging)
    {
        this.geometry = geometry;
        this.map = map;
        this.lane = lane;
        this.link = link;
        this.node = node;
        this.layout = new RowMeta(geometry.maskWords(), geometry.config().maxTopk());
        this.meta = new MetaTransfer(link, map.laneOutOut, map.laneOutIn,
            SignalMap.laneOut(geometry, lane.channel(), geometry.world().node()));
        this.slots = geometry.outRing();
        this.chunk = geometry.config().scaleOut().chunk();
        this.staging = staging;
        this.isPacked = geometry.config().alwaysPack() || null != staging;
    }

    void begin(final DispatchCall next)
    {
        call = next;
        if (null == transfer)
        {
            bind();
        }

        final SendLayout routes = call.routes().home();
        end += routes.rowsToNode(lane.channel(), node);
        final MemoryRegion packed = map.payloadOutOut.arena().region(Stage.SCALE_OUT);
        payload.use(isPacked ? packed : call.rows(Stage.SCALE_OUT), call.rowBytes());
        scales.use(isPacked ? packed : call.scales(Stage.SCALE_OUT), call.scaleBytes());
        metas.use(map.rowMetaOutOut.arena().region(Stage.SCALE_OUT), (int)map.rowMetaOutOut.stride());
        if (null != staging)
        {
            staging.use(
                call.rows(Stage.SCALE_UP), call.rowBytes(), call.scales(Stage.SCALE_UP), call.scaleBytes());
        }

        sendMeta(routes);
        dispatches++;
    }

    /** Imports exist only once the thread has started. */
    private void bind()
    {
        payload = new RowSet(link.transport().allocateRows(slots), link.remote(map.payloadOutIn));
        scales = new RowSet(link.transport().allocateRows(slots), link.remote(map.payloadOutIn));
        metas = new RowSet(link.transport().allocateRows(slots), link.remote(map.rowMetaOutIn));
        transfer = new RingTransfer(link, slots,
            SignalMap.dispatchTailOut(geometry, lane.channel(), geometry.world().node()), payload, scales, metas);
    }

    private void sendMeta(final SendLayout routes)
    {
        final int set = (int)(dispatches % ArenaMap.SETS);
        final int channel = lane.channel();
        final long entry = geometry.laneOut(set, channel, node);
        final Section section = map.laneOutOut;
        final int at = section.index(entry);
        final int perNode = routes.experts() / geometry.nodes();
        for (int local = 0; local < geometry.locals(); local++)
        {
            final int rank = geometry.world().rankAt(node, local);
            EncodedWord.put(section.buffer(), at + LaneMeta.rankStart(local), routes.rankStart(channel, rank));
            EncodedWord.put(
                section.buffer(), at + LaneMeta.rankEnd(geometry, local), routes.rankStart(channel + 1, rank));
        }

        EncodedWord.put(section.buffer(), at + LaneMeta.nodeStart(geometry), routes.nodeStart(channel, node));
        EncodedWord.put(section.buffer(), at + LaneMeta.nodeEnd(geometry), routes.nodeStart(channel + 1, node));
        EncodedWord.put(section.buffer(), at + LaneMeta.experts(geometry), routes.experts());
        for (int expert = 0; expert < perNode; expert++)
        {
            EncodedWord.put(section.buffer(), at + LaneMeta.expertStart(geometry, expert),
                routes.expertStart(channel, node * perNode + expert));
        }

        meta.begin(entry, geometry.laneOut(set, channel, geometry.world().node()),
            LaneMeta.outBytes(geometry, perNode));
    }

    int step()
    {
        int work = meta.advance() + transfer.advance() + freeSlots();
        released = lane.half(node).released(released, end);
        if (null != staging)
        {
            work += staging.advance() + stage();
        }

        if (transfer.isActive())
        {
            return work;
        }

        // Chunks are staged as they are to be sent: what has arrived is due.
        final long ready = (null == staging ? released : staging.arrived()) - sent;
        if (ready >= chunk || ready > 0 && (released == end || null != staging))
        {
            beginChunk((int)Math.min(ready, chunk));
            work += 1 + transfer.advance();
        }

        return work;
    }

    private int stage()
    {
        final int count = (int)Math.min(released - staging.begun(), chunk);
        final boolean isDue = count == chunk || count > 0 && released == end;
        if (!isDue || !staging.hasRoom(count))
        {
            return 0;
        }

        final long ring = geometry.otherRingStart(lane.channel(), node, geometry.world().node());
        for (long row = staging.begun(), after = row + count; row < after; row++)
        {
            final long slot = row % slots;
            final long target = map.payloadOutOut.offset(ring + slot);
            final int token = token(slot);
            staging.set(row, call.rowOffset(token), target);
            if (call.scaleBytes() > 0)
            {
                staging.setScales(row, call.scaleOffset(token), target + call.rowBytes());
            }
        }

        return staging.begin(count);
    }

    private int token(final long slot)
    {
        return layout.sourceToken(map.rowMetaOutOut.buffer(),
            map.rowMetaOutOut.index(geometry.outRingStart(lane.channel(), node) + slot));
    }

    private int freeSlots()
    {
        final long before = freed;
        while (freed < transfer.finished() && transfer.isReleased(freed))
        {
            freed++;
        }

        if (freed > before)
        {
            lane.half(node).sent().setRelease(freed);
        }

        return (int)(freed - before);
    }

    private void beginChunk(final int rows)
    {
        final int own = geometry.world().node();
        final long ringThere = geometry.otherRingStart(lane.channel(), own, node);
        final long ringHere = geometry.otherRingStart(lane.channel(), node, own);
        final long metaRing = geometry.outRingStart(lane.channel(), node);
        for (long row = sent; row < sent + rows; row++)
        {
            final int slot = (int)(row % slots);
            final long target = map.payloadOutIn.offset(ringThere + slot);
            final int token = token(slot);
            final long packed = isPacked ? map.payloadOutOut.offset(ringHere + slot) : 0;
            payload.set(slot, isPacked ? packed : call.rowOffset(token), target);
            if (call.scaleBytes() > 0)
            {
                scales.set(
                    slot, isPacked ? packed + call.rowBytes() : call.scaleOffset(token), target + call.rowBytes());
            }

            metas.set(slot, map.rowMetaOutOut.offset(metaRing + slot), map.rowMetaOutIn.offset(ringThere + slot));
        }

        transfer.begin(sent, rows);
        sent += rows;
    }

    boolean isComplete()
    {
        return sent == end && !transfer.isActive() && meta.isReleased() &&
            link.channel().releasedPosition() >= transfer.sourcePosition() &&
            (null == staging || staging.isComplete());
    }

    boolean awaits(final Wait wait)
    {
        return transfer.awaits(wait) || null != staging && staging.awaits(wait) || meta.awaits(wait);
    }
}
