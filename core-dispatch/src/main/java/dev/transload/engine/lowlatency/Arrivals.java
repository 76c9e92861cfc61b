/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import java.util.Arrays;

/**
 * Whose part of a call has come: each rank's is awaited until its signals show it, it is gone, or time is up. One that
 * is awaited alone is masked after the time-out. Of several, some may be late only because they await the others just
 * as long: each adds a quarter of the time-out, all of them as much again at most, so that who masks the culprit first
 * is heard in time.
 */
final class Arrivals
{
    private static final int SHARE = 4;

    private final PeerLink[] links;
    private final RankMask mask;
    private final Figures figures;
    private final boolean[] isAwaited;
    private final boolean[] hasCome;
    private final boolean[] wasGone;
    private int set;
    private int kind;
    private long beginNs;
    private long timeoutNs;
    private int awaited;

    Arrivals(final PeerLink[] links, final RankMask mask, final Figures figures)
    {
        this.links = links;
        this.mask = mask;
        this.figures = figures;
        this.isAwaited = new boolean[links.length];
        this.hasCome = new boolean[links.length];
        this.wasGone = new boolean[links.length];
    }

    /** Await nobody yet. */
    void begin(final int setIndex, final int signalKind, final long patienceNs, final long nowNs)
    {
        timeoutNs = patienceNs;
        set = setIndex;
        kind = signalKind;
        beginNs = nowNs;
        awaited = 0;
        Arrays.fill(isAwaited, false);
        Arrays.fill(hasCome, false);
        Arrays.fill(wasGone, false);
    }

    void await(final int rank)
    {
        isAwaited[rank] = true;
        awaited++;
    }

    int doWork(final long nowNs)
    {
        int work = 0;
        final boolean isPatient =
            nowNs - beginNs < timeoutNs + Math.min(timeoutNs, (awaited - 1) * (timeoutNs / SHARE));
        for (int rank = 0; rank < links.length && awaited > 0; rank++)
        {
            if (isAwaited[rank] && isSettled(rank, isPatient))
            {
                isAwaited[rank] = false;
                awaited--;
                figures.waitNs[rank] += nowNs - beginNs;
                work++;
            }
        }

        return work;
    }

    private boolean isSettled(final int rank, final boolean isPatient)
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
        if (!isPatient)
        {
            mask.mask(rank, Slots.DISPATCHED == kind ? "its tokens did not come in time" :
                "the answers of its experts did not come in time");
        }

        return !mask.isActive(rank);
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
