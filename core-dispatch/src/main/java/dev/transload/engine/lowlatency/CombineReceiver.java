/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.Tensor;
import dev.transload.engine.memory.Stage;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.Worker;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sums the answers to each token in F32, k ascending, weighted, once the answers of all ranks have come. What ranks owe
 * that are masked is left out. Answers of the own rank's experts are read where they are.
 */
final class CombineReceiver
{
    private static final int OWN = 0;
    private static final Stage[] STAGES = Stage.values();
    private static final int REGIONS = 1 + STAGES.length;

    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final LowLatencyMemory memory;
    private final RowKernels kernels;
    private final Worker[] workers;
    private final Figures figures;
    private final Arrivals arrivals;
    private final Reduction reduction = new Reduction(REGIONS);
    private final ReductionList list;
    private final UnsafeBuffer weights = new UnsafeBuffer(0, 0);
    private BufferSet set;
    private LowLatencyCombineRequest request;
    private boolean isListed;
    private boolean isSubmitted;
    private boolean isDone;

    CombineReceiver(
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
        this.list = kernels.allocateReduction(slots.maxTokens(), slots.maxTokens() * slots.maxTopk());
    }

    /** Begin to receive a combine that was sent. */
    void begin(final BufferSet used, final LowLatencyCombineRequest given, final long nowNs)
    {
        set = used;
        request = given;
        arrivals.begin(set, Slots.ANSWERED, nowNs);
        final Tensor idx = request.topkWeights();
        weights.wrap(idx.memory().address() + idx.offset(), (int)idx.bytes());
        isListed = false;
        isSubmitted = false;
        isDone = false;
    }

    int doWork(final long nowNs)
    {
        int work = arrivals.doWork(nowNs);
        if (arrivals.isComplete() && !isListed)
        {
            list();
        }

        if (isListed && !isSubmitted)
        {
            isSubmitted = kernels.reduceRows(reduction, list, 0, set.tokens) >= 0;
            work += isSubmitted ? 1 : 0;
        }

        if (isSubmitted)
        {
            work += finish(nowNs);
        }

        return work;
    }

    private void list()
    {
        final Tensor x = request.x();
        reduction.source(OWN, x.memory().scaleUpRegion(), ElementType.BF16);
        for (final Stage stage : STAGES)
        {
            reduction.source(1 + stage.ordinal(), memory.payload(stage), ElementType.BF16);
        }

        reduction.target(request.output().memory().scaleUpRegion(), ElementType.BF16).hidden(set.hidden)
            .weighted(true);
        checkAndAcquire();
        Arrays.fill(set.isLeftOut, false);
        set.leftOut = 0;
        list.clear();
        for (int token = 0; token < set.tokens; token++)
        {
            list.beginGroup(request.output().offset() + token * request.output().rowBytes(), 0, 0);
            for (int k = 0; k < set.topk; k++)
            {
                add(token * set.topk + k);
            }
        }

        isListed = true;
    }

    private void checkAndAcquire()
    {
        for (int rank = 0; rank < slots.ranks(); rank++)
        {
            if (arrivals.hasCome(rank))
            {
                if (!links[rank].isEquallyReleased(set.index))
                {
                    throw new CallFailedException(Reason.MISMATCH, rank, "rank " + rank + " released the result of " +
                        "low-latency dispatch " + set.call + " which rank " + ownRank +
                        " combines: all ranks must do the same", null);
                }

                final Stage stage = links[rank].inStage();
                workers[stage.ordinal()].acquire(memory.payload(stage));
            }
        }
    }

    private void add(final int at)
    {
        final int rank = set.route[at];
        final float weight = BufferSet.NOWHERE == rank ? 0 : weights.getFloat(at * Float.BYTES);
        if (rank == ownRank)
        {
            final int place = set.answer[at];
            final long row = set.packedRow(
                place / slots.maxTokens(), ownRank, place % slots.maxTokens(), slots.expertRows());
            list.addSource(OWN, request.x().offset() + row * request.x().rowBytes(), weight);
        }
        else if (BufferSet.NOWHERE != rank && arrivals.hasCome(rank))
        {
            list.addSource(
                1 + links[rank].inStage().ordinal(), links[rank].answer(set.index, set.answer[at]), weight);
        }
        else if (BufferSet.NOWHERE != rank)
        {
            set.isLeftOut[at] = true;
            set.leftOut++;
        }
    }

    private int finish(final long nowNs)
    {
        if (kernels.completedPosition() < kernels.position() || !set.lanes.isReleased(nowNs))
        {
            return 0;
        }

        figures.combines++;
        figures.leftOut += set.leftOut;
        isDone = true;
        return 1;
    }

    boolean isDone()
    {
        return isDone;
    }
}
