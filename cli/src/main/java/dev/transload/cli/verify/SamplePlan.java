/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

/**
 * Which iterations of a run are verified: at first four, then every fifth, and the last, so that most iterations
 * directly follow another one. Where these took more than a quarter of the run, verified iterations are further apart,
 * and take about a quarter. Ranks that are given the same figures make the same plan; they exchange figures after 1,
 * 2, 4, 8 ... verified iterations, so that the plan follows a JVM that becomes faster.
 */
public final class SamplePlan
{
    /** Exchange between verifications, as a multiple of what one verification takes: a quarter of the whole. */
    private static final long EXCHANGE_SHARE = 3;

    /** The first figures are those of a cold JVM, which makes too much of verification. */
    private static final long MOST_GROWTH = 4;

    private static final long VERIFIED_AT_FIRST = 4;

    /** Of five iterations, the verified one and the next are not timed. */
    private static final long LEAST_STRIDE = 5;

    private final long all;
    private final boolean isWhole;
    private long stride = 1;
    private long next;
    private long verified;
    private long leastNs = Long.MAX_VALUE;
    private long agreedAt = -1;

    /**
     * Of a run.
     *
     * @param all     iterations, those of the warm-up included.
     * @param isWhole whether every one is verified, however long that takes.
     */
    public SamplePlan(final long all, final boolean isWhole)
    {
        this.all = all;
        this.isWhole = isWhole;
    }

    /**
     * Whether an iteration is to be verified.
     *
     * @param iteration not before the last one that was.
     * @return true if it is.
     */
    public boolean isNext(final long iteration)
    {
        return next == iteration;
    }

    /**
     * The next iteration to verify.
     *
     * @return its number; that of one that was verified last until {@link #verified} says that it was.
     */
    public long next()
    {
        return next;
    }

    /**
     * The next iteration has been verified.
     *
     * @param ns which that took on this rank.
     * @return whether ranks now exchange figures and {@link #agree}.
     */
    public boolean verified(final long ns)
    {
        verified++;
        leastNs = Math.min(leastNs, ns);
        proceed(next);
        return 1 == Long.bitCount(verified);
    }

    /**
     * What a verification takes on this rank.
     *
     * @return nanoseconds, the least since ranks last agreed.
     */
    public long leastNs()
    {
        return leastNs;
    }

    /**
     * Iterations made since ranks last agreed.
     *
     * @param iteration the one just verified.
     * @return count, at least 1.
     */
    public long since(final long iteration)
    {
        return iteration - agreedAt;
    }

    /**
     * Plan anew.
     *
     * @param iteration  the one just verified.
     * @param verifyNs   which a verification takes on the slowest rank.
     * @param exchangeNs which an iteration takes without it on the slowest rank.
     */
    public void agree(final long iteration, final long verifyNs, final long exchangeNs)
    {
        final long wanted = isWhole || 2 * verifyNs <= exchangeNs ? 1 :
            Math.max(2, EXCHANGE_SHARE * verifyNs / Math.max(1, exchangeNs));
        stride = Math.min(wanted, MOST_GROWTH * stride);
        leastNs = Long.MAX_VALUE;
        agreedAt = iteration;
        proceed(iteration);
    }

    private void proceed(final long from)
    {
        final long least = isWhole || verified < VERIFIED_AT_FIRST ? 1 : LEAST_STRIDE;
        next = Math.max(from + 1, Math.min(from + Math.max(least, stride), all - 1));
    }
}
