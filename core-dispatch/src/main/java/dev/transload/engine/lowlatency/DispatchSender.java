/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sends each selected row straight to its expert's slots: the slot is counted by (expert, source) in token order. Rows
 * go from the caller's tensor, or cast from the send buffer; rows for the own rank stay where they are.
 */
final class DispatchSender
{
    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final RankMask mask;
    private final LowLatencyMemory memory;
    private final RowKernels kernels;
    /** By set: the kernels may still read the list of one while the other is filled. */
    private final RowList[] castRows = new RowList[Slots.SETS];
    private final RowList[] castScales = new RowList[Slots.SETS];
    private final UnsafeBuffer topkIdx = new UnsafeBuffer(0, 0);
    private final int[] slotOfExpert;
    private final int[] answersOfRank;
    private final int[] rowsOfLane;
    private BufferSet set;
    private boolean isCast;

    DispatchSender(
        final int ownRank, final Slots slots, final PeerLink[] links, final RankMask mask,
        final LowLatencyMemory memory, final RowKernels kernels)
    {
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.mask = mask;
        this.memory = memory;
        this.kernels = kernels;
        for (int i = 0; i < Slots.SETS; i++)
        {
            castRows[i] = kernels.allocateRows(slots.maxTokens());
            castScales[i] = kernels.allocateRows(slots.maxTokens());
        }

        this.slotOfExpert = new int[slots.maxLocalExperts() * slots.ranks()];
        this.answersOfRank = new int[slots.ranks()];
        this.rowsOfLane = new int[slots.ranks() * slots.channels()];
    }

    /** Begin a dispatch; its inputs were checked. */
    void begin(final BufferSet used)
    {
        set = used;
        final Tensor idx = set.request.topkIdx();
        topkIdx.wrap(idx.memory().address() + idx.offset(), (int)idx.bytes());
        Arrays.fill(slotOfExpert, 0);
        Arrays.fill(answersOfRank, 0);
        Arrays.fill(rowsOfLane, 0);
        set.lanes.begin();
        for (int rank = 0; rank < slots.ranks(); rank++)
        {
            if (rank != ownRank && mask.isActive(rank))
            {
                beginLanes(rank);
            }
        }

        for (int token = 0; token < set.tokens; token++)
        {
            for (int k = 0; k < set.topk; k++)
            {
                route(token, k);
            }
        }

        writeMessages();
        prepareCast();
    }

    private void beginLanes(final int rank)
    {
        final PeerLink link = links[rank];
        link.use(set.index);
        set.lanes.address(rank);
        final TensorMemory from = set.isFp8 ? memory.sendRows() : set.request.x().memory();
        final MemoryRegion source = LowLatencyMemory.region(from, link.stage());
        for (int channel = 0; channel < slots.channels(); channel++)
        {
            set.lanes.lane(rank, channel).begin(
                source, set.rowBytes(), link.ownSignal(Slots.DISPATCHED, set.index, channel), 1);
        }
    }

    private void route(final int token, final int k)
    {
        final int at = token * set.topk + k;
        final int expert = (int)topkIdx.getLong(at * Long.BYTES);
        final int rank = expert < 0 ? BufferSet.NOWHERE : expert / set.localExperts;
        set.route[at] = rank;
        if (rank < 0 || rank != ownRank && !set.lanes.isAddressed(rank))
        {
            return;
        }

        final int localExpert = expert - rank * set.localExperts;
        final int slot = slotOfExpert[expert]++;
        final int channel = set.channel(localExpert);
        final int lane = rank * slots.channels() + channel;
        final int answerSlot = answersOfRank[rank]++;
        final int row = rowsOfLane[lane]++;
        set.answer[at] = rank == ownRank ? localExpert * slots.maxTokens() + slot : answerSlot;
        DispatchMessage.putRow(memory.outMessageView(), message(rank, channel), set.channelExperts(channel), row,
            token, answerSlot, localExpert, slot);
        if (rank != ownRank)
        {
            final long from = set.isFp8 ? memory.sendRow(set.index, token) :
                set.request.x().offset() + token * Slots.bf16Bytes(set.hidden);
            set.lanes.lane(rank, channel).add(from, links[rank].remoteRow(set.index, localExpert, slot));
        }
    }

    private int message(final int rank, final int channel)
    {
        return (int)memory.outMessage(set.index, rank, channel);
    }

    private void writeMessages()
    {
        for (int rank = 0; rank < slots.ranks(); rank++)
        {
            for (int channel = 0; channel < slots.channels(); channel++)
            {
                if (rank == ownRank || set.lanes.isAddressed(rank))
                {
                    writeMessage(rank, channel);
                }
            }
        }
    }

    private void writeMessage(final int rank, final int channel)
    {
        final int at = message(rank, channel);
        final int rows = rowsOfLane[rank * slots.channels() + channel];
        final int experts = set.channelExperts(channel);
        DispatchMessage.put(
            memory.outMessageView(), at, set.call, set.experts, set.hidden, set.format(), rows);
        for (int i = 0; i < experts; i++)
        {
            final int localExpert = channel + i * slots.channels();
            DispatchMessage.putCount(
                memory.outMessageView(), at, i, slotOfExpert[rank * set.localExperts + localExpert]);
        }

        if (rank != ownRank)
        {
            DispatchMessage.putGeneration(memory.outMessageView(), at, links[rank].generation());
            set.lanes.lane(rank, channel).message(
                LowLatencyMemory.region(memory.outMessages(), links[rank].stage()), at,
                links[rank].remoteMessage(set.index, channel), DispatchMessage.bytes(experts, rows));
        }
    }

    private void prepareCast()
    {
        isCast = !set.isFp8 || 0 == set.tokens;
        if (!isCast)
        {
            final Tensor x = set.request.x();
            for (int token = 0; token < set.tokens; token++)
            {
                final long to = memory.sendRow(set.index, token);
                castRows[set.index].set(token, x.offset() + token * Slots.bf16Bytes(set.hidden), to);
                castScales[set.index].set(token, 0, to + set.hidden);
            }
        }
    }

    int doWork(final long nowNs)
    {
        return isCast || cast() ? set.lanes.doWork(set.index, 1, nowNs) : 0;
    }

    private boolean cast()
    {
        final MemoryRegion target = memory.sendRows().scaleUpRegion();
        final long position = kernels.quantizeRows(set.request.x().memory().scaleUpRegion(), target,
            castRows[set.index], target, castScales[set.index], 0, set.tokens, set.hidden, set.request.scaleFormat());
        isCast = position >= 0;
        for (int rank = 0; rank < slots.ranks() && isCast; rank++)
        {
            for (int channel = 0; channel < slots.channels() && set.lanes.isAddressed(rank); channel++)
            {
                set.lanes.lane(rank, channel).startAfter(kernels, position);
            }
        }

        return isCast;
    }

    boolean isDone()
    {
        return isCast && set.lanes.isSent();
    }
}
