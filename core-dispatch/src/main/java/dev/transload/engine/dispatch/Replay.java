/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.dispatch;

import dev.transload.engine.link.Exposure;
import dev.transload.engine.link.Link;
import dev.transload.engine.link.RingTransfer;
import dev.transload.engine.link.RowSet;
import dev.transload.engine.memory.Stage;
import dev.transload.engine.route.HomeRoutes;
import dev.transload.engine.run.DispatchCall;
import dev.transload.engine.wire.Wait;

/**
 * The rows of a cached dispatch from one channel to one local rank, put from the caller's tensor straight to their
 * final places, past the ring: one list for all rows, then a fence, then an add to a signal of its own. The lists are
 * kept and filled again only when the handle or an offset has changed; they have 16 bytes a place of the largest such
 * call, at most 32, and for scales as many again.
 */
final class Replay
{
    private final Link link;
    private final int channel;
    private final int end;
    private final int signal;
    private final Places places;
    private final ListKey key = new ListKey();
    private RowSet payload;
    private RowSet scales;
    private RingTransfer transfer;
    private int capacity;
    private boolean isOn;

    /** Of the rows of channels [channel, end). */
    Replay(final Link link, final int channel, final int end, final int signal, final Places places)
    {
        this.link = link;
        this.channel = channel;
        this.end = end;
        this.signal = signal;
        this.places = places;
    }

    /** Whether the call under way takes this path. */
    void choose(final boolean isChosen)
    {
        isOn = isChosen;
    }

    boolean isOn()
    {
        return isOn;
    }

    /** Begin the rows of a call to what the rank exposes in it. */
    void begin(final DispatchCall call, final Exposure exposure)
    {
        final HomeRoutes home = call.routes().home();
        final int rows = home.rankStart(end, link.peer()) - home.rankStart(channel, link.peer());
        if (0 == rows)
        {
            return;
        }

        reserve(places.count(channel, end));
        payload.use(call.rows(Stage.SCALE_UP), call.rowBytes());
        scales.use(call.scales(Stage.SCALE_UP), call.scaleBytes());
        if (key.isOf(call, exposure))
        {
            payload.again(exposure.memory(0));
            scales.again(exposure.memory(1));
        }
        else
        {
            payload.refill(exposure.memory(0));
            scales.refill(exposure.memory(1));
            places.addAll(payload, scales, channel, end);
            key.set(call, exposure);
        }

        transfer.begin(0, rows);
    }

    /** Nothing reads shorter lists any more: a call ends when its sources are released. */
    private void reserve(final int count)
    {
        if (capacity < count)
        {
            capacity = Math.max(count, 2 * capacity);
            payload = new RowSet(link.transport().allocateRows(capacity).finalPlaces(true), null);
            scales = new RowSet(link.transport().allocateRows(capacity).finalPlaces(true), null);
            transfer = new RingTransfer(link, 1, signal, payload, scales);
            key.clear();
        }
    }

    int advance()
    {
        return null == transfer ? 0 : transfer.advance();
    }

    boolean isComplete()
    {
        return null == transfer || !transfer.isActive() &&
            link.channel().releasedPosition() >= transfer.sourcePosition();
    }

    /** Report operations that are not done. */
    boolean awaits(final Wait wait)
    {
        final long released = link.channel().releasedPosition();
        return null != transfer && released < transfer.sourcePosition() &&
            link.awaits(wait, transfer.sourcePosition(), released);
    }
}
