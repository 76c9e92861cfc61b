/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.PeerMemory;
import dev.transload.engine.plan.SendLayout;
import dev.transload.engine.ring.RingTransfer;
import dev.transload.engine.ring.RowSet;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Stage;

/**
 * The rows from one channel, or all, to one local rank, put from the caller's tensor straight to their final places,
 * past the ring: by a list, then a signal of its own. The list is kept, and filled again only
 * when the handle or an offset has changed: in parts then, so that the first rows move meanwhile. The CPU copies in
 * parts whether it is filled or kept. Lists have 16 bytes a place of the largest call, at most 32, and for scales as
 * many again.
 */
final class ListedRows
{
    /** Enough that they take longer to move than it takes to list twice as many, and so on: few operations in all. */
    private static final int FIRST_TOKENS = 512;
    private static final int MOST_TOKENS = 8192;

    /**
     * So much of the caller's tensor at a time is copied by the CPU, to each rank in turn: what the processor has read
     * ahead for one rank is in its cache for the next. Where that is little for each of many ranks, so much a rank: a
     * step costs as much as a few rows, and few rows are not streamed.
     */
    private static final int PART_BYTES = 1024 * 1024;
    private static final int PART_BYTES_A_RANK = 512 * 1024;
    private static final int LEAST_TOKENS = 32;

    private final Connection link;
    private final int channel;
    private final int end;
    private final int signal;
    private final Places places;
    private final boolean isByDevice;
    private final ListKey key = new ListKey();
    private RowSet payload;
    private RowSet scales;
    private RingTransfer transfer;
    private DispatchCall call;
    private PeerMemory exposure;
    private int capacity;
    private int rows;
    private int entries;
    private int firstToken;
    private int token;
    private int lastToken;
    private boolean isKept;
    private boolean isOn;
    private boolean areScalesDue;

    /** Of the rows of channels [channel, end); by the device all at once, by the CPU, which copies, a part a step. */
    ListedRows(
        final Connection link, final int channel, final int end, final int signal, final Places places,
        final boolean isByDevice)
    {
        this.link = link;
        this.channel = channel;
        this.end = end;
        this.signal = signal;
        this.places = places;
        this.isByDevice = isByDevice;
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
    void begin(final DispatchCall next, final PeerMemory known)
    {
        call = next;
        exposure = known;
        token = 0;
        lastToken = 0;
        areScalesDue = false;
        rows = rows(channel, end);
        if (0 == rows)
        {
            return;
        }

        entries = places.count(channel, end);
        reserve();
        payload.use(call.rows(Stage.SCALE_UP), call.rowBytes());
        firstToken = call.routes().home().firstToken(channel);
        token = firstToken;
        lastToken = call.routes().home().firstToken(end);
        areScalesDue = call.scaleBytes() > 0;
        isKept = key.isOf(call, exposure);
        scales.leaveOut();
        if (isKept && isByDevice)
        {
            putKept();
        }
        else if (!isKept)
        {
            key.clear();
            payload.refill(exposure.memory(0));
            scales.refill(exposure.memory(1));
            places.beginOwn(channel);
        }
    }

    /** All of a list as it was filled by a call before, by one operation. */
    private void putKept()
    {
        token = lastToken;
        payload.again(exposure.memory(0), entries);
        transfer.begin(0, rows);
        if (areScalesDue)
        {
            addScales();
        }
    }

    /** What scales add to the signal, beside the number of rows. */
    static int signalOfScales(final DispatchCall call)
    {
        return call.scaleBytes() > 0 ? 1 : 0;
    }

    private int rows(final int from, final int to)
    {
        final SendLayout home = call.routes().home();
        return home.rankStart(to, link.peer()) - home.rankStart(from, link.peer());
    }

    /** Nothing reads shorter lists any more: a call ends when its sources are released. */
    private void reserve()
    {
        if (capacity < entries)
        {
            capacity = Math.max(entries, 2 * capacity);
            payload = new RowSet(link.transport().allocateRows(capacity).finalPlaces(true), null);
            scales = new RowSet(link.transport().allocateRows(capacity).finalPlaces(true), null);
            transfer = new RingTransfer(link, 1, signal, payload, scales);
            key.clear();
        }
    }

    int advance()
    {
        if (null == transfer)
        {
            return 0;
        }

        int work = transfer.advance();
        boolean isToList = !transfer.isActive() && token < lastToken;
        while (isToList)
        {
            work += 1 + listMore();
            isToList = isByDevice && !transfer.isActive() && token < lastToken;
        }

        if (token == lastToken && !transfer.isActive() && areScalesDue)
        {
            work += listScales();
        }

        return work;
    }

    private int listMore()
    {
        final int before = token;
        token += Math.min(lastToken - token, tokensOfPart());
        final int moved = isKept ? useKept(before) : list(before);
        if (payload.isEmpty() && (token < lastToken || !transfer.isHolding()))
        {
            return 0;
        }

        transfer.begin(0, moved);
        if (!isByDevice && (token < lastToken || areScalesDue))
        {
            transfer.hold();
        }

        return transfer.advance();
    }

    private int tokensOfPart()
    {
        return isByDevice ? Math.min(FIRST_TOKENS + token - firstToken, MOST_TOKENS) :
            Math.min(FIRST_TOKENS, Math.max(LEAST_TOKENS, partBytes() / call.rowBytes()));
    }

    private int partBytes()
    {
        return Math.max(PART_BYTES, places.locals() * PART_BYTES_A_RANK);
    }

    private int list(final int from)
    {
        payload.into(exposure.memory(0));
        final int listed = places.addOwn(payload, false, from, token);
        if (token == lastToken && !areScalesDue)
        {
            key.set(call, exposure);
        }

        return listed;
    }

    /** As large a share of the list as these tokens are of all, which are their rows, more or less. */
    private int useKept(final int from)
    {
        final int first = entriesUntil(from);
        final int behind = entriesUntil(token);
        payload.part(exposure.memory(0), first, behind - first);
        return rowsOf(behind) - rowsOf(first);
    }

    private int entriesUntil(final int until)
    {
        return (int)((long)entries * (until - firstToken) / (lastToken - firstToken));
    }

    private int rowsOf(final int listed)
    {
        return (int)((long)rows * listed / entries);
    }

    /** All at once, while the last rows move: they are few bytes, and operations cost more. */
    private int listScales()
    {
        payload.leaveOut();
        transfer.begin(0, 0);
        addScales();
        return 1 + transfer.advance();
    }

    /** To the chunk begun last, which tells of them too. */
    private void addScales()
    {
        areScalesDue = false;
        scales.use(call.scales(Stage.SCALE_UP), call.scaleBytes());
        if (isKept)
        {
            scales.again(exposure.memory(1), entries);
        }
        else
        {
            places.beginOwn(channel);
            places.addOwn(scales, true, firstToken, lastToken);
            key.set(call, exposure);
        }

        transfer.signalMore(signalOfScales(call));
    }

    boolean isComplete()
    {
        return null == transfer || token == lastToken && !areScalesDue && !transfer.isActive() &&
            link.channel().releasedPosition() >= transfer.sourcePosition();
    }

    /** Report operations that are not done. */
    boolean awaits(final Wait wait)
    {
        return null != transfer && transfer.awaits(wait);
    }
}
