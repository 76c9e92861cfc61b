/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.spi.MemoryRegion;
import org.agrona.concurrent.UnsafeBuffer;

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
    private BufferSet set;

    CombineSender(final Slots slots, final PeerLink[] links, final RankMask mask, final LowLatencyMemory memory)
    {
        this.slots = slots;
        this.links = links;
        this.mask = mask;
        this.memory = memory;
    }

    /** Begin; x is null to release. */
    void begin(final BufferSet used, final Tensor x)
    {
        set = used;
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
        if (null == x)
        {
            return;
        }

        final UnsafeBuffer view = memory.messageView(link.inStage());
        final int at = link.message(set.index, channel);
        final int experts = set.channelExperts(channel);
        final int rows = DispatchMessage.rows(view, at);
        for (int row = 0; row < rows; row++)
        {
            final int answerSlot = DispatchMessage.low(DispatchMessage.source(view, at, experts, row));
            final long place = DispatchMessage.place(view, at, experts, row);
            final long packedRow = set.packedRow(
                DispatchMessage.high(place), link.rank(), DispatchMessage.low(place), slots.expertRows());
            lane.add(x.offset() + packedRow * rowBytes, link.remoteAnswer(set.index, answerSlot));
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
