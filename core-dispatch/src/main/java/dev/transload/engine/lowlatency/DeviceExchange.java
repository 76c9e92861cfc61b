/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A lane whose steps the device does: a dispatch and a combine are one submission each, which waits for nobody here.
 * What is received is only waited for.
 */
final class DeviceExchange extends Exchange
{
    /** Waits of a program at most. */
    private static final int WAITS = 4;

    /** The same with far ranks: for posts of the step before to be released, and for what these send. */
    private static final int FAR_WAITS = WAITS + 2;

    /** Copies from device memory are of as many bytes, or a multiple. */
    private static final int COPIED_BYTES = 4;

    private final DeviceQueue ownQueue;
    private final TensorMemory leftOut;
    private final ByteBuffer leftOutSeen;
    private final boolean[] wasActive;
    private SharedTensors tensors;
    /** Null where all ranks are near. */
    private FarPump pump;
    private StepSession session;
    private StepProgram dispatch;
    private StepProgram sum;
    private long lastPosition;
    private boolean isLeftOutSeen;
    /** [L][P] of what was received, and [L]; null where no rank was lost meanwhile. */
    private ByteBuffer ranges;
    private ByteBuffer counts;

    DeviceExchange(
        final int index, final Shape shape, final RankMask mask, final CallCounters figures,
        final TensorMemory leftOut)
    {
        super(index, shape, mask, figures);
        this.ownQueue = new DeviceQueue(leftOut.kind(), leftOut.device(), 0);
        this.leftOut = leftOut;
        this.leftOutSeen = ByteBuffer.allocate(leftOutBytes(shape));
        this.wasActive = new boolean[shape.ranks()];
    }

    static int leftOutBytes(final Shape shape)
    {
        return (shape.selections() + COPIED_BYTES - 1) / COPIED_BYTES * COPIED_BYTES;
    }

    /** Once ranks are connected; the pump is null where all ranks are near. */
    void open(final StepSession steps, final SharedTensors shared, final FarPump far)
    {
        session = steps;
        tensors = shared;
        pump = far;
        dispatch = session.compile(null == far ? StepProgram.DISPATCH : StepProgram.FAR_DISPATCH);
        sum = session.compile(null == far ? StepProgram.COMBINE : StepProgram.FAR_COMBINE);
    }

    @Override
    boolean begin(final long nowNs)
    {
        return switch (phase())
        {
            case SENDING -> submitDispatch();
            case ANSWERING -> submitCombine();
            default -> true;
        };
    }

    private boolean submitDispatch()
    {
        maskGone();
        for (int rank = 0; rank < wasActive.length; rank++)
        {
            wasActive[rank] = mask.isActive(rank);
        }

        ranges = null;
        isLeftOutSeen = false;
        return submit(request.queue(), dispatch,
            dispatchArguments(tensors.number(request.output().x().memory()), StepPlacement.DIRECT));
    }

    private boolean submitCombine()
    {
        maskGone();
        return submit(combine.queue(), sum,
            combineArguments(tensors.number(combine.x().memory()), leftOut));
    }

    private boolean submit(final DeviceQueue queue, final StepProgram program, final StepArguments given)
    {
        session.timeoutNs(timeoutNs());
        if (null != pump)
        {
            pump.timeoutNs(timeoutNs());
        }

        final long position = session.submit(null == queue ? ownQueue : queue, program, given);
        lastPosition = position < 0 ? lastPosition : position;
        if (null != pump)
        {
            pump.wake();
        }

        return position >= 0;
    }

    /** Ranks that are gone tell nothing, so that steps need not begin to wait for them. */
    private void maskGone()
    {
        for (int rank = 0; rank < shape.ranks(); rank++)
        {
            if (rank != ownRank && mask.isActive(rank))
            {
                mask.maskIfGone(rank);
            }
        }
    }

    @Override
    boolean isOver(final long nowNs)
    {
        final boolean isWaiting = Phase.RECEIVING == phase() || Phase.SUMMING == phase();
        return !isWaiting || session.completedPosition() >= lastPosition;
    }

    /** {@inheritDoc} What a rank told before it went may still be on its way through the steps: it gets a while. */
    @Override
    int progress(final long nowNs, final long silenceNs)
    {
        final int work = session.progress();
        learnMasks();
        if (isUnderWay() && session.completedPosition() < lastPosition &&
            nowNs - beganNs() > timeoutNs() / StepShape.SIGNS_A_TIMEOUT)
        {
            maskGone();
        }

        return work;
    }

    @Override
    int longestWaits()
    {
        return (null == pump ? WAITS : FAR_WAITS) * StepShape.LONGEST_WAIT;
    }

    @Override
    StepSession session()
    {
        return session;
    }

    @Override
    void activate(final int rank, final StepPeer peer, final int generation)
    {
        session.activate(rank, peer, generation);
    }

    @Override
    String dispute(final int rank)
    {
        return "";
    }

    /** {@inheritDoc} Only the device knows how many, and does not say so. */
    @Override
    void received()
    {
        final StepStatus status = session.status();
        badIds = status.badIds();
        for (int rank = 0; rank < isReceived.length; rank++)
        {
            isReceived[rank] = rank == ownRank || status.isActive(rank) ||
                wasActive[rank] && hasRows(rank);
        }
    }

    /** Of a rank that was lost in the call: before or after its rows had come. */
    private boolean hasRows(final int rank)
    {
        fetchRanges();
        for (int local = 0; local < shape.steps().localExperts(request.experts()); local++)
        {
            if (0 != (int)range(local, rank))
            {
                return true;
            }
        }

        return false;
    }

    private void fetchRanges()
    {
        if (null == ranges)
        {
            ranges = copyOf(request.output().layoutRange());
            counts = copyOf(request.output().count());
        }
    }

    private static ByteBuffer copyOf(final Tensor tensor)
    {
        final ByteBuffer copy = ByteBuffer.allocate((int)tensor.bytes()).order(ByteOrder.nativeOrder());
        tensor.memory().copyToHost(tensor.offset(), copy);
        return copy;
    }

    private long range(final int localExpert, final int source)
    {
        return ranges.getLong((localExpert * shape.ranks() + source) * Long.BYTES);
    }

    @Override
    long lostRows(final int localExpert, final int source)
    {
        if (isReceived[source] || !wasActive[source])
        {
            return 0;
        }

        fetchRanges();
        final long first = range(localExpert, source) >>> Integer.SIZE;
        final long end = source + 1 < shape.ranks() ? range(localExpert, source + 1) >>> Integer.SIZE :
            counts.getInt(localExpert * Integer.BYTES);
        return end == first ? 0 : first << Integer.SIZE | end - first;
    }

    /** {@inheritDoc} Only the device knows. */
    @Override
    long sentRowBytes()
    {
        return 0;
    }

    @Override
    long sentAnswerBytes()
    {
        return 0;
    }

    @Override
    boolean isLeftOut(final int token, final int k)
    {
        if (0 == leftOut())
        {
            return false;
        }

        if (!isLeftOutSeen)
        {
            leftOut.copyToHost(0, leftOutSeen.clear());
            isLeftOutSeen = true;
        }

        return 0 != leftOutSeen.get(token * request.topkIdx().columns() + k);
    }
}
