/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.IdleMode;
import dev.transload.engine.ThreadConfig;
import dev.transload.engine.cores.CoreChoice;
import dev.transload.engine.cores.HostShare;

/**
 * Threads that fit a host, where none are configured. Half of a rank's cores are the engine's; the others are for the
 * program, the collector and the transports' own threads. Where rows are in device memory and the rank has the host for
 * itself, its cores are all the engine's, one for each channel: a device works off what threads submit, and idles while
 * they wait for a turn. Ranks that share a host take half of its cores altogether for either memory: where as many
 * threads spin as there are cores, one call in a hundred takes several times as long. Where a rank has fewer than four
 * cores, threads back off, since a spinning one would take the core from the peer that it waits for: two of them where
 * they copy rows of host memory and have two cores, since one core moves them at half the speed of the memory; else
 * one.
 */
public final class ThreadRule
{
    /** A rank with fewer cores has none that threads may take for themselves. */
    static final int CORES_TO_SPARE = 4;

    /** Enough for two threads that copy rows of host memory. */
    private static final int CORES_TO_COPY_WITH = 2;

    private ThreadRule()
    {
    }

    /**
     * Replace what is {@code auto}.
     *
     * @param config whose channels and payload are settled.
     */
    public static ThreadConfig settle(final EngineConfig config, final HostShare host)
    {
        final ThreadConfig threads = config.threading();
        final boolean isForDevice = SizeRule.isForDevice(config, host.coresPerRank());
        final int count = threads.count() >= 0 ? threads.count() :
            isForDevice ? Math.min(host.deviceCores(), config.channels()) :
            isDrivenByCaller(config, host) ? 0 : count(config, host);
        final int coresPerThread = isForDevice ? 1 : 2;
        final IdleMode idle = IdleMode.AUTO != threads.idle() ? threads.idle() :
            hasSpareCores(host) && coresPerThread * count <= host.coresPerRank() ? IdleMode.SPIN : IdleMode.BACKOFF;
        return new ThreadConfig(count, idle, threads.cores(), threads.roles());
    }

    /** A thread beside the caller's would take turns with it on a core, and wake it after each call. */
    private static boolean isDrivenByCaller(final EngineConfig config, final HostShare host)
    {
        return ThreadConfig.AUTO_OR_CALLER == config.threads() && 0 == host.coresPerRank() &&
            config.payloadKind().isHost() && config.threading().cores().equals(CoreChoice.NONE);
    }

    private static int count(final EngineConfig config, final HostShare host)
    {
        if (hasSpareCores(host))
        {
            return Math.min(host.coresPerRank() / 2, Math.max(config.channels(), ThreadConfig.KINDS_OF_ROLES));
        }

        return haveSeveralThreads(config, host.coresPerRank()) ? Math.min(2, config.channels()) : 1;
    }

    /** Whether so many cores are enough for more than one thread. */
    static boolean haveSeveralThreads(final EngineConfig config, final int coresPerRank)
    {
        return coresPerRank >= (config.payloadKind().isHost() ? CORES_TO_COPY_WITH : CORES_TO_SPARE);
    }

    private static boolean hasSpareCores(final HostShare host)
    {
        return host.coresPerRank() >= CORES_TO_SPARE;
    }
}
