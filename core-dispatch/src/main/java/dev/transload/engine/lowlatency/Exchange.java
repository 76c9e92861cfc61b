/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.DataType;
import dev.transload.engine.TensorMemory;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepStatus;
import dev.transload.spi.MemoryRegion;
import java.util.Arrays;
import org.agrona.concurrent.NanoClock;

/**
 * One lane's dispatch and combine. Each of its four halves begins, and goes on by {@link #doWork} until it is done. One
 * half of one lane is under way at a time.
 */
abstract class Exchange
{
    enum Phase
    {
        FREE, SENDING, SENT, RECEIVING, RECEIVED, ANSWERING, ANSWERED, SUMMING
    }

    private static final long NS_PER_MS = 1_000_000;
    private static final Phase[] PHASES = Phase.values();
    private static final StepScales[] LAYOUTS = StepScales.values();

    final int index;
    final int ownRank;
    final Shape shape;
    final RankMask mask;
    final CallCounters figures;
    final StepArguments arguments = new StepArguments();
    /** By rank, whether its tokens are part of what was received. */
    final boolean[] isReceived;
    LowLatencyDispatchRequest request;
    LowLatencyCombineRequest combine;
    private Phase phase = Phase.FREE;
    private long call;
    int badIds;
    private int leftOutCount;
    private boolean isBegun;
    private long timeoutNs;
    private long deadlineNs;
    private long beganNs;
    private long spentNs;
    private boolean isLate;

    Exchange(final int index, final Shape shape, final RankMask mask, final CallCounters figures)
    {
        this.index = index;
        this.ownRank = shape.steps().ownRank();
        this.shape = shape;
        this.mask = mask;
        this.figures = figures;
        this.isReceived = new boolean[shape.ranks()];
        this.timeoutNs = shape.steps().timeoutNs();
    }

    void dispatch(final LowLatencyDispatchRequest given, final long number, final long givenTimeoutNs)
    {
        request = given;
        call = number;
        leftOutCount = 0;
        Arrays.fill(isReceived, false);
        enter(Phase.SENDING, givenTimeoutNs);
    }

    void receive()
    {
        enter(Phase.RECEIVING, timeoutNs);
    }

    void combine(final LowLatencyCombineRequest given, final long givenTimeoutNs)
    {
        if (Phase.SENT == phase)
        {
            figures.ended(LowLatencyCall.DISPATCH, spentNs);
        }

        combine = given;
        enter(Phase.ANSWERING, givenTimeoutNs);
    }

    void receiveAnswers()
    {
        enter(Phase.SUMMING, timeoutNs);
    }

    /** Nobody is told: all ranks do so, and the lane's next dispatch needs nothing of this one. */
    void release()
    {
        phase = Phase.FREE;
    }

    /** Where devices do the steps: what is submitted goes on by itself, and nobody asks how it ends. */
    void detach()
    {
        if (Phase.SENT == phase || Phase.ANSWERED == phase)
        {
            figures.ended(Phase.SENT == phase ? LowLatencyCall.DISPATCH : LowLatencyCall.COMBINE, spentNs);
        }

        phase = Phase.FREE;
    }

    /** The half begins with the first work on it, so that whatever fails there ends the engine as all else does. */
    private void enter(final Phase next, final long givenTimeoutNs)
    {
        phase = next;
        timeoutNs = givenTimeoutNs;
        isBegun = false;
    }

    /** Go on with what is under way; 0 where there was nothing to do. */
    int doWork(final NanoClock clock)
    {
        final long nowNs = clock.nanoTime();
        if (!isUnderWay())
        {
            return progress(nowNs, timeoutNs);
        }

        if (!isBegun)
        {
            isLate = false;
            beganNs = nowNs;
            deadlineNs = nowNs + longestWaits() * timeoutNs;
            isBegun = begin(nowNs);
        }

        int work = progress(nowNs, timeoutNs);
        if (isBegun && isOver(nowNs))
        {
            end(clock.nanoTime() - beganNs);
            work++;
        }
        else if (nowNs - deadlineNs >= 0)
        {
            requireInTime(nowNs);
        }

        return work;
    }

    /** Begin the half under way; false to be tried again. */
    abstract boolean begin(long nowNs);

    /** Whether the half under way is over. */
    abstract boolean isOver(long nowNs);

    /** Work that lanes have while one of them is under way, with the silence after which ranks are masked. */
    abstract int progress(long nowNs, long silenceNs);

    /** Time-outs that a half lasts at most. */
    abstract int longestWaits();

    abstract StepSession session();

    /** Have a rank take part again. */
    abstract void activate(int rank, StepPeer peer, int generation);

    /** Rows are there: say of whom, and count them. */
    abstract void received();

    /** Bytes of rows and of what goes with them that were sent to other ranks. */
    abstract long sentRowBytes();

    abstract long sentAnswerBytes();

    abstract boolean isLeftOut(int token, int k);

    /** First row of a rank's rows that were lost on their way, and their number, as a layout range has them. */
    abstract long lostRows(int localExpert, int source);

    /** What a rank that was masked seems to do, for a message. */
    abstract String dispute(int rank);

    /** Arguments of a dispatch but for the ids' region where that is not the own one. */
    final StepArguments dispatchArguments(final int number, final StepPlacement placement)
    {
        arguments.x(region(request.x().memory()), request.x().offset(), request.x().rows(), request.x().columns())
            .ids(region(request.topkIdx().memory()), request.topkIdx().offset(), request.topkIdx().type().bytes(),
                request.topkIdx().columns(), request.experts());
        return isFp8() ? arguments.fp8(number, placement, request.scaleFormat(),
            LAYOUTS[request.output().scaleLayout().ordinal()]) : arguments.bf16(number, placement);
    }

    final StepArguments combineArguments(final int number, final TensorMemory leftOut)
    {
        return arguments.answers(number, region(combine.topkWeights().memory()), combine.topkWeights().offset())
            .combined(region(combine.output().memory()), combine.output().offset())
            .leftOut(region(leftOut), 0);
    }

    static MemoryRegion region(final TensorMemory memory)
    {
        return memory.scaleUpRegion();
    }

    final boolean isFp8()
    {
        return DataType.F8_E4M3 == request.output().x().type();
    }

    final int rowBytes()
    {
        final int hidden = request.x().columns();
        return isFp8() ? hidden + Fp8.scales(hidden) * Float.BYTES : answerBytes();
    }

    final int answerBytes()
    {
        return request.x().columns() * ElementType.BF16.bytes();
    }

    /** Whom the steps have masked takes part nowhere any more. */
    final void learnMasks()
    {
        final StepStatus status = session().status();
        for (int rank = 0; rank < shape.ranks(); rank++)
        {
            if (!status.isActive(rank) && mask.isActive(rank) && !mask.maskIfGone(rank))
            {
                if (status.isOtherCall(rank))
                {
                    throw new CallFailedException(Reason.MISMATCH, rank, "rank " + rank + " makes another call than " +
                        "rank " + ownRank + "'s low-latency dispatch " + call + ": experts, hidden, the type of the " +
                        "rows, the format and the layout of their scales must be the same", null);
                }

                mask.mask(rank, (phase.compareTo(Phase.RECEIVED) < 0 ? "its tokens did not come in time" :
                    "the answers of its experts did not come in time") + dispute(rank));
            }
        }
    }

    /**
     * No rank is waited for any more, only kernels of this one. They have another time-out from the moment when that is
     * noticed: this thread may have been stopped, and they with it.
     */
    private void requireInTime(final long nowNs)
    {
        if (isLate)
        {
            throw new CallFailedException(Reason.DEADLINE, ownRank, "rank " + ownRank +
                "'s row kernels did not " + (Phase.SENDING == phase ? "cast or send" :
                Phase.RECEIVING == phase ? "pack" : Phase.ANSWERING == phase ? "send the answers to" : "sum") +
                " the rows of low-latency dispatch " + call + " within " + (longestWaits() + 1) +
                " times the time-out of " + timeoutNs / NS_PER_MS + " ms", null);
        }

        isLate = true;
        deadlineNs = nowNs + timeoutNs;
    }

    /** Ranks that wait for this one have got what the half had for them, when channels of masked ranks are closed. */
    private void end(final long ns)
    {
        switch (phase)
        {
            case SENDING ->
            {
                spentNs = ns;
                figures.sent(LowLatencyCall.DISPATCH, sentRowBytes());
            }
            case RECEIVING ->
            {
                received();
                figures.ended(LowLatencyCall.DISPATCH, spentNs + ns);
            }
            case ANSWERING ->
            {
                spentNs = ns;
                figures.sent(LowLatencyCall.COMBINE, sentAnswerBytes());
            }
            default ->
            {
                leftOutCount = session().status().leftOut();
                figures.leftOut(leftOutCount);
                figures.ended(LowLatencyCall.COMBINE, spentNs + ns);
            }
        }

        mask.closeChannels();
        phase = Phase.SUMMING == phase ? Phase.FREE : PHASES[phase.ordinal() + 1];
    }

    boolean isUnderWay()
    {
        return switch (phase)
        {
            case SENDING, RECEIVING, ANSWERING, SUMMING -> true;
            default -> false;
        };
    }

    Phase phase()
    {
        return phase;
    }

    int index()
    {
        return index;
    }

    /** Number of the dispatch, ascending from 1. */
    long call()
    {
        return call;
    }

    LowLatencyDispatchRequest request()
    {
        return request;
    }

    long timeoutNs()
    {
        return timeoutNs;
    }

    /** Since the half began. */
    final long beganNs()
    {
        return beganNs;
    }

    boolean isReceived(final int rank)
    {
        return isReceived[rank];
    }

    int leftOut()
    {
        return leftOutCount;
    }

    /** Selections of the dispatch, once it is received, whose ids are not allowed; those in host memory all are. */
    int badIds()
    {
        return badIds;
    }
}
