/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.TensorMemory;
import dev.transload.engine.internal.steps.ListedSession;
import dev.transload.engine.internal.steps.OwnOutput;
import dev.transload.engine.internal.steps.PeerNews;
import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryKind;
import org.agrona.UnsafeApi;

/** A lane whose steps the calling thread does; each half is a program, whose rows pass through slots. */
final class ListedExchange extends Exchange implements PeerNews
{
    private static final int NUMBER = 0;

    private final TensorMemory leftOut;
    private final OwnOutput output = new OwnOutput();
    private final DeviceQueue queue;
    private ListedSession session;
    private FarPosts far;
    private StepProgram send;
    private StepProgram receive;
    private StepProgram answer;
    private StepProgram sum;
    private long lastPosition;

    ListedExchange(
        final int index, final Shape shape, final RankMask mask, final CallCounters figures, final MemoryKind kind,
        final int device, final TensorMemory leftOut)
    {
        super(index, shape, mask, figures);
        this.leftOut = leftOut;
        this.queue = new DeviceQueue(kind, device, 0);
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

    @Override
    boolean begin(final long nowNs)
    {
        switch (phase())
        {
            case SENDING -> submit(send, sendArguments());
            case RECEIVING -> submit(receive, arguments);
            case ANSWERING ->
            {
                session.answers(ownRank, NUMBER, region(combine.x().memory()), combine.x().offset());
                submit(answer, combineArguments(NUMBER, leftOut));
            }
            default -> submit(sum, arguments);
        }

        return true;
    }

    private void submit(final StepProgram program, final StepArguments given)
    {
        lastPosition = session.submit(queue, program, given);
        if (lastPosition < 0)
        {
            throw new IllegalStateException("steps of lane " + index + " take no more than they have");
        }
    }

    private StepArguments sendArguments()
    {
        final LowLatencyOutput target = request.output();
        output.rows(region(target.x().memory()), target.x().offset())
            .scales(isFp8() ? region(target.xScales().memory()) : null, isFp8() ? target.xScales().offset() : 0)
            .info(target.srcInfo().memory().address() + target.srcInfo().offset(),
                target.layoutRange().memory().address() + target.layoutRange().offset(),
                target.count().memory().address() + target.count().offset());
        return dispatchArguments(NUMBER, StepPlacement.SLOTS);
    }

    @Override
    boolean isOver(final long nowNs)
    {
        final boolean isSending = Phase.SENDING == phase() || Phase.ANSWERING == phase();
        return session.completedPosition() >= lastPosition &&
            (!isSending || null == far || far.isDelivered(nowNs, timeoutNs()));
    }

    /** {@inheritDoc} A lane that has nothing under way gives signs of life while another waits. */
    @Override
    int progress(final long nowNs, final long silenceNs)
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

    @Override
    int longestWaits()
    {
        return StepShape.LONGEST_WAIT;
    }

    @Override
    ListedSession session()
    {
        return session;
    }

    @Override
    void activate(final int rank, final StepPeer peer, final int generation)
    {
        session.activate(rank, peer, generation);
        if (null != far)
        {
            far.reset(rank);
        }
    }

    /** {@inheritDoc} A rank that was cleared there and not here tells what nobody looks at. */
    @Override
    String dispute(final int rank)
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

    @Override
    void received()
    {
        for (int rank = 0; rank < isReceived.length; rank++)
        {
            isReceived[rank] = session.hasPacked(rank);
        }

        final long counts = request.output().count().memory().address() + request.output().count().offset();
        for (int local = 0; local < shape.steps().localExperts(request.experts()); local++)
        {
            figures.came(local, UnsafeApi.getInt(counts + (long)local * Integer.BYTES));
        }
    }

    @Override
    long sentRowBytes()
    {
        long rows = 0;
        for (int rank = 0; rank < shape.ranks(); rank++)
        {
            rows += rank != ownRank && mask.isActive(rank) ? session.sentRows(rank) : 0;
        }

        return rows * (rowBytes() + shape.slots().headerBytes());
    }

    @Override
    long sentAnswerBytes()
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
            figures.waited(Phase.RECEIVING == phase() ? LowLatencyCall.DISPATCH : LowLatencyCall.COMBINE, rank, ns);
        }
    }

    @Override
    boolean isLeftOut(final int token, final int k)
    {
        return 0 != UnsafeApi.getByte(leftOut.address() + (long)token * request.topkIdx().columns() + k);
    }

    /** {@inheritDoc} Rows are packed without those. */
    @Override
    long lostRows(final int localExpert, final int source)
    {
        return 0;
    }
}
