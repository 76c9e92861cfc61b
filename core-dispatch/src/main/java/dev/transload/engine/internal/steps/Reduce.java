/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;
import dev.transload.kernels.StepWords;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/** REDUCE: the sum of each token's answers, where they are. */
final class Reduce implements Primitive
{
    private static final long NOT_SUBMITTED = -1;
    private static final int ROW_MASK = (1 << StepShape.ROW_BITS) - 1;

    private final Parts parts;
    private final Peers peers;
    private final Call call;
    private final Await ready;
    private final RowTable table;
    private final Reduction reduction;
    private final long rows;
    private final long entries;
    private final long weights;
    /** By rank: greatest row that the table names. */
    private final int[] greatest;
    /** By owner whose answers are in own slots: selections of its experts so far. */
    private final int[] met;
    private long position;

    Reduce(final Parts parts, final Await ready)
    {
        this.parts = parts;
        this.peers = parts.peers();
        this.call = parts.call();
        this.ready = ready;
        this.table = parts.kernels().allocateWeightedTable(call.shape.maxTokens(), call.expert.length);
        this.reduction = new Reduction(peers.ranks());
        this.rows = BufferUtil.address(table.memory());
        this.entries = rows + table.entriesOffset();
        this.weights = rows + table.weightsOffset();
        this.greatest = new int[peers.ranks()];
        this.met = new int[peers.ranks()];
    }

    @Override
    public void begin(final long nowNs)
    {
        for (int owner = 0; owner < peers.ranks() && StepPlacement.SLOTS == call.placement; owner++)
        {
            learnPlaces(owner);
        }

        prepare();
    }

    /** Owners that pack rows themselves say afterwards where these are. */
    private void learnPlaces(final int owner)
    {
        final boolean isNear = peers.isActive(owner) && !ready.isPushed(owner);
        for (int at = 0; at < call.selections() && isNear; at++)
        {
            if (call.expert[at] >= 0 && call.owner(call.expert[at]) == owner)
            {
                final int local = call.expert[at] % call.localExperts;
                final long word = peers.read(owner, peers.words.starts(call.number, owner, local));
                call.place[at] = peers.hasCome(owner, word, call.number) ? local * call.shape.expertRows() +
                    (StepWords.value(word) & ROW_MASK) + call.slot[at] : Call.NONE;
            }
        }
    }

    private void prepare()
    {
        position = NOT_SUBMITTED;
        list();
        final StepArguments arguments = parts.arguments();
        for (int rank = 0; rank < peers.ranks(); rank++)
        {
            final boolean isRead = greatest[rank] >= 0;
            if (isRead && ready.isPushed(rank))
            {
                reduction.source(rank, peers.ownSlots(rank), parts.slots().answer(call.number, rank, 0),
                    parts.slots().answerStride(), ElementType.BF16);
            }
            else
            {
                reduction.source(rank, isRead ? ready.answers(rank) : null, isRead ? ready.answersAt(rank) : 0,
                    call.bf16Bytes(), isRead ? ElementType.BF16 : null);
            }
        }

        reduction.target(arguments.region(StepArguments.COMBINED), arguments.offset(StepArguments.COMBINED),
            call.bf16Bytes(), ElementType.BF16).noBiases().hidden(call.hidden).weighted(true);
    }

    private void list()
    {
        final StepArguments arguments = parts.arguments();
        final long leftOutAt = null == arguments.region(StepArguments.LEFT_OUT) ? 0 :
            Call.address(arguments, StepArguments.LEFT_OUT);
        Arrays.fill(greatest, Call.NONE);
        Arrays.fill(met, 0);
        long given = Call.address(arguments, StepArguments.WEIGHTS);
        int count = 0;
        int leftOut = 0;
        for (int token = 0, at = 0; token < call.tokens; token++)
        {
            UnsafeApi.putInt(rows + (long)token * RowTable.ROW_STRIDE, token);
            UnsafeApi.putInt(rows + (long)token * RowTable.ROW_STRIDE + RowTable.FIRST_ENTRY_OFFSET, count);
            for (final int end = at + call.topk; at < end; at++, given += Float.BYTES)
            {
                final int expert = call.expert[at];
                final int owner = expert < 0 ? Call.NONE : call.owner(expert);
                final boolean isPushed = owner >= 0 && ready.isPushed(owner);
                final int row = isPushed ? met[owner] : call.place[at];
                final boolean isRead = owner >= 0 && row >= 0 && peers.isActive(owner);
                if (isPushed)
                {
                    met[owner]++;
                }

                if (isRead)
                {
                    final long entry = entries + (long)count * RowTable.ENTRY_STRIDE;
                    UnsafeApi.putInt(entry, row);
                    UnsafeApi.putInt(entry + RowTable.REGION_OFFSET, owner);
                    UnsafeApi.putInt(weights + (long)count * RowTable.WEIGHT_STRIDE, UnsafeApi.getInt(given));
                    greatest[owner] = Math.max(greatest[owner], row);
                    count++;
                }

                final boolean isLeftOut = owner >= 0 && !isRead;
                leftOut += isLeftOut ? 1 : 0;
                if (0 != leftOutAt)
                {
                    UnsafeApi.putByte(leftOutAt + at, (byte)(isLeftOut ? 1 : 0));
                }
            }
        }

        parts.status().memory().putInt(StepStatus.LEFT_OUT, leftOut);
        table.noteWritten(call.tokens, count, call.tokens - 1, call.topk, false);
        for (int rank = 0; rank < greatest.length; rank++)
        {
            if (greatest[rank] >= 0)
            {
                table.noteNamed(rank, greatest[rank]);
            }
        }
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        if (position < 0)
        {
            position = parts.kernels().reduceRows(reduction, table, 0, call.tokens);
        }

        if (position < 0 || parts.kernels().completedPosition() < position)
        {
            return false;
        }

        if (isAnyVoid())
        {
            prepare();
            return false;
        }

        return true;
    }

    /** Answers that were read when their grant had run out may have been others by then. */
    private boolean isAnyVoid()
    {
        final long nowNs = parts.clock().nanoTime();
        boolean isAny = false;
        for (int rank = 0; rank < greatest.length; rank++)
        {
            isAny |= greatest[rank] >= 0 && !ready.isPushed(rank) &&
                (!peers.isActive(rank) || peers.isLeaseOver(rank, nowNs, StepOp.REDUCE));
        }

        return isAny;
    }
}
