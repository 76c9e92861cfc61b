/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Times of calls on one rank, one after the other. The first of them, a warm-up, leave no figures. */
public final class CallTimes
{
    private final long warmup;
    private final long[] dispatchNs;
    private final long[] combineNs;
    private final long[] lapNs;
    private final boolean[] interrupted;
    private long made;
    private long beginNs;

    /**
     * Of no calls yet.
     *
     * @param warmup  calls that come first and don't count.
     * @param counted calls after them.
     */
    public CallTimes(final long warmup, final int counted)
    {
        this(warmup, new long[counted], new long[counted], new long[counted], new boolean[counted]);
    }

    private CallTimes(
        final long warmup, final long[] dispatchNs, final long[] combineNs, final long[] lapNs,
        final boolean[] interrupted)
    {
        this.warmup = warmup;
        this.dispatchNs = dispatchNs;
        this.combineNs = combineNs;
        this.lapNs = lapNs;
        this.interrupted = interrupted;
    }

    /**
     * Of the first calls only, which have ended: what may be asked for while others are made.
     *
     * @param counted calls that count.
     * @return copy of their times.
     */
    public CallTimes first(final int counted)
    {
        return new CallTimes(warmup, Arrays.copyOf(dispatchNs, counted), Arrays.copyOf(combineNs, counted),
            Arrays.copyOf(lapNs, counted), Arrays.copyOf(interrupted, counted));
    }

    /** A call begins, and the lap of the one before ends. */
    public void begin(final long ns)
    {
        final int last = index() - 1;
        if (last >= 0)
        {
            lapNs[last] = ns - beginNs;
        }

        beginNs = ns;
    }

    /**
     * A call has ended.
     *
     * @param dispatched its dispatch took so many nanoseconds.
     * @param combined   its combine took so many nanoseconds.
     * @param ns         by {@link System#nanoTime()}.
     */
    public void end(final long dispatched, final long combined, final long ns)
    {
        final int index = index();
        if (index >= 0)
        {
            dispatchNs[index] = dispatched;
            combineNs[index] = combined;
            lapNs[index] = ns - beginNs;
        }

        made++;
    }

    /**
     * Something else took place since the last call ended, and is no part of its lap. The call behind it, or around it,
     * counts as interrupted: it finds caches and threads as no call does that follows another one directly.
     */
    public void exclude(final long ns)
    {
        beginNs += ns;
        if (index() >= 0 && index() < dispatchNs.length)
        {
            interrupted[index()] = true;
        }
    }

    /**
     * Calls that something else took place before or in.
     *
     * @return their numbers among those that count, ascending.
     */
    public int[] interrupted()
    {
        return IntStream.range(0, interrupted.length).filter((call) -> interrupted[call]).toArray();
    }

    /** Calls that have ended, those of the warm-up too. */
    public long made()
    {
        return made;
    }

    /** All calls to come and past, those of the warm-up too. */
    public long all()
    {
        return warmup + dispatchNs.length;
    }

    /**
     * Where figures of the next call belong.
     *
     * @return number among those that count, negative while none does.
     */
    public int index()
    {
        return (int)Math.max(-1, made - warmup);
    }

    /**
     * How long dispatches took on this rank.
     *
     * @return nanoseconds by call that counts.
     */
    public long[] dispatchNs()
    {
        return dispatchNs;
    }

    /**
     * How long combines took on this rank.
     *
     * @return nanoseconds by call that counts.
     */
    public long[] combineNs()
    {
        return combineNs;
    }

    /**
     * How long calls took on this rank, with all that is between them.
     *
     * @return nanoseconds by call that counts, from its start to that of the next one; of the last one, to its end.
     */
    public long[] lapNs()
    {
        return lapNs;
    }
}
