/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import org.agrona.UnsafeApi;

/**
 * Sends each received row's answer to the slot that its source named, straight from the caller's tensor; or nothing,
 * where a result is released without a combine. Either way the signals tell the sources that the set's rows have been
 * read.
 */
final class CombineSender
{
    private final Slots slots;
    private final PeerLink[] links;
    private final RankMask mask;
    private final LowLatencyMemory memory;
    private final BufferSet set;
    private final int[] firstRow;

    CombineSender(
        final Slots slots, final PeerLink[] links, final RankMask mask, final LowLatencyMemory memory,
        final BufferSet set)
    {
        this.slots = slots;
        this.links = links;
        this.mask = mask;
        this.memory = memory;
        this.set = set;
        this.firstRow = new int[slots.maxLocalExperts()];
    }

    /** Begin; x is null to release. */
    void begin(final Tensor x)
    {
        set.lanes.begin();
        for (int rank = 0; rank < slots.ranks(); rank++)
        {
            if (set.isReceived[rank] && mask.isActive(rank))
            {
                set.lanes.address(rank);
                if (null == x)
                {
                    links[rank].release(set.index);
                }

                for (int channel = 0; channel < slots.channels(); channel++)
                {
                    fill(links[rank], channel, x);
                }
            }
        }
    }

    private void fill(final PeerLink link, final int channel, final Tensor x)
    {
        final Lane lane = set.lanes.lane(link.rank(), channel);
        final MemoryRegion source = null == x ? null : LowLatencyMemory.region(x.memory(), link.stage());
        final int rowBytes = (int)Slots.bf16Bytes(set.hidden);
        final long signalled = null == x ? 1 + PeerLink.RELEASE : 1;
        lane.begin(source, rowBytes, link.ownSignal(Slots.ANSWERED, set.index, channel), signalled);
        if (null != x)
        {
            for (int localExpert = channel; localExpert < set.localExperts; localExpert += slots.channels())
            {
                firstRow[localExpert] = set.firstRow(localExpert, link.rank(), slots.expertRows());
            }

            final long message = memory.messageAddress(link.inStage()) + link.message(set.index, channel);
            final int rows = DispatchMessage.rows(message, slots.rowsPerLane());
            list(DispatchMessage.headers(message, set.channelExperts(channel)), rows, x.offset(), rowBytes,
                link.remoteAnswer(set.index, 0), lane.rowsAddress());
            lane.rows(rows);
        }
    }

    /** Answers in the order of the rows' headers: from their rows of x to the slots that the source named. */
    private void list(
        final long headers, final int rows, final long source, final long rowBytes, final long target,
        final long entries)
    {
        final int[] first = firstRow;
        final long stride = slots.answerStride();
        long header = headers;
        long entry = entries;
        for (int row = 0; row < rows; row++, header += DispatchMessage.HEADER_BYTES, entry += RowList.STRIDE)
        {
            final long tokenWord = UnsafeApi.getLong(header);
            final long placeWord = UnsafeApi.getLong(header + Long.BYTES);
            final long place = DispatchMessage.decode(placeWord);
            UnsafeApi.putLong(
                entry, source + (first[DispatchMessage.high(place)] + DispatchMessage.low(place)) * rowBytes);
            UnsafeApi.putLong(
                entry + Long.BYTES, target + DispatchMessage.low(DispatchMessage.decode(tokenWord)) * stride);
        }
    }

    int doWork(final long nowNs)
    {
        return set.lanes.doWork(set.index, -1, nowNs);
    }

    boolean isDone()
    {
        return set.lanes.isSent();
    }
}
