/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.SizeConfig;
import dev.transload.engine.StageConfig;
import dev.transload.engine.cores.HostShare;

/**
 * Channels, chunks and rings where none are configured. The CPU copies rows of host memory: chunks stay within its
 * caches, and where ranks have one thread ({@link ThreadRule}), a second channel is only more to look after. A
 * device is given its work by launches, which only chunks of several MiB outweigh, and channels run side by side, if
 * each has a thread with a core; where ranks have fewer than four cores, sizes are those of host memory.
 */
public final class SizeRule
{
    private static final int HOST_CHANNELS = 2;
    private static final int MAX_DEVICE_CHANNELS = 8;
    private static final int MAX_DEVICE_CHANNELS_OF_ONE_NODE = 4;

    private SizeRule()
    {
    }

    /**
     * Sizes for host memory, which stand until it is known where rows live.
     *
     * @throws dev.transload.spi.ConfigurationException if sizes could deadlock.
     */
    static EngineConfig forHost(final EngineConfig config)
    {
        final EngineConfig wide = config.with(channels(config, HOST_CHANNELS), config.scaleOut(), config.scaleUp());
        return sized(wide, Tuning.forHost(wide));
    }

    /**
     * Sizes for the memory where rows live, the same on all ranks of the world.
     *
     * @return copy with sizes, or the config where those for host memory stay.
     * @throws dev.transload.spi.ConfigurationException if sizes could deadlock.
     */
    public static EngineConfig settle(final EngineConfig config, final HostShare host)
    {
        final int cores = host.leastCoresPerRank();
        if (isForDevice(config, cores))
        {
            final int fitting = channels(config, Math.min(mostDeviceChannels(config), host.leastDeviceCores()));
            final EngineConfig wide = config.with(fitting, config.scaleOut(), config.scaleUp());
            return sized(wide, Tuning.forDevice(wide));
        }

        if (ThreadRule.haveSeveralThreads(config, cores) || channels(config, 1) == config.channels())
        {
            return config;
        }

        final EngineConfig narrow = config.with(1, config.scaleOut(), config.scaleUp());
        return sized(narrow, Tuning.forHost(narrow));
    }

    /**
     * Within a node, the rows of a channel are one launch, and the driver takes launches of several threads in turn.
     * But threads write the plans of their channels in parallel, so that one channel would be too few.
     */
    private static int mostDeviceChannels(final EngineConfig config)
    {
        return 1 == config.worldSize() ? 1 :
            1 == config.nodes() ? MAX_DEVICE_CHANNELS_OF_ONE_NODE : MAX_DEVICE_CHANNELS;
    }

    /** Whether rows are moved by a device, and there are cores to keep it busy. */
    static boolean isForDevice(final EngineConfig config, final int coresPerRank)
    {
        return !config.payloadKind().isHost() && coresPerRank >= ThreadRule.CORES_TO_SPARE;
    }

    private static int channels(final EngineConfig config, final int fitting)
    {
        final int asked = config.sizes().channels();
        return SizeConfig.AUTO != asked ? asked : fitting;
    }

    private static EngineConfig sized(final EngineConfig config, final Tuning tuning)
    {
        final SizeConfig sizes = config.sizes();
        return config.with(config.channels(),
            sized("scale-out", config.scaleOut(), sizes.scaleOut(), tuning.scaleOutChunk(),
                tuning.scaleOutChunksPerRing()),
            sized("scale-up", config.scaleUp(), sizes.scaleUp(), tuning.scaleUpChunk(),
                tuning.scaleUpChunksPerRing()));
    }

    private static StageConfig sized(
        final String section, final StageConfig stage, final SizeConfig.Stage asked, final int tunedChunk,
        final int chunksPerRing)
    {
        final int chunk = SizeConfig.AUTO == asked.chunk() ? Math.min(tunedChunk, mostRows(asked)) : asked.chunk();
        final int batch = SizeConfig.AUTO == asked.creditBatch() ? Math.max(1, chunk / 2) : asked.creditBatch();
        final int ring = SizeConfig.AUTO == asked.ring() ?
            Math.max(chunksPerRing * chunk, chunk + batch - 1) : asked.ring();
        final StageConfig sized = stage.with(chunk, ring, batch);
        sized.check(section);
        return sized;
    }

    /** That a chunk can have beside a ring that was asked for: with its credit batch, half of it, it fits the ring. */
    private static int mostRows(final SizeConfig.Stage asked)
    {
        final int most = SizeConfig.AUTO == asked.creditBatch() ?
            (asked.ring() + 1) * 2 / 3 : asked.ring() - asked.creditBatch() + 1;
        return SizeConfig.AUTO == asked.ring() ? Integer.MAX_VALUE : Math.max(1, most);
    }
}
