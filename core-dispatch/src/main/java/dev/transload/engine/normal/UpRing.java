/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.PeerMemory;
import dev.transload.engine.connect.Section;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.ring.Credit;
import dev.transload.engine.ring.RingTransfer;
import dev.transload.engine.ring.RowSet;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.spi.MemoryRegion;

/**
 * A forwarder's end of one local rank's scale-up ring. Metadata passes it, if any; rows and scales pass it too, or,
 * where the rank exposes its output, go straight to their final places, chunk by chunk or as {@link ListedRows}.
 */
final class UpRing
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final Connection link;
    private final Credit credit;
    private final int channel;
    private final Places places;
    private final int slots;
    private final int chunk;
    private final long first;
    private RingTransfer transfer;
    private RowSet payload;
    private RowSet scales;
    private RowSet placedPayload;
    private RowSet placedScales;
    private RowSet metas;
    private DispatchCall call;
    private PeerMemory exposure;
    private long tail;
    private int picked;
    private int nextSlot;

    UpRing(
        final Geometry geometry, final ArenaMap map, final Connection link, final Credit credit, final int channel,
        final int local, final RowMeta layout)
    {
        this.geometry = geometry;
        this.map = map;
        this.link = link;
        this.credit = credit;
        this.channel = channel;
        this.places = new Places(geometry, layout, local);
        this.slots = geometry.upRing();
        this.first = geometry.upRingStart(channel, geometry.world().local());
        this.chunk = geometry.config().scaleUp().chunk();
    }

    void begin(final DispatchCall next)
    {
        call = next;
        exposure = null;
        places.begin(next);
        if (null == transfer)
        {
            bind();
        }

        payload.use(null, 0);
        scales.use(null, 0);
        placedPayload.use(null, 0);
        placedScales.use(null, 0);
        metas.use(null, 0);
    }

    /** Imports exist only once the thread has started. */
    private void bind()
    {
        final int mostPlaces = Math.multiplyExact(slots, geometry.config().maxTopk());
        payload = new RowSet(link.transport().allocateRows(slots), link.remote(map.payloadUpIn));
        scales = new RowSet(link.transport().allocateRows(slots), link.remote(map.payloadUpIn));
        placedPayload = new RowSet(link.transport().allocateRows(mostPlaces).finalPlaces(true), null);
        placedScales = new RowSet(link.transport().allocateRows(mostPlaces).finalPlaces(true), null);
        metas = new RowSet(link.transport().allocateRows(slots), link.remote(map.rowMetaUpIn));
        transfer = new RingTransfer(link, slots,
            SignalMap.dispatchTailUp(geometry, channel, geometry.world().local()), payload, scales, placedPayload,
            placedScales, metas);
    }

    Places places()
    {
        return places;
    }

    RingTransfer transfer()
    {
        return transfer;
    }

    /** What the rank exposes in this call is known: rows may go. */
    void open(final PeerMemory known)
    {
        exposure = known;
        places.open(known);
    }

    boolean isOpen()
    {
        return null != exposure;
    }

    PeerMemory exposure()
    {
        return exposure;
    }

    /** Rows for which the ring has room now, at most a chunk. */
    int room()
    {
        final long needed = tail + chunk - slots;
        int room = (int)Math.min(chunk, slots - (tail - credit.head(needed)));
        while (room > 0 && !transfer.isReleased(tail + room - 1))
        {
            room--;
        }

        return room;
    }

    /** Begin a chunk of rows of one source node. */
    void beginChunk(final MemoryRegion rows, final MemoryRegion scaleRows, final Section metaRows)
    {
        beginEntries(metaRows);
        final boolean isPlaced = exposure.isOpen();
        (isPlaced ? placedPayload : payload).use(rows, call.rowBytes());
        (isPlaced ? placedScales : scales).use(scaleRows, call.scaleBytes());
        if (isPlaced)
        {
            placedPayload.into(exposure.memory(0));
            placedScales.into(exposure.memory(1));
        }
    }

    /** Begin a chunk of metadata alone. */
    void beginEntries(final Section metaRows)
    {
        picked = 0;
        nextSlot = (int)(tail % slots);
        metas.use(metaRows.arena().region(link.stage()), (int)map.rowMetaUpIn.stride());
    }

    void add(final int node, final Section metaRows, final long entry, final long rowFrom, final long scalesFrom)
    {
        final int slot = nextSlot;
        if (exposure.isOpen())
        {
            places.add(placedPayload, placedScales, node, metaRows.buffer(), metaRows.index(entry), rowFrom,
                scalesFrom);
        }
        else
        {
            final long target = map.payloadUpIn.offset(first + slot);
            payload.set(slot, rowFrom, target);
            if (call.scaleBytes() > 0)
            {
                scales.set(slot, scalesFrom, target + call.rowBytes());
            }
        }

        addEntry(metaRows, entry);
    }

    void addEntry(final Section metaRows, final long entry)
    {
        final int slot = nextSlot;
        nextSlot = slot + 1 == slots ? 0 : slot + 1;
        picked++;
        metas.set(slot, metaRows.offset(entry), map.rowMetaUpIn.offset(first + slot));
    }

    /**
     * Send metadata alone, in one piece.
     *
     * @param source ring that has it.
     * @param row    first of the rows there.
     * @param most   rows, positive.
     * @return rows sent.
     */
    int sendBlock(final SourceRing source, final long row, final int most)
    {
        final int slot = (int)(tail % slots);
        final int rows = Math.min(Math.min(most, source.piece(row)), Math.min(room(), slots - slot));
        if (rows > 0)
        {
            final Section from = source.metas();
            transfer.beginBlock(tail, rows, from.arena().region(link.stage()), from.offset(source.entry(row)),
                link.remote(map.rowMetaUpIn), map.rowMetaUpIn.offset(first + slot), rows * map.rowMetaUpIn.stride());
            tail += rows;
            transfer.advance();
        }

        return rows;
    }

    int picked()
    {
        return picked;
    }

    int send()
    {
        transfer.begin(tail, picked);
        tail += picked;
        return picked + transfer.advance();
    }

    /** Send metadata that was added, without rows. */
    void sendEntries()
    {
        transfer.beginEntries(tail, picked);
        tail += picked;
        transfer.advance();
    }

    /** Report the missing credit. */
    boolean awaitsCredit(final Wait wait)
    {
        final long needed = tail + 1 - slots;
        return needed > credit.head(0) &&
            wait.set(link.peer(), channel, WaitCounter.SCALE_UP_HEAD, needed, credit.head(0));
    }

    /** Report operations that are not done. */
    boolean awaits(final Wait wait)
    {
        return transfer.awaits(wait);
    }

    long released()
    {
        return link.channel().releasedPosition();
    }
}
