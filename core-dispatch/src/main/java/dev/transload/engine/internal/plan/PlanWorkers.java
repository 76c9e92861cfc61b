/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Shares the layout of large dispatches among threads: the caller computes channel by channel, and engine threads that
 * spin take channels too. One dispatch is shared at a time; the caller of another one works alone. A thread computes
 * what it has taken without waiting for anything, so the caller's wait for the last channel is short.
 */
public final class PlanWorkers
{
    /** With fewer tokens a channel, fetching what another thread wrote takes as long as writing it. */
    private static final int LEAST_TOKENS = 64;

    /** A channel takes less; a thread that needs longer has lost its core, perhaps to the caller that waits for it. */
    private static final int MAX_SPINS = 10_000;

    private final AtomicReference<SendLayout> open = new AtomicReference<>();
    private final boolean hasThreads;

    /**
     * For an engine.
     *
     * @param hasThreads whether the engine has threads that spin: they take channels, too.
     */
    public PlanWorkers(final boolean hasThreads)
    {
        this.hasThreads = hasThreads;
    }

    /** Route what is begun, until all channels are done. */
    void route(final SendLayout routes)
    {
        final boolean isShared = hasThreads && routes.tokens() >= LEAST_TOKENS * routes.channels() &&
            open.compareAndSet(null, routes);
        // From the end on: threads begin with their own channels, and there may be fewer of them.
        boolean isAnyLeft = true;
        while (isAnyLeft)
        {
            isAnyLeft = routes.routeOne(routes.channels() - 1, -1, routes.reader());
        }

        if (isShared)
        {
            open.set(null);
        }

        for (int spins = MAX_SPINS; !routes.isRouted(); spins--)
        {
            if (spins > 0)
            {
                Thread.onSpinWait();
            }
            else
            {
                Thread.yield();
            }
        }
    }

    /**
     * Route a channel of what is shared, if anything is.
     *
     * @param first  channel to begin with, which the thread sends.
     * @param reader of the calling thread.
     */
    public int doWork(final int first, final TopkReader reader)
    {
        final SendLayout routes = open.get();
        return null != routes && routes.routeOne(first, 1, reader) ? 1 : 0;
    }
}
