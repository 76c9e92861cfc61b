/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.cores;

import dev.transload.spi.ConfigurationException;
import java.util.List;

/**
 * Which cores the engine's threads are tied to.
 *
 * @param isAuto  whether ranks divide the cores that they share, and threads their rank's part.
 * @param entries otherwise cores dealt to threads in turn: first those of the first rank that shares the host, then
 *                those of the next; empty for threads that are not tied.
 */
public record CoreChoice(boolean isAuto, List<CoreSet> entries)
{
    /** The operating system places the threads. */
    public static final CoreChoice NONE = new CoreChoice(false, List.of());

    /** Cores are divided. */
    public static final CoreChoice AUTO = new CoreChoice(true, List.of());

    /**
     * Refuse cores that this process cannot have.
     *
     * @param host of this rank.
     * @throws ConfigurationException naming them and those that it may use.
     */
    public void check(final HostShare host)
    {
        for (final CoreSet entry : entries)
        {
            final CoreSet missing = entry.without(host.allowed());
            if (!host.allowed().isEmpty() && !missing.isEmpty())
            {
                throw new ConfigurationException("transload.threads.cores = " + entries + " is not allowed: core " +
                    missing + " does not exist or is not this process's, must be among " + host.allowed());
            }
        }
    }

    /**
     * Cores of a thread.
     *
     * @param host    of this rank.
     * @param thread  of the engine, in [0, threads).
     * @param threads of the engine.
     * @return cores, empty for a thread that is not tied.
     */
    public CoreSet of(final HostShare host, final int thread, final int threads)
    {
        if (isAuto)
        {
            return host.allowed().share(host.index(), host.ranks()).share(thread, threads);
        }

        return entries.isEmpty() ? CoreSet.EMPTY :
            entries.get((int)(((long)host.index() * threads + thread) % entries.size()));
    }
}
