/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.cores;

import dev.transload.spi.ConfigurationException;
import java.util.List;

/**
 * Cores that the engine's threads are bound to.
 *
 * @param isAuto  whether cores are divided automatically: among the ranks that share the host, then among the threads
 *                of each rank.
 * @param entries cores of each thread if the choice is not automatic: first the entries for the threads of the first
 *                rank on the host, then the entries for the next rank, and so on; empty if threads are not bound.
 */
public record CoreChoice(boolean isAuto, List<CoreSet> entries)
{
    /** Threads are not bound; the operating system schedules them on any core. */
    public static final CoreChoice NONE = new CoreChoice(false, List.of());

    /** Cores are divided automatically among ranks and threads. */
    public static final CoreChoice AUTO = new CoreChoice(true, List.of());

    /**
     * Throws an exception if this process is not allowed to use some of the chosen cores.
     *
     * @param host cores of this rank's host.
     * @throws ConfigurationException if a chosen core is not allowed; the message names cores that are not allowed,
     *                                and the cores that the process may use.
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
     * @param host    cores of this rank's host.
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
