/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryRegion;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * PLACE: each row to all of its places at near ranks, or to one slot at each of them. Row kernels read a row once and
 * write it to all of these. SEND_FAR has it write rows for far ranks to slots in the same way.
 */
final class Place implements Primitive, Wait.Look
{
    /** Tokens whose rows are copied between two looks at the leases, where this thread copies. */
    private static final int CHUNK = 16;

    private static final int ROW_MASK = (1 << StepShape.ROW_BITS) - 1;

    private final Parts parts;
    private final Peers peers;
    private final Call call;
    private final int mostExperts;
    private final Wait wait;
    private final RowTable table;
    private final long rows;
    private final long entries;
    private final RowScatter scatter;
    private final Cast cast;
    private final boolean isOfFar;
    /** By owner and local expert: value of the start word. */
    private final int[] starts;
    /** By owner: first local expert whose start has not come. */
    private final int[] next;
    /** By owner: slots that are filled. */
    private final int[] slotsOf;
    /** By owner: greatest row that the table names. */
    private final int[] greatest;
    private int token;
    private long position;
    private boolean isListed;

    Place(final Parts parts, final Cast cast, final boolean isOfFar)
    {
        this.cast = cast;
        this.isOfFar = isOfFar;
        this.parts = parts;
        this.peers = parts.peers();
        this.call = parts.call();
        this.mostExperts = peers.shape.localExperts();
        this.wait = new Wait(peers, this);
        this.table = parts.kernels().allocateTable(call.shape.maxTokens(), call.expert.length);
        this.rows = BufferUtil.address(table.memory());
        this.entries = rows + table.entriesOffset();
        this.scatter = new RowScatter(peers.ranks());
        this.starts = new int[peers.ranks() * mostExperts];
        this.next = new int[peers.ranks()];
        this.slotsOf = new int[peers.ranks()];
        this.greatest = new int[peers.ranks()];
    }

    @Override
    public void begin(final long nowNs)
    {
        token = 0;
        position = 0;
        isListed = false;
        Arrays.fill(next, 0);
        Arrays.fill(slotsOf, 0);
        cast.begin();
        if (isDirect())
        {
            wait.begin(StepOp.PLACE, false, nowNs);
        }
    }

    private boolean isDirect()
    {
        return StepPlacement.DIRECT == call.placement && !isOfFar;
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        if (!cast.isSubmitted() || isDirect() && !wait.isOver(nowNs) || isScaledHere() && !cast.isDone())
        {
            return false;
        }

        if (!isListed)
        {
            list();
        }

        if (token < call.tokens)
        {
            place();
        }

        return token == call.tokens && parts.kernels().completedPosition() >= position;
    }

    /** Whether scales lie otherwise than the cast leaves them. */
    private boolean isScaledHere()
    {
        return call.isFp8 && isDirect() && StepScales.ROWS != parts.arguments().scales();
    }

    @Override
    public boolean hasAll(final int owner, final long nowNs)
    {
        while (next[owner] < mostExperts)
        {
            final long word = peers.read(owner, peers.words.starts(call.number, owner, next[owner]));
            if (!peers.hasCome(owner, word, call.number))
            {
                peers.notGranted(owner, nowNs);
                return false;
            }

            starts[owner * mostExperts + next[owner]] = StepWords.value(word);
            next[owner]++;
        }

        return true;
    }

    /** Rows from the next token on, and where their planes lie. */
    private void list()
    {
        isListed = true;
        Arrays.fill(greatest, Call.NONE);
        int count = 0;
        for (int i = 0, at = 0; i < call.tokens; i++, at += call.topk)
        {
            UnsafeApi.putInt(rows + (long)i * RowTable.ROW_STRIDE, i);
            UnsafeApi.putInt(rows + (long)i * RowTable.ROW_STRIDE + RowTable.FIRST_ENTRY_OFFSET, count);
            if (i >= token)
            {
                count = isDirect() ? listPlaces(at, count) : listSlots(i, at, count);
            }
        }

        table.noteWritten(call.tokens, count, call.tokens - 1, call.topk, false);
        final boolean isInScratch = call.isFp8;
        final long stride = isInScratch ? parts.slots().rowStride() : call.bf16Bytes();
        final MemoryRegion source = isInScratch ? parts.scratch() : parts.arguments().region(StepArguments.X);
        final long base = isInScratch ? 0 : parts.arguments().offset(StepArguments.X);
        final boolean hasScalePlane = call.isFp8 && isDirect() && !isScaledHere();
        scatter.source(source, base, stride,
            (int)call.rowBytes() + (call.isFp8 && !isDirect() ? call.scaleBytes() : 0));
        scatter.scales(hasScalePlane ? source : null, call.hidden, stride, hasScalePlane ? call.scaleBytes() : 0);
        for (int rank = 0; rank < greatest.length; rank++)
        {
            target(rank, greatest[rank] >= 0, hasScalePlane);
        }
    }

    private void target(final int rank, final boolean isNamed, final boolean hasScalePlane)
    {
        if (isNamed)
        {
            table.noteNamed(rank, greatest[rank]);
        }

        if (isNamed && isDirect())
        {
            final MemoryRegion region = output(rank).rows();
            scatter.target(rank, region, 0, call.rowBytes());
            scatter.scalesTarget(rank, hasScalePlane ? region : null,
                StepOutput.scalesOffset(call.places(), call.hidden), call.scaleBytes());
        }
        else
        {
            scatter.target(rank, isNamed ? peers.slotsFor(rank) : null, peers.rowsFor(call.number, rank),
                parts.slots().rowStride());
            scatter.scalesTarget(rank, null, 0, 0);
        }
    }

    private StepOutput output(final int owner)
    {
        final int number = starts[owner * mostExperts] >>> StepShape.ROW_BITS;
        final StepOutput output = peers.output(owner, number);
        if (null == output)
        {
            throw new IllegalStateException("rank " + owner + " receives in output " + number + ", which rank " +
                peers.ownRank + " was not told of");
        }

        return output;
    }

    private int listPlaces(final int first, final int listed)
    {
        int count = listed;
        for (int at = first; at < first + call.topk; at++)
        {
            final int expert = call.expert[at];
            final int owner = expert < 0 ? Call.NONE : call.owner(expert);
            call.place[at] = Call.NONE;
            if (owner >= 0 && isReached(owner))
            {
                final int local = expert % call.localExperts;
                final int place = local * call.shape.expertRows() +
                    (starts[owner * mostExperts + local] & ROW_MASK) + call.slot[at];
                call.place[at] = place;
                count = entry(count, owner, place);
            }
        }

        return count;
    }

    private boolean isReached(final int owner)
    {
        return peers.isActive(owner) && peers.isFar(owner) == isOfFar;
    }

    private int entry(final int count, final int owner, final int row)
    {
        final long entry = entries + (long)count * RowTable.ENTRY_STRIDE;
        UnsafeApi.putInt(entry, row);
        UnsafeApi.putInt(entry + RowTable.REGION_OFFSET, owner);
        greatest[owner] = Math.max(greatest[owner], row);
        return count + 1;
    }

    /** One row for each owner, with a header that says which places it has. */
    private int listSlots(final int ofToken, final int first, final int listed)
    {
        int count = listed;
        for (int at = first; at < first + call.topk; at++)
        {
            final int owner = call.expert[at] < 0 ? Call.NONE : call.owner(call.expert[at]);
            if (owner >= 0 && isReached(owner) && isFirstOf(owner, first, at))
            {
                Headers.write(
                    peers.headerFor(call.number, owner, slotsOf[owner]), call, ofToken, first, owner);
                count = entry(count, owner, slotsOf[owner]);
                slotsOf[owner]++;
            }
        }

        return count;
    }

    private boolean isFirstOf(final int owner, final int first, final int end)
    {
        for (int at = first; at < end; at++)
        {
            if (call.expert[at] >= 0 && call.owner(call.expert[at]) == owner)
            {
                return false;
            }
        }

        return true;
    }

    /** One chunk, if the kernels take it. */
    private void place()
    {
        if (isDirect() && isAnyLate())
        {
            list();
        }

        final int count = parts.isHost() ? Math.min(CHUNK, call.tokens - token) : call.tokens - token;
        final long submitted = parts.kernels().scatterRows(scatter, table, token, count);
        if (submitted < 0)
        {
            return;
        }

        position = submitted;
        for (int end = token + count; token < end && isDirect(); token++)
        {
            writeInfo();
        }

        token = isDirect() ? token : token + count;
    }

    private boolean isAnyLate()
    {
        final long nowNs = parts.clock().nanoTime();
        boolean isAny = false;
        for (int rank = 0; rank < greatest.length; rank++)
        {
            isAny |= greatest[rank] >= 0 &&
                (!peers.isActive(rank) || peers.isLeaseOver(rank, nowNs, StepOp.PLACE));
        }

        return isAny;
    }

    private void writeInfo()
    {
        for (int at = token * call.topk; at < (token + 1) * call.topk; at++)
        {
            if (call.place[at] >= 0)
            {
                final StepOutput output = output(call.owner(call.expert[at]));
                UnsafeApi.putInt(output.info().address() + (long)call.place[at] * Integer.BYTES, token);
                if (isScaledHere())
                {
                    ScaleWords.write(parts.scratch().address() + token * parts.slots().rowStride() + call.hidden,
                        output.rows().address() + StepOutput.scalesOffset(call.places(), call.hidden),
                        parts.arguments().scales(), call.hidden, call.shape.expertRows(), call.place[at]);
                }
            }
        }
    }

    /** Slots of this rank at an owner that are filled. */
    int slotsOf(final int owner)
    {
        return slotsOf[owner];
    }
}
