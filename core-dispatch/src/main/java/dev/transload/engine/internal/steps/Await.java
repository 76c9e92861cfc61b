/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryRegion;

/** AWAIT: the words that active near ranks tell at the same moment. */
final class Await implements Primitive, Wait.Look
{
    private final Parts parts;
    private final Peers peers;
    private final Call call;
    private final Moment moment;
    private final Starts starts;
    private final Wait wait;
    /** By rank: value of its words. */
    private final int[] values;

    Await(final Parts parts, final Moment moment, final Starts starts)
    {
        this.parts = parts;
        this.peers = parts.peers();
        this.call = parts.call();
        this.moment = moment;
        this.starts = starts;
        this.wait = new Wait(peers, this);
        this.values = new int[peers.ranks()];
    }

    @Override
    public void begin(final long nowNs)
    {
        wait.begin(StepOp.AWAIT, Moment.READ != moment, nowNs);
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        if (!wait.isOver(nowNs) || Moment.READ == moment && isAnyReading(nowNs))
        {
            return false;
        }

        if (Moment.DONE == moment && StepPlacement.DIRECT == call.placement)
        {
            starts.withdraw();
        }

        if (!parts.isHost())
        {
            acquire();
        }

        return true;
    }

    private void acquire()
    {
        if (Moment.DONE == moment && StepPlacement.DIRECT == call.placement)
        {
            parts.acquire().accept(peers.ownOutput(parts.arguments().output(), call).rows);
        }

        for (int rank = 0; rank < peers.ranks(); rank++)
        {
            if (Moment.READY == moment && peers.isActive(rank) && !isPushed(rank))
            {
                parts.acquire().accept(answers(rank));
            }

            if (isFirstOfSlots(rank))
            {
                parts.acquire().accept(peers.ownSlots(rank));
            }
        }
    }

    private boolean isFirstOfSlots(final int rank)
    {
        return null != peers.ownSlots(rank) && Moment.READ != moment &&
            (0 == rank || peers.ownSlots(rank) != peers.ownSlots(rank - 1));
    }

    @Override
    public boolean hasAll(final int rank, final long nowNs)
    {
        if (peers.isFar(rank))
        {
            return hasAllChunks(rank);
        }

        if (Moment.READY == moment)
        {
            if (!isThere(rank, peers.words.ready(call.number, rank)))
            {
                peers.notGranted(rank, nowNs);
                return false;
            }

            return true;
        }

        for (int block = 0; block < peers.shape.blocks(); block++)
        {
            if (!isThere(rank, Moment.DONE == moment ? peers.words.done(call.number, rank, block) :
                peers.words.read(call.number, rank, block)))
            {
                return false;
            }
        }

        if (Moment.DONE == moment)
        {
            peers.endGrant(rank);
        }
        else
        {
            peers.endReading(rank);
        }

        return true;
    }

    /** Of a far rank: the first word tells how many rows there are; of answers this rank knows. */
    private boolean hasAllChunks(final int rank)
    {
        final boolean isRows = Moment.DONE == moment;
        int chunks = isRows ? 1 : peers.slots.answerChunks(call.countOf(rank));
        for (int chunk = 0; chunk < chunks; chunk++)
        {
            if (!isThere(rank, isRows ? peers.words.landed(call.number, rank, chunk) :
                peers.words.answered(call.number, rank, chunk)))
            {
                return false;
            }

            chunks = isRows ? peers.slots.rowChunks(values[rank]) : chunks;
        }

        return true;
    }

    /** Ranks that are masked, since this one was too late for them, have been granted answers nevertheless. */
    private boolean isAnyReading(final long nowNs)
    {
        boolean isAny = false;
        for (int rank = 0; rank < peers.ranks(); rank++)
        {
            isAny |= !peers.isActive(rank) && peers.isReading(rank, nowNs) && !hasAll(rank, nowNs);
        }

        return isAny;
    }

    private boolean isThere(final int rank, final long offset)
    {
        final long word = peers.read(rank, offset);
        values[rank] = StepWords.value(word);
        return peers.hasCome(rank, word, call.number);
    }

    /** What a rank has told: slots it has filled, or the number of its answers. */
    int value(final int rank)
    {
        return values[rank];
    }

    /** Whether the answers of a rank are in own slots. */
    boolean isPushed(final int rank)
    {
        return peers.isFar(rank) || Moment.PUSHED == values[rank] && rank != peers.ownRank;
    }

    MemoryRegion answers(final int rank)
    {
        final MemoryRegion answers = peers.answers(rank, number(rank));
        if (null == answers)
        {
            throw new IllegalStateException("rank " + rank + " answers from tensor " + number(rank) +
                ", which rank " + peers.ownRank + " was not told of");
        }

        return answers;
    }

    private int number(final int rank)
    {
        return rank == peers.ownRank ? parts.arguments().answers() : values[rank];
    }

    long answersAt(final int rank)
    {
        return peers.answersAt(rank, number(rank));
    }
}
