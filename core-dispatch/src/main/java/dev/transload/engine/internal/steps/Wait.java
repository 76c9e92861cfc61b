/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;

/** Waits for a word, or for several, of each active rank, until it has been silent for a timeout. */
final class Wait
{
    private final Peers peers;
    private final Look look;
    private final boolean[] isOpen;
    private int openCount;
    private StepOp op;
    private long beginNs;

    /** Whether all has come from a rank. */
    interface Look
    {
        boolean hasAll(int rank, long nowNs);
    }

    Wait(final Peers peers, final Look look)
    {
        this.peers = peers;
        this.look = look;
        this.isOpen = new boolean[peers.ranks()];
    }

    void begin(final StepOp waitOf, final boolean isFarToo, final long nowNs)
    {
        op = waitOf;
        beginNs = nowNs;
        openCount = 0;
        peers.beginSilence(nowNs);
        for (int rank = 0; rank < isOpen.length; rank++)
        {
            isOpen[rank] = peers.isActive(rank) && (isFarToo || !peers.isFar(rank));
            openCount += isOpen[rank] ? 1 : 0;
        }
    }

    boolean isOver(final long nowNs)
    {
        final boolean isLong = nowNs - beginNs >= peers.timeoutNs() / StepShape.SIGNS_A_TIMEOUT;
        for (int rank = 0; rank < isOpen.length && openCount > 0; rank++)
        {
            if (isOpen[rank] && isSettled(rank, isLong, nowNs))
            {
                isOpen[rank] = false;
                openCount--;
                peers.news.settled(rank, nowNs - beginNs);
            }
        }

        return 0 == openCount;
    }

    private boolean isSettled(final int rank, final boolean isLong, final long nowNs)
    {
        // Looked at first: what a rank told before it left is there by then.
        final boolean isGone = rank != peers.ownRank && peers.isActive(rank) && peers.news.isGone(rank);
        if (!peers.isActive(rank) || look.hasAll(rank, nowNs))
        {
            return true;
        }

        if (isGone)
        {
            peers.mask(rank, StepStatus.ASKED, op);
            return true;
        }

        if (isLong && rank != peers.ownRank)
        {
            peers.listen(rank, nowNs);
            if (peers.isSilent(rank, nowNs) || nowNs - beginNs >= StepShape.LONGEST_WAIT * peers.timeoutNs())
            {
                peers.mask(rank, StepStatus.SILENT, op);
            }
        }

        return !peers.isActive(rank);
    }
}
