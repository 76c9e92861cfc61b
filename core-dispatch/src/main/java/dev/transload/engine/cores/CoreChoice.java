/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.cores;

import dev.transload.spi.ConfigurationException;
import java.util.List;

/**
 * Cores that the engine's threads are bound to.
 *
 * @param isAuto  whether cores are divided automatically: among the ranks that share the host, then among the threads
 *                of each rank.
 * @param entries cores of each thread, if cores are not divided automatically. The list begins with the entries for the
 *                threads of the first rank on the host, followed by the entries for the next rank, and so on. The list
 *                is empty if threads are not bound.
 */
public record CoreChoice(boolean isAuto, List<CoreSet> entries)
{
    /** Threads are not bound; the operating system schedules them on any core. */
    public static final CoreChoice NONE = new CoreChoice(false, List.of());

    /** Cores are divided automatically among ranks and threads. */
    public static final CoreChoice AUTO = new CoreChoice(true, List.of());

    /**
     * Checks that this process may use all of the chosen cores.
     *
     * @param host cores that this process may use.
     * @throws ConfigurationException if the process may not use some of the chosen cores; the message names these
     *                                cores, and the cores that the process may use.
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
     * Returns the cores of a thread.
     *
     * @param host    cores that this process may use, and the ranks that share them.
     * @param thread  index of the thread in the engine, in [0, threads).
     * @param threads number of threads of the engine.
     * @return cores, empty if the thread is not bound.
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
