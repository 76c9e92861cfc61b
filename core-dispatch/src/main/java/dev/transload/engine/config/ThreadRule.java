/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.config;

import dev.transload.engine.IdleMode;
import dev.transload.engine.ThreadConfig;
import dev.transload.engine.ThreadLayout;
import dev.transload.engine.cores.HostShare;

/**
 * Threads that fit a host, where none are configured. Half of a rank's cores are the engine's; the others are for the
 * program, the collector and the transports' own threads. Where a rank has fewer than four cores, one thread that backs
 * off does all, since a spinning one would take the core from the peer that it waits for.
 */
public final class ThreadRule
{
    private static final int CORES_FOR_SEVERAL_THREADS = 4;
    private static final int KINDS_OF_ROLES = 5;

    private ThreadRule()
    {
    }

    /**
     * Replace what is {@code auto}.
     *
     * @param threads  as configured.
     * @param host     of this rank.
     * @param channels of the engine.
     * @return settled threads.
     */
    public static ThreadConfig settle(final ThreadConfig threads, final HostShare host, final int channels)
    {
        final int count = ThreadConfig.AUTO == threads.count() ? count(host, channels) : threads.count();
        final ThreadLayout layout = ThreadLayout.AUTO != threads.layout() ? threads.layout() :
            count > channels ? ThreadLayout.ROLES : ThreadLayout.CHANNELS;
        final IdleMode idle = IdleMode.AUTO != threads.idle() ? threads.idle() :
            hasSpareCores(host) && 2 * count <= host.coresPerRank() ? IdleMode.SPIN : IdleMode.BACKOFF;
        return new ThreadConfig(count, layout, idle, threads.cores());
    }

    private static int count(final HostShare host, final int channels)
    {
        return hasSpareCores(host) ? Math.min(host.coresPerRank() / 2, Math.max(channels, KINDS_OF_ROLES)) : 1;
    }

    private static boolean hasSpareCores(final HostShare host)
    {
        return host.coresPerRank() >= CORES_FOR_SEVERAL_THREADS;
    }
}
