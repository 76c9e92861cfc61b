/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.DataType;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.internal.steps.ListedSession;
import dev.transload.engine.internal.steps.OwnOutput;
import dev.transload.engine.internal.steps.PeerNews;
import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.util.Arrays;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.NanoClock;

/**
 * One lane's dispatch and combine: each of its four halves is a program of steps, which begins and goes on by
 * {@link #doWork} until it is done. One half of one lane is under way at a time.
 */
final class Exchange implements PeerNews
{
    enum Phase
    {
        FREE, SENDING, SENT, RECEIVING, RECEIVED, ANSWERING, ANSWERED, SUMMING
    }

    private static final int NUMBER = 0;
    private static final long NS_PER_MS = 1_000_000;
    private static final Phase[] PHASES = Phase.values();
    private static final StepScales[] LAYOUTS = StepScales.values();

    private final int index;
    private final int ownRank;
    private final Shape shape;
    private final RankMask mask;
    private final CallCounters figures;
    private final TensorMemory leftOut;
    private final long leftOutAt;
    private final StepArguments arguments = new StepArguments();
    private final OwnOutput output = new OwnOutput();
    private final DeviceQueue queue;
    private final boolean[] isReceived;
    private ListedSession session;
    private FarPosts far;
    private StepProgram send;
    private StepProgram receive;
    private StepProgram answer;
    private StepProgram sum;
    private LowLatencyDispatchRequest request;
    private LowLatencyCombineRequest combine;
    private Phase phase = Phase.FREE;
    private long call;
    private int leftOutCount;
    private boolean isBegun;
    private long awaited;
    private long timeoutNs;
    private long deadlineNs;
    private long beganNs;
    private long spentNs;
    private boolean isLate;

    Exchange(
        final int index, final Shape shape, final RankMask mask, final CallCounters figures, final MemoryKind kind,
        final int device, final TensorMemory leftOut)
    {
        this.index = index;
        this.ownRank = shape.steps().ownRank();
        this.shape = shape;
        this.mask = mask;
        this.figures = figures;
        this.leftOut = leftOut;
        this.leftOutAt = leftOut.address();
        this.queue = new DeviceQueue(kind, device, 0);
        this.isReceived = new boolean[shape.ranks()];
        this.timeoutNs = shape.steps().timeoutNs();
    }

    /** Once ranks are connected; posts are null where all ranks are near. */
    void open(final ListedSession steps, final FarPosts posts)
    {
        session = steps;
        far = posts;
        session.output(NUMBER, output);
        send = session.compile(null == far ? StepProgram.SEND : StepProgram.FAR_SEND);
        receive = session.compile(StepProgram.RECEIVE);
        answer = session.compile(StepProgram.ANSWER);
        sum = session.compile(StepProgram.SUM);
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
            return goOn(nowNs, timeoutNs);
        }

        if (!isBegun)
        {
            isBegun = true;
            isLate = false;
            beganNs = nowNs;
            deadlineNs = nowNs + StepShape.LONGEST_WAIT * timeoutNs;
            begin();
        }

        int work = goOn(nowNs, timeoutNs);
        final boolean isSending = Phase.SENDING == phase || Phase.ANSWERING == phase;
        if (session.completedPosition() >= awaited &&
            (!isSending || null == far || far.isDelivered(nowNs, timeoutNs)))
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

    /** Steps, and what they post; a lane that has nothing under way gives signs of life while another waits. */
    int goOn(final long nowNs, final long silenceNs)
    {
        session.timeoutNs(silenceNs);
        int work = session.progress();
        if (null != far)
        {
            work += far.doWork(nowNs, silenceNs);
        }

        learnMasks();
        if (session.isHeldUp())
        {
            // Nobody is waited for yet, and what was sent to a masked rank may be read until its channels are closed.
            mask.closeChannels();
        }

        return work;
    }

    private void begin()
    {
        switch (phase)
        {
            case SENDING -> submit(send, dispatchArguments());
            case RECEIVING -> submit(receive, arguments);
            case ANSWERING -> submit(answer, combineArguments());
            default -> submit(sum, arguments);
        }
    }

    private void submit(final StepProgram program, final StepArguments given)
    {
        awaited = session.submit(queue, program, given);
        if (awaited < 0)
        {
            throw new IllegalStateException("steps of lane " + index + " take no more than they have");
        }
    }

    private StepArguments dispatchArguments()
    {
        final LowLatencyOutput target = request.output();
        final boolean isFp8 = isFp8();
        output.rows(region(target.x().memory()), target.x().offset())
            .scales(isFp8 ? region(target.xScales().memory()) : null, isFp8 ? target.xScales().offset() : 0)
            .info(target.srcInfo().memory().address() + target.srcInfo().offset(),
                target.layoutRange().memory().address() + target.layoutRange().offset(),
                target.count().memory().address() + target.count().offset());
        arguments.x(region(request.x().memory()), request.x().offset(), request.x().rows(), request.x().columns())
            .ids(region(request.topkIdx().memory()), request.topkIdx().offset(), Long.BYTES,
                request.topkIdx().columns(), request.experts());
        if (isFp8)
        {
            arguments.fp8(NUMBER, StepPlacement.SLOTS, request.scaleFormat(),
                LAYOUTS[target.scaleLayout().ordinal()]);
        }
        else
        {
            arguments.bf16(NUMBER, StepPlacement.SLOTS);
        }

        if (null != far)
        {
            far.begin(rowBytes(), answerBytes());
        }

        return arguments;
    }

    private StepArguments combineArguments()
    {
        session.answers(ownRank, NUMBER, region(combine.x().memory()), combine.x().offset());
        return arguments.answers(NUMBER, region(combine.topkWeights().memory()), combine.topkWeights().offset())
            .combined(region(combine.output().memory()), combine.output().offset())
            .leftOut(region(leftOut), 0);
    }

    private static MemoryRegion region(final TensorMemory memory)
    {
        return memory.scaleUpRegion();
    }

    private boolean isFp8()
    {
        return DataType.F8_E4M3 == request.output().x().type();
    }

    private int rowBytes()
    {
        final int hidden = request.x().columns();
        return isFp8() ? hidden + Fp8.scales(hidden) * Float.BYTES : answerBytes();
    }

    private int answerBytes()
    {
        return request.x().columns() * ElementType.BF16.bytes();
    }

    /** Whom the steps have masked takes part nowhere any more. */
    private void learnMasks()
    {
        final StepStatus status = session.status();
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

                mask.mask(rank, (Phase.RECEIVING == phase ? "its tokens did not come in time" :
                    "the answers of its experts did not come in time") + dispute(rank));
            }
        }
    }

    /** A rank that was cleared there and not here tells what nobody looks at. */
    private String dispute(final int rank)
    {
        final StepWords words = new StepWords(shape.steps());
        int later = 0;
        for (int parity = 0; parity < 2; parity++)
        {
            later = Math.max(later, (int)(session.word(rank, words.counts(parity, rank, 0)) >>>
                Integer.SIZE + StepWords.CALL_BITS) - 1);
        }

        return later <= mask.generation(rank) ? "" : ": it has cleared this rank for generation " + later +
            ", here it is in " + mask.generation(rank) + ", both must be cleared for the same";
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
                " the rows of low-latency dispatch " + call + " within " + (StepShape.LONGEST_WAIT + 1) +
                " times the time-out of " + timeoutNs / NS_PER_MS + " ms", null);
        }

        isLate = true;
        deadlineNs = nowNs + timeoutNs;
    }

    /** Whoever waits for this rank has got what the half had for it, when channels of masked ranks are closed. */
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
                for (int rank = 0; rank < isReceived.length; rank++)
                {
                    isReceived[rank] = session.hasPacked(rank);
                }

                countRows();
                figures.ended(LowLatencyCall.DISPATCH, spentNs + ns);
            }
            case ANSWERING ->
            {
                spentNs = ns;
                figures.sent(LowLatencyCall.COMBINE, sentAnswerBytes());
            }
            default ->
            {
                leftOutCount = session.status().leftOut();
                figures.leftOut(leftOutCount);
                figures.ended(LowLatencyCall.COMBINE, spentNs + ns);
            }
        }

        mask.closeChannels();
        phase = Phase.SUMMING == phase ? Phase.FREE : PHASES[phase.ordinal() + 1];
    }

    private void countRows()
    {
        final long counts = request.output().count().memory().address() + request.output().count().offset();
        for (int local = 0; local < shape.steps().localExperts(request.experts()); local++)
        {
            figures.came(local, UnsafeApi.getInt(counts + (long)local * Integer.BYTES));
        }
    }

    private long sentRowBytes()
    {
        long rows = 0;
        for (int rank = 0; rank < shape.ranks(); rank++)
        {
            rows += rank != ownRank && mask.isActive(rank) ? session.sentRows(rank) : 0;
        }

        return rows * (rowBytes() + shape.slots().headerBytes());
    }

    private long sentAnswerBytes()
    {
        long answers = 0;
        for (int rank = 0; rank < shape.ranks(); rank++)
        {
            answers += rank != ownRank && mask.isActive(rank) ? session.sentAnswers(rank) : 0;
        }

        return answers * answerBytes();
    }

    @Override
    public boolean isGone(final int rank)
    {
        return mask.isGone(rank);
    }

    @Override
    public void settled(final int rank, final long ns)
    {
        if (rank != ownRank)
        {
            figures.waited(Phase.RECEIVING == phase ? LowLatencyCall.DISPATCH : LowLatencyCall.COMBINE, rank, ns);
        }
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

    ListedSession session()
    {
        return session;
    }

    long timeoutNs()
    {
        return timeoutNs;
    }

    FarPosts far()
    {
        return far;
    }

    boolean isReceived(final int rank)
    {
        return isReceived[rank];
    }

    int leftOut()
    {
        return leftOutCount;
    }

    boolean isLeftOut(final int token, final int k)
    {
        return 0 != UnsafeApi.getByte(leftOutAt + (long)token * request.topkIdx().columns() + k);
    }
}
