/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Sends each selected row straight to its expert's slots: the slot is counted by (expert, source) in token order. Rows
 * go from the caller's tensor, or cast from the send buffer; rows for the own rank stay where they are. Kernels of a
 * device store the rows of all peers whose memory they reach by one operation; the other peers' are put.
 */
final class DispatchSender
{
    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final RankMask mask;
    private final LowLatencyMemory memory;
    private final RowKernels kernels;
    private final BufferSet set;
    private final ExpertTables tables;
    private final StoredRows stored;
    private final RowList castRows;
    private final RowList castScales;
    /** In place of a row list, for rows that are put nowhere: which way a selection goes is no branch. */
    private final ByteBuffer ownEntries;
    private final int[] rowsOfLane;
    private final long[] headersOfLane;
    private final long[] entriesOfLane;
    private boolean isCast;

    DispatchSender(
        final int ownRank, final Slots slots, final PeerLink[] links, final RankMask mask,
        final LowLatencyMemory memory, final RowKernels kernels, final BufferSet set)
    {
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.mask = mask;
        this.memory = memory;
        this.kernels = kernels;
        this.set = set;
        this.tables = new ExpertTables(ownRank, slots, links, set.index);
        this.stored = new StoredRows(ownRank, slots, links, kernels);
        this.castRows = kernels.allocateRows(slots.maxTokens());
        this.castScales = kernels.allocateRows(slots.maxTokens());
        this.ownEntries = ByteBuffer.allocateDirect(Math.max(1, slots.rowsPerLane()) * RowList.STRIDE);
        final int lanes = slots.ranks() * slots.channels();
        this.rowsOfLane = new int[lanes];
        this.headersOfLane = new long[lanes];
        this.entriesOfLane = new long[lanes];
    }

    /** Begin a dispatch; its inputs were checked. The cast comes first: it needs no routes, and runs by itself. */
    void begin()
    {
        set.lanes.begin();
        for (int rank = 0; rank < slots.ranks(); rank++)
        {
            if (rank != ownRank && !mask.maskIfGone(rank))
            {
                links[rank].use(set.index);
                set.lanes.address(rank);
            }
        }

        if (set.isFp8)
        {
            listCast();
        }

        isCast = !set.isFp8 || 0 == set.tokens || cast();
        tables.begin(set);
        stored.begin(set);
        beginLanes();
        route();
        storeRows();
        endLanes();
    }

    private void beginLanes()
    {
        Arrays.fill(rowsOfLane, 0);
        for (int rank = 0, lane = 0; rank < slots.ranks(); rank++)
        {
            for (int channel = 0; channel < slots.channels(); channel++, lane++)
            {
                headersOfLane[lane] = DispatchMessage.headers(
                    memory.outMessageAddress(set.index, rank, channel), set.channelExperts(channel));
                entriesOfLane[lane] = rank == ownRank ? BufferUtil.address(ownEntries) :
                    stored.isStored(rank) ? stored.rowsAddress(rank, channel) :
                    set.lanes.lane(rank, channel).rowsAddress();
            }
        }
    }

    /** All is in arrays and local variables, and written by address: a selection takes a few nanoseconds. */
    private void route()
    {
        final int[] lanes = tables.lane;
        final int[] counters = tables.counters;
        final int[] answerCounters = tables.answerCounter;
        final long[] places = tables.place;
        final long[] firstRows = tables.firstRow;
        final int[] rows = rowsOfLane;
        final long[] headers = headersOfLane;
        final long[] entries = entriesOfLane;
        final int[] selected = set.selected;
        final int[] answers = set.answer;
        final int topk = set.topk;
        final int end = set.tokens * topk;
        final long stride = slots.rowStride();
        final long tokenStride = tokenStride();
        long from = firstRow();
        long token = 0;
        for (int next = 0; next < end; from += tokenStride, token += 1L << Integer.SIZE)
        {
            for (final int endOfToken = next + topk; next < endOfToken; next++)
            {
                final int expert = selected[next];
                final int lane = expert < 0 ? ExpertTables.NO_LANE : lanes[expert];
                if (lane >= 0)
                {
                    final int row = rows[lane];
                    final int slot = counters[expert];
                    final int answerCounter = answerCounters[expert];
                    final int answer = counters[answerCounter];
                    rows[lane] = row + 1;
                    counters[expert] = slot + 1;
                    counters[answerCounter] = answer + 1;
                    answers[next] = answer;
                    final long header = headers[lane] + (long)row * DispatchMessage.HEADER_BYTES;
                    UnsafeApi.putLong(header, DispatchMessage.encode(token | answer));
                    UnsafeApi.putLong(header + Long.BYTES, DispatchMessage.encode(places[expert] | slot));
                    final long entry = entries[lane] + (long)row * RowList.STRIDE;
                    UnsafeApi.putLong(entry, from);
                    UnsafeApi.putLong(entry + Long.BYTES, firstRows[expert] + slot * stride);
                }
            }
        }
    }

    /** What rows are sent from. */
    private TensorMemory source()
    {
        return set.isFp8 ? memory.sendRows() : set.request.x().memory();
    }

    /** Where the first of them is. */
    private long firstRow()
    {
        return set.isFp8 ? memory.sendRow(set.index, 0) : set.request.x().offset();
    }

    private long tokenStride()
    {
        return set.isFp8 ? slots.rowStride() : Slots.bf16Bytes(set.hidden);
    }

    private void endLanes()
    {
        for (int rank = 0; rank < slots.ranks(); rank++)
        {
            for (int channel = 0; channel < slots.channels(); channel++)
            {
                if (rank == ownRank)
                {
                    writeMessage(rank, channel);
                }
                else if (set.lanes.isAddressed(rank))
                {
                    endLane(links[rank], channel);
                }
            }
        }
    }

    private void endLane(final PeerLink link, final int channel)
    {
        final Lane lane = set.lanes.lane(link.rank(), channel);
        final MemoryRegion source = LowLatencyMemory.region(source(), link.stage());
        final int rows = rowsOfLane[link.rank() * slots.channels() + channel];
        lane.begin(source, set.rowBytes(), link.ownSignal(Slots.DISPATCHED, set.index, channel), 1);
        if (stored.isStored(link.rank()))
        {
            lane.storedRows(rows);
        }
        else
        {
            lane.rows(rows);
        }

        DispatchMessage.putGeneration(writeMessage(link.rank(), channel), link.generation());
        lane.message(LowLatencyMemory.region(memory.outMessages(), link.stage()),
            memory.outMessage(set.index, link.rank(), channel), link.remoteMessage(set.index, channel),
            DispatchMessage.bytes(set.channelExperts(channel), rows),
            link.ownSignal(Slots.ANNOUNCED, set.index, channel));
    }

    private long writeMessage(final int rank, final int channel)
    {
        final long message = memory.outMessageAddress(set.index, rank, channel);
        final int experts = set.channelExperts(channel);
        DispatchMessage.put(message, set.call, set.experts, set.hidden, set.format(),
            rowsOfLane[rank * slots.channels() + channel]);
        for (int i = 0; i < experts; i++)
        {
            DispatchMessage.putCount(message, i, tables.rows(rank, channel + i * slots.channels()));
        }

        return message;
    }

    private void listCast()
    {
        final Tensor x = set.request.x();
        for (int token = 0; token < set.tokens; token++)
        {
            final long to = memory.sendRow(set.index, token);
            castRows.set(token, x.offset() + token * Slots.bf16Bytes(set.hidden), to);
            castScales.set(token, 0, to + set.hidden);
        }
    }

    int doWork(final long nowNs)
    {
        isCast = isCast || cast();
        storeRows();
        return isSubmitted() ? set.lanes.doWork(set.index, 1, nowNs) : 0;
    }

    /** Behind the cast, in the same queue. */
    private void storeRows()
    {
        if (isCast && !stored.isSubmitted())
        {
            final long position = stored.submit(source().scaleUpRegion(), rowsOfLane);
            if (position >= 0)
            {
                set.lanes.tellAfter(kernels, position);
            }
        }
    }

    private boolean cast()
    {
        final MemoryRegion target = memory.sendRows().scaleUpRegion();
        final long position = kernels.quantizeRows(set.request.x().memory().scaleUpRegion(), target, castRows, target,
            castScales, 0, set.tokens, set.hidden, set.request.scaleFormat());
        if (position >= 0)
        {
            set.lanes.startAfter(kernels, position);
        }

        return position >= 0;
    }

    /** Whether all that kernels do for it is submitted: what is submitted now finds rows that are cast. */
    boolean isSubmitted()
    {
        return isCast && stored.isSubmitted();
    }

    boolean isDone()
    {
        return isSubmitted() && set.lanes.isSent() && stored.isDone();
    }
}
