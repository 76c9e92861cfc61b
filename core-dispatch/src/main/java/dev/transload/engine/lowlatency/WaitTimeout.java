/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/**
 * How long a wait goes on for each rank: until it was silent for the time-out, and {@link #LONGEST} time-outs at most.
 * A rank that waits gives signs of life, so that it is not taken for the culprit whom it awaits itself.
 * <p>
 * Every rank makes the same calls in the same order. So who has come to a wait has got what all living ranks sent
 * before it: a living rank that it awaits is behind, and awaits none but dead ones, which takes a time-out in each of
 * its waits. Of these, two calls that overlap leave four at most before it sends what is awaited.
 */
final class WaitTimeout
{
    /** A time-out for each of the four waits that a rank may be behind, and as much again for its work between them. */
    static final int LONGEST = 8;

    private static final int SIGNS_A_TIMEOUT = 4;

    private final int ownRank;
    private final PeerLink[] links;
    private final RankMask mask;
    private final long[] signs;
    private final long[] lastSignNs;
    private final long[] nextSignNs;
    private long beginNs;
    private long timeoutNs;

    WaitTimeout(final int ownRank, final PeerLink[] links, final RankMask mask)
    {
        this.ownRank = ownRank;
        this.links = links;
        this.mask = mask;
        this.signs = new long[links.length];
        this.lastSignNs = new long[links.length];
        this.nextSignNs = new long[links.length];
    }

    /** A wait begins; signs that came before count no more. */
    void begin(final long givenTimeoutNs, final long nowNs)
    {
        timeoutNs = givenTimeoutNs;
        beginNs = nowNs;
        for (int rank = 0; rank < links.length; rank++)
        {
            lastSignNs[rank] = nowNs;
            nextSignNs[rank] = nowNs + timeoutNs / SIGNS_A_TIMEOUT;
            signs[rank] = rank == ownRank ? 0 : links[rank].signsOfLife();
        }
    }

    /** Look for signs of life and give them; before anybody is judged. Does nothing while a wait is young. */
    void doWork(final long nowNs)
    {
        if (nowNs - beginNs < timeoutNs / SIGNS_A_TIMEOUT)
        {
            return;
        }

        for (int rank = 0; rank < links.length; rank++)
        {
            if (rank != ownRank && mask.isActive(rank))
            {
                look(rank, nowNs);
                give(rank, nowNs);
            }
        }
    }

    private void look(final int rank, final long nowNs)
    {
        final long seen = links[rank].signsOfLife();
        if (seen != signs[rank])
        {
            signs[rank] = seen;
            lastSignNs[rank] = nowNs;
        }
    }

    /** If the channel takes nothing now, then as soon as it does. */
    private void give(final int rank, final long nowNs)
    {
        if (nowNs - nextSignNs[rank] >= 0 && !mask.isGone(rank) && links[rank].giveSignOfLife())
        {
            nextSignNs[rank] = nowNs + timeoutNs / SIGNS_A_TIMEOUT;
        }
    }

    /** The silence of a rank begins anew. */
    void renew(final int rank, final long nowNs)
    {
        lastSignNs[rank] = nowNs;
    }

    /** Whether a rank may still be awaited. */
    boolean isPatient(final int rank, final long nowNs)
    {
        return nowNs - lastSignNs[rank] < timeoutNs && nowNs - beginNs < LONGEST * timeoutNs;
    }
}
