/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;

/**
 * Finds out which ranks of a world are lost: those whose process ended, and those that say nothing although others say
 * that ranks were lost. A rank that says so itself goes on, even if others left it out. Without a clock; one thread.
 */
final class Losses
{
    private final int ranks;
    private final long graceNs;
    private final BitSet gone = new BitSet();
    private final BitSet spoke = new BitSet();
    private final BitSet named = new BitSet();
    private boolean isFormed;
    private boolean isUnderWay;
    private long sinceNs;

    /**
     * Of the first world.
     *
     * @param ranks of it.
     * @param grace for what all have to say, from the first news on.
     */
    Losses(final int ranks, final Duration grace)
    {
        this.ranks = ranks;
        this.graceNs = grace.toNanos();
    }

    /** The next world, with a process for each rank. */
    void begin()
    {
        gone.clear();
        spoke.clear();
        named.clear();
        isFormed = false;
        isUnderWay = false;
    }

    /** All ranks are there. */
    void formed()
    {
        isFormed = true;
    }

    /** A process ended, though it was not done. */
    void gone(final int rank, final long nowNs)
    {
        gone.set(rank);
        note(nowNs);
    }

    /** A rank lost others, some of which it may know. */
    void told(final int rank, final Iterable<Integer> lost, final long nowNs)
    {
        spoke.set(rank);
        lost.forEach(named::set);
        note(nowNs);
    }

    /** A rank has done its task, and waits. */
    void done(final int rank)
    {
        spoke.set(rank);
    }

    private void note(final long nowNs)
    {
        sinceNs = isUnderWay ? sinceNs : nowNs;
        isUnderWay = true;
    }

    /** When the first news of a loss came; meaningless without one. */
    long sinceNs()
    {
        return sinceNs;
    }

    /** Nanoseconds until {@link #verdict} may be another without any news. */
    long leftNs(final long nowNs)
    {
        return isUnderWay ? Math.max(0, graceNs - (nowNs - sinceNs)) : Long.MAX_VALUE;
    }

    /**
     * Who is lost.
     *
     * @return ranks, none if all of them are well; empty while nothing is known to be wrong, or more may come.
     */
    Optional<BitSet> verdict(final long nowNs)
    {
        if (!isUnderWay)
        {
            return Optional.empty();
        }

        final boolean isOver = 0 == leftNs(nowNs);
        if (!isFormed)
        {
            // The others wait for the world to form, and know nothing.
            return isOver || !gone.isEmpty() ? Optional.of((BitSet)gone.clone()) : Optional.empty();
        }

        final BitSet lost = (BitSet)spoke.clone();
        lost.andNot(gone);
        lost.flip(0, ranks);
        final BitSet silent = (BitSet)lost.clone();
        silent.andNot(gone);
        silent.andNot(named);
        return isOver || silent.isEmpty() ? Optional.of(lost) : Optional.empty();
    }
}
