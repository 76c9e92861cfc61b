/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.Tensor;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.Worker;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Packs the rows that came to each local expert, sources ascending and tokens ascending within a source: a source is
 * packed as soon as it and all before it have come, or are masked, so that order never depends on timing. A source
 * whose channels do not all tell of its rows in time counts as one that sent none.
 */
final class DispatchReceiver
{
    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final LowLatencyMemory memory;
    private final RowKernels kernels;
    private final Worker[] workers;
    private final Figures figures;
    private final Arrivals arrivals;
    private final RowList rows;
    private final RowList scaleRows;
    private final ScaleWriter scaleWriter = new ScaleWriter();
    private final UnsafeBuffer count = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer srcInfo = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer layoutRange = new UnsafeBuffer(0, 0);
    private final int[] packed;
    private BufferSet set;
    private LowLatencyOutput output;
    private int source;
    private int listed;
    private int submitted;
    private boolean isListed;
    private boolean isCopied;
    private boolean isDone;

    DispatchReceiver(
        final int ownRank, final Slots slots, final PeerLink[] links, final Arrivals arrivals,
        final LowLatencyMemory memory, final RowKernels kernels, final Worker[] workers, final Figures figures)
    {
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.memory = memory;
        this.kernels = kernels;
        this.workers = workers;
        this.figures = figures;
        this.arrivals = arrivals;
        final int most = slots.ranks() * slots.rowsPerPair();
        this.rows = kernels.allocateRows(most);
        this.scaleRows = kernels.allocateRows(most);
        this.packed = new int[slots.maxLocalExperts()];
    }

    /** Begin to receive a dispatch that was sent. */
    void begin(final BufferSet used, final long nowNs)
    {
        set = used;
        output = set.request.output();
        arrivals.begin(set, Slots.DISPATCHED, nowNs);
        wrap(count, output.count());
        wrap(srcInfo, output.srcInfo());
        wrap(layoutRange, output.layoutRange());
        if (set.isFp8 && ScaleLayout.ROWS != output.scaleLayout())
        {
            scaleWriter.begin(output, set.hidden, slots.expertRows());
        }

        Arrays.fill(packed, 0);
        rows.rowLength((int)output.x().rowBytes());
        scaleRows.rowLength(Fp8.scales(set.hidden) * Float.BYTES);
        source = 0;
        listed = 0;
        submitted = 0;
        isListed = false;
        isCopied = false;
        isDone = false;
    }

    private static void wrap(final UnsafeBuffer buffer, final Tensor tensor)
    {
        buffer.wrap(tensor.memory().address() + tensor.offset(), (int)tensor.bytes());
    }

    int doWork(final long nowNs)
    {
        int work = arrivals.doWork(nowNs);
        while (source < slots.ranks() && !arrivals.isAwaited(source) && pack())
        {
            work++;
        }

        if (source == slots.ranks())
        {
            work += finish(nowNs);
        }

        return work;
    }

    /** One source; false where the kernels have no room yet. */
    private boolean pack()
    {
        final boolean isOwn = source == ownRank;
        if (isOwn || arrivals.hasCome(source))
        {
            final MemoryRegion from = isOwn ? (set.isFp8 ? memory.sendRows() : set.request.x().memory())
                .scaleUpRegion() : memory.payload(links[source].inStage());
            if (!isListed && !list(from) || !submit(from))
            {
                return false;
            }
        }
        else
        {
            countNone();
        }

        set.isReceived[source] = !isOwn && arrivals.hasCome(source);
        isListed = false;
        isCopied = false;
        source++;
        return true;
    }

    private void countNone()
    {
        for (int localExpert = 0; localExpert < set.localExperts; localExpert++)
        {
            set.begins[localExpert * slots.ranks() + source] = packed[localExpert];
        }
    }

    private boolean submit(final MemoryRegion from)
    {
        final int ready = listed - submitted;
        if (0 == ready)
        {
            return true;
        }

        if (!isCopied)
        {
            isCopied = kernels.copyRows(
                from, output.x().memory().scaleUpRegion(), rows, submitted, ready) >= 0;
        }

        if (!isCopied || set.isFp8 && ScaleLayout.ROWS == output.scaleLayout() && kernels.copyRows(
            from, output.xScales().memory().scaleUpRegion(), scaleRows, submitted, ready) < 0)
        {
            return false;
        }

        submitted = listed;
        return true;
    }

    private boolean list(final MemoryRegion from)
    {
        final boolean isWritten = set.isFp8 && ScaleLayout.ROWS != output.scaleLayout();
        if (isWritten && kernels.completedPosition() < kernels.position())
        {
            return false;
        }

        if (source != ownRank)
        {
            workers[links[source].inStage().ordinal()].acquire(from);
        }

        for (int channel = 0; channel < slots.channels(); channel++)
        {
            list(channel, isWritten ? from.address() : 0);
        }

        isListed = true;
        return true;
    }

    private void list(final int channel, final long scalesAddress)
    {
        final boolean isOwn = source == ownRank;
        final UnsafeBuffer view =
            isOwn ? memory.outMessageView() : memory.messageView(links[source].inStage());
        final int at = isOwn ? (int)memory.outMessage(set.index, ownRank, channel) :
            links[source].message(set.index, channel);
        check(view, at);
        final int experts = set.channelExperts(channel);
        for (int i = 0; i < experts; i++)
        {
            final int localExpert = channel + i * slots.channels();
            final int place = localExpert * slots.ranks() + source;
            set.begins[place] = packed[localExpert];
            set.counts[place] = DispatchMessage.count(view, at, i);
            packed[localExpert] += set.counts[place];
        }

        final int count = DispatchMessage.rows(view, at);
        for (int row = 0; row < count; row++)
        {
            final int token = DispatchMessage.high(DispatchMessage.source(view, at, experts, row));
            final long place = DispatchMessage.place(view, at, experts, row);
            add(token, DispatchMessage.high(place), DispatchMessage.low(place), scalesAddress);
        }
    }

    private void add(final int token, final int localExpert, final int slot, final long scalesAddress)
    {
        final long from = source != ownRank ? links[source].row(set.index, localExpert, slot) :
            set.isFp8 ? memory.sendRow(set.index, token) :
            set.request.x().offset() + token * Slots.bf16Bytes(set.hidden);
        final int row = set.packedRow(localExpert, source, slot, slots.expertRows());
        srcInfo.putInt(row * Integer.BYTES, token);
        rows.set(listed, from, output.x().offset() + row * output.x().rowBytes());
        if (set.isFp8 && 0 == scalesAddress)
        {
            scaleRows.set(
                listed, from + set.hidden, output.xScales().offset() + row * output.xScales().rowBytes());
        }
        else if (set.isFp8)
        {
            scaleWriter.write(scalesAddress + from + set.hidden, localExpert, row - localExpert * slots.expertRows());
        }

        listed++;
    }

    private void check(final UnsafeBuffer view, final int at)
    {
        // First: what was sent before a rank was cleared may have come late, and differ in all else as well.
        if (source != ownRank)
        {
            require("generation", DispatchMessage.generation(view, at), links[source].generation());
        }

        require("dispatch number", DispatchMessage.call(view, at), set.call);
        require("E", DispatchMessage.experts(view, at), set.experts);
        require("hidden", DispatchMessage.hidden(view, at), set.hidden);
        require("format (0 BF16, 1 FP8, 2 FP8 with scales that are powers of two)",
            DispatchMessage.format(view, at), set.format());
    }

    private void require(final String what, final long theirs, final long own)
    {
        if (theirs != own)
        {
            throw new CallFailedException(Reason.MISMATCH, source, "rank " + source + " has " + what + " = " + theirs +
                " where rank " + ownRank + " has " + own + " in low-latency dispatch " + set.call +
                ": must be equal on all ranks", null);
        }
    }

    private int finish(final long nowNs)
    {
        if (kernels.completedPosition() < kernels.position() || !set.lanes.isReleased(nowNs))
        {
            return 0;
        }

        for (int localExpert = 0; localExpert < set.localExperts; localExpert++)
        {
            count.putInt(localExpert * Integer.BYTES, packed[localExpert]);
            figures.rowsPerExpert[localExpert] += packed[localExpert];
            for (int rank = 0; rank < slots.ranks(); rank++)
            {
                final int place = localExpert * slots.ranks() + rank;
                layoutRange.putLong(
                    place * Long.BYTES, DispatchMessage.pair(set.begins[place], set.counts[place]));
            }
        }

        figures.dispatches++;
        isDone = true;
        return 1;
    }

    boolean isDone()
    {
        return isDone;
    }
}
