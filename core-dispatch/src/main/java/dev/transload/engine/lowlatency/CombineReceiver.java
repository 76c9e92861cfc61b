/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.world.Stage;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.Worker;

/**
 * Sums the answers to each token in F32, k ascending, weighted, once the answers of all ranks have come. What ranks owe
 * that are masked is left out. The sums are listed while answers are still on their way, and anew where one is missing.
 */
final class CombineReceiver
{
    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final LowLatencyMemory memory;
    private final RowKernels kernels;
    private final Worker[] workers;
    private final Arrivals arrivals;
    private final BufferSet set;
    private final Reduction reduction = new Reduction(SumList.REGIONS);
    private final SumList list;
    /** Whose answers are listed. */
    private final boolean[] isListed;
    private LowLatencyCombineRequest request;
    private boolean isAnyListed;
    private boolean isSettled;
    private boolean isSubmitted;
    private boolean isDone;

    CombineReceiver(
        final int ownRank, final Slots slots, final PeerLink[] links, final Arrivals arrivals,
        final LowLatencyMemory memory, final RowKernels kernels, final Worker[] workers, final BufferSet set)
    {
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.memory = memory;
        this.kernels = kernels;
        this.workers = workers;
        this.arrivals = arrivals;
        this.set = set;
        this.list = new SumList(ownRank, slots, links, kernels, set);
        this.isListed = new boolean[slots.ranks()];
    }

    /** A combine is being sent: its sums may be listed. */
    void prepare(final LowLatencyCombineRequest given)
    {
        request = given;
        isAnyListed = false;
        isSettled = false;
        isSubmitted = false;
        isDone = false;
    }

    /** List the sums as if the answers of all ranks came that this one sends to; 0 where that was done before. */
    int listAhead()
    {
        if (isAnyListed)
        {
            return 0;
        }

        for (int rank = 0; rank < isListed.length; rank++)
        {
            isListed[rank] = set.lanes.isAddressed(rank);
        }

        list();
        return 1;
    }

    private void list()
    {
        list.write(request, isListed);
        isAnyListed = true;
    }

    /** Begin to receive a combine that was sent. */
    void begin(final long nowNs)
    {
        arrivals.begin(set, Slots.ANSWERED, nowNs);
    }

    int doWork(final long nowNs)
    {
        int work = arrivals.doWork(nowNs) + listAhead();
        if (arrivals.isComplete() && !isSettled)
        {
            settle();
        }

        if (isSettled && !isSubmitted)
        {
            isSubmitted = kernels.reduceRows(reduction, list.table(), 0, set.tokens) >= 0;
            work += isSubmitted ? 1 : 0;
        }

        if (isSubmitted)
        {
            work += finish(nowNs);
        }

        return work;
    }

    /** All is there that will come: what is missing is taken out of the list. */
    private void settle()
    {
        boolean isRight = true;
        for (int rank = 0; rank < isListed.length; rank++)
        {
            isRight &= isListed[rank] == arrivals.hasCome(rank);
            isListed[rank] = arrivals.hasCome(rank);
            if (isListed[rank])
            {
                acquire(rank);
            }
        }

        if (!isRight)
        {
            list();
        }

        reduction.source(SumList.OWN, request.x().memory().scaleUpRegion(), request.x().offset(),
            request.x().rowBytes(), ElementType.BF16);
        for (final PeerLink link : links)
        {
            if (null != link)
            {
                reduction.source(SumList.region(link.inStage()), memory.payload(link.inStage()), link.answers(),
                    slots.answerStride(), ElementType.BF16);
            }
        }

        reduction.target(request.output().memory().scaleUpRegion(), request.output().offset(),
            request.output().rowBytes(), ElementType.BF16).hidden(set.hidden).weighted(true);
        isSettled = true;
    }

    private void acquire(final int rank)
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

    private int finish(final long nowNs)
    {
        if (kernels.completedPosition() < kernels.position() || !set.lanes.isReleased(nowNs))
        {
            return 0;
        }

        isDone = true;
        return 1;
    }

    boolean isDone()
    {
        return isDone;
    }
}
