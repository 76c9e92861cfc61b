/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.Tensor;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.RowList;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Where the rows of a dispatch are packed: made from messages, source by source, ascending, before the rows themselves
 * need to have come. All is written by address, since it is done for every row while the caller waits.
 */
final class PackingList
{
    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final LowLatencyMemory memory;
    private final BufferSet set;
    private final RowList rows;
    private final RowList scaleRows;
    private final long rowsAddress;
    private final long scaleRowsAddress;
    /** By local expert: rows so far, and where the next source's first row goes. */
    private final int[] packed;
    private final int[] firstRow;
    private final int[] firstEntry;
    private LowLatencyOutput output;
    private int sources;
    private int listed;
    private boolean hasScaleRows;

    PackingList(
        final int ownRank, final Slots slots, final PeerLink[] links, final LowLatencyMemory memory,
        final RowKernels kernels, final BufferSet set)
    {
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.memory = memory;
        this.set = set;
        final int most = slots.ranks() * slots.rowsPerPair();
        this.rows = kernels.allocateRows(most);
        this.scaleRows = kernels.allocateRows(most);
        this.rowsAddress = BufferUtil.address(rows.memory());
        this.scaleRowsAddress = BufferUtil.address(scaleRows.memory());
        this.packed = new int[slots.maxLocalExperts()];
        this.firstRow = new int[slots.maxLocalExperts()];
        this.firstEntry = new int[slots.ranks() + 1];
    }

    /** Begin with no source; entries that were listed are read by nobody any more. */
    void begin()
    {
        output = set.request.output();
        hasScaleRows = set.isFp8 && ScaleLayout.ROWS == output.scaleLayout();
        rows.rowLength((int)output.x().rowBytes());
        scaleRows.rowLength(Fp8.scales(set.hidden) * Float.BYTES);
        Arrays.fill(packed, 0);
        sources = 0;
        listed = 0;
    }

    /** Sources that are listed, or were passed over. */
    int sources()
    {
        return sources;
    }

    boolean isComplete()
    {
        return sources == slots.ranks();
    }

    /** The next source has sent nothing. */
    void skip()
    {
        for (int localExpert = 0; localExpert < set.localExperts; localExpert++)
        {
            final int place = localExpert * slots.ranks() + sources;
            set.begins[place] = packed[localExpert];
            set.counts[place] = 0;
        }

        firstEntry[++sources] = listed;
    }

    /** List the next source, whose messages are there and agree. */
    void list()
    {
        final boolean isOwn = sources == ownRank;
        for (int channel = 0; channel < slots.channels(); channel++)
        {
            final long message = message(sources, channel);
            count(message, channel);
            final int count = DispatchMessage.rows(message, Math.min(slots.rowsPerLane(), rows.capacity() - listed));
            final long headers = DispatchMessage.headers(message, set.channelExperts(channel));
            if (!isOwn)
            {
                list(headers, count, links[sources].row(set.index, 0, 0), 0, slots.rowStride());
            }
            else if (set.isFp8)
            {
                list(headers, count, memory.sendRow(set.index, 0), slots.rowStride(), 0);
            }
            else
            {
                list(headers, count, set.request.x().offset(), Slots.bf16Bytes(set.hidden), 0);
            }

            listed += count;
        }

        rows.noteWritten();
        scaleRows.noteWritten();
        firstEntry[++sources] = listed;
    }

    private void count(final long message, final int channel)
    {
        final int experts = set.channelExperts(channel);
        for (int i = 0; i < experts; i++)
        {
            final int localExpert = channel + i * slots.channels();
            final int place = localExpert * slots.ranks() + sources;
            final int count = DispatchMessage.count(message, i);
            firstRow[localExpert] = localExpert * slots.expertRows() + packed[localExpert];
            set.begins[place] = packed[localExpert];
            set.counts[place] = count;
            packed[localExpert] += count;
        }
    }

    /** Rows of one channel; a row lies at base + token · tokenStride + (local expert · M + slot) · slotStride. */
    private void list(
        final long headers, final int count, final long base, final long tokenStride, final long slotStride)
    {
        final int[] first = firstRow;
        final int maxTokens = slots.maxTokens();
        final int outputRows = set.localExperts * slots.expertRows();
        final Tensor x = output.x();
        final long target = x.offset();
        final long rowBytes = x.rowBytes();
        final long srcInfo = address(output.srcInfo());
        final boolean isScaled = hasScaleRows;
        final long scaleTarget = isScaled ? output.xScales().offset() : 0;
        final long scaleBytes = isScaled ? output.xScales().rowBytes() : 0;
        final int hidden = set.hidden;
        final long scaleOffset = scaleRowsAddress - rowsAddress;
        long entry = rowsAddress + (long)listed * RowList.STRIDE;
        long header = headers;
        for (int i = 0; i < count; i++, entry += RowList.STRIDE, header += DispatchMessage.HEADER_BYTES)
        {
            final long tokenWord = UnsafeApi.getLong(header);
            final long placeWord = UnsafeApi.getLong(header + Long.BYTES);
            if (!DispatchMessage.isWritten(tokenWord & placeWord))
            {
                throw DispatchMessage.unwritten();
            }

            final int token = DispatchMessage.high(DispatchMessage.decode(tokenWord));
            final long place = DispatchMessage.decode(placeWord);
            final int localExpert = DispatchMessage.high(place);
            final int slot = DispatchMessage.low(place);
            final int row = first[localExpert] + slot;
            if (Integer.compareUnsigned(row, outputRows) >= 0)
            {
                throw new IllegalStateException("the message of rank " + sources + " places a row at " + row +
                    " of an output of " + outputRows + " rows");
            }

            final long from = base + token * tokenStride + (localExpert * maxTokens + slot) * slotStride;
            UnsafeApi.putInt(srcInfo + (long)row * Integer.BYTES, token);
            UnsafeApi.putLong(entry, from);
            UnsafeApi.putLong(entry + Long.BYTES, target + row * rowBytes);
            if (isScaled)
            {
                UnsafeApi.putLong(entry + scaleOffset, from + hidden);
                UnsafeApi.putLong(entry + scaleOffset + Long.BYTES, scaleTarget + row * scaleBytes);
            }
        }
    }

    private long message(final int source, final int channel)
    {
        return source == ownRank ? memory.outMessageAddress(set.index, ownRank, channel) :
            memory.messageAddress(links[source].inStage()) + links[source].message(set.index, channel);
    }

    /** Whether the next source's messages, which are there, are of this call and agree with it. */
    boolean isAgreed()
    {
        boolean isAgreed = true;
        for (int channel = 0; channel < slots.channels(); channel++)
        {
            final long message = message(sources, channel);
            isAgreed &= (sources == ownRank ||
                DispatchMessage.generation(message) == links[sources].generation()) &&
                DispatchMessage.call(message) == set.call && DispatchMessage.experts(message) == set.experts &&
                DispatchMessage.hidden(message) == set.hidden && DispatchMessage.format(message) == set.format();
        }

        return isAgreed;
    }

    /** Refuse the next source's messages where they do not agree. */
    void requireAgreed()
    {
        for (int channel = 0; channel < slots.channels() && sources != ownRank; channel++)
        {
            final long message = message(sources, channel);
            // First: what was sent before a rank was cleared may have come late, and differ in all else as well.
            require("generation", DispatchMessage.generation(message), links[sources].generation());
            require("dispatch number", DispatchMessage.call(message), set.call);
            require("E", DispatchMessage.experts(message), set.experts);
            require("hidden", DispatchMessage.hidden(message), set.hidden);
            require("format (0 BF16, 1 FP8, 2 FP8 with scales that are powers of two)",
                DispatchMessage.format(message), set.format());
        }
    }

    private void require(final String what, final long theirs, final long own)
    {
        if (theirs != own)
        {
            throw new CallFailedException(Reason.MISMATCH, sources, "rank " + sources + " has " + what + " = " +
                theirs + " where rank " + ownRank + " has " + own + " in low-latency dispatch " + set.call +
                ": must be equal on all ranks", null);
        }
    }

    /** Write the counts and ranges of the output; all sources are listed. */
    void writeCounts(final CallCounters figures)
    {
        final long count = address(output.count());
        final long layoutRange = address(output.layoutRange());
        final int ranks = slots.ranks();
        for (int localExpert = 0; localExpert < set.localExperts; localExpert++)
        {
            UnsafeApi.putInt(count + localExpert * Integer.BYTES, packed[localExpert]);
            figures.came(localExpert, packed[localExpert]);
            for (int place = localExpert * ranks; place < (localExpert + 1) * ranks; place++)
            {
                UnsafeApi.putLong(layoutRange + (long)place * Long.BYTES,
                    DispatchMessage.pair(set.begins[place], set.counts[place]));
            }
        }
    }

    private static long address(final Tensor tensor)
    {
        return tensor.memory().address() + tensor.offset();
    }

    /** First entry of a source; of the one behind the last, the number of entries. */
    int firstEntry(final int source)
    {
        return firstEntry[source];
    }

    RowList rows()
    {
        return rows;
    }

    RowList scaleRows()
    {
        return scaleRows;
    }
}
