/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import java.util.Arrays;

/** Whose part of a call has come: each rank's is awaited until its signals show it, it is gone, or patience ends. */
final class Arrivals
{
    private final PeerLink[] links;
    private final RankMask mask;
    private final WaitTimeout patience;
    private final CallCounters figures;
    private final boolean[] isAwaited;
    private final boolean[] hasCome;
    private final boolean[] wasGone;
    private int set;
    private int kind;
    private long beginNs;
    private int awaited;

    Arrivals(final PeerLink[] links, final RankMask mask, final WaitTimeout patience, final CallCounters figures)
    {
        this.links = links;
        this.mask = mask;
        this.patience = patience;
        this.figures = figures;
        this.isAwaited = new boolean[links.length];
        this.hasCome = new boolean[links.length];
        this.wasGone = new boolean[links.length];
    }

    /** Await whom the set was sent to: each of them sends as well. */
    void begin(final BufferSet used, final int signalKind, final long nowNs)
    {
        set = used.index;
        kind = signalKind;
        beginNs = nowNs;
        awaited = 0;
        Arrays.fill(hasCome, false);
        Arrays.fill(wasGone, false);
        for (int rank = 0; rank < isAwaited.length; rank++)
        {
            isAwaited[rank] = used.lanes.isAddressed(rank);
            awaited += isAwaited[rank] ? 1 : 0;
        }
    }

    int doWork(final long nowNs)
    {
        int work = 0;
        for (int rank = 0; rank < links.length && awaited > 0; rank++)
        {
            if (isAwaited[rank] && isSettled(rank, nowNs))
            {
                isAwaited[rank] = false;
                awaited--;
                figures.waited(Slots.DISPATCHED == kind ? LowLatencyCall.DISPATCH : LowLatencyCall.COMBINE, rank,
                    nowNs - beginNs);
                work++;
            }
        }

        return work;
    }

    private boolean isSettled(final int rank, final long nowNs)
    {
        hasCome[rank] = links[rank].isSignalled(kind, set, links[rank].uses(set));
        if (hasCome[rank])
        {
            return true;
        }

        // What a rank sent before it left may show only after its leaving did: it is masked at the second look.
        if (wasGone[rank] && mask.maskIfGone(rank))
        {
            return true;
        }

        wasGone[rank] = mask.isGone(rank);
        if (!patience.isPatient(rank, nowNs))
        {
            mask.mask(rank, (Slots.DISPATCHED == kind ? "its tokens did not come in time" :
                "the answers of its experts did not come in time") + dispute(rank));
        }

        return !mask.isActive(rank);
    }

    /** A rank that was cleared there and not here sends where nobody looks. */
    private String dispute(final int rank)
    {
        final int later = links[rank].laterGeneration();
        return later < 0 ? "" : ": it has cleared this rank for generation " + later + ", here it is in " +
            links[rank].generation() + ", both must be cleared for the same";
    }

    boolean hasCome(final int rank)
    {
        return hasCome[rank];
    }

    boolean isAwaited(final int rank)
    {
        return isAwaited[rank];
    }

    boolean isComplete()
    {
        return 0 == awaited;
    }
}
