/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.IdleMode;
import dev.transload.engine.ThreadConfig;
import dev.transload.engine.cores.CoreChoice;
import dev.transload.engine.cores.CoreSet;
import dev.transload.engine.cores.HostShare;
import dev.transload.spi.MemoryKind;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cores, ranks that share them and channels decide; what is configured stays. */
class ThreadRuleTest
{
    private static ThreadConfig settle(
        final ThreadConfig configured, final int cores, final int ranks, final int channels)
    {
        return settle(configured, cores, ranks, channels, MemoryKind.HOST);
    }

    private static ThreadConfig settle(
        final ThreadConfig configured, final int cores, final int ranks, final int channels, final MemoryKind kind)
    {
        final String idle = configured.idle().name().toLowerCase(Locale.ROOT);
        final EngineConfig config = EngineConfig.from(ConfigFactory.parseString(
            "transload { channels = " + channels + ", payload.kind = " + kind + ", threads { count = " +
            (ThreadConfig.AUTO == configured.count() ? "auto" : configured.count()) + ", idle = " + idle +
            ", cores = " +
            (configured.cores().isAuto() ? "auto" : "[]") + " } }"));
        assertEquals(configured, config.threading());
        return ThreadRule.settle(config, new HostShare(cores, ranks, 0, CoreSet.EMPTY));
    }

    @ParameterizedTest
    @CsvSource({
        // cores, ranks, channels -> threads, idle
        "1, 1, 1, 1, BACKOFF",
        "2, 1, 1, 1, BACKOFF",
        "2, 4, 2, 1, BACKOFF",
        "2, 8, 2, 1, BACKOFF",
        "4, 1, 1, 2, SPIN",
        "8, 2, 2, 2, SPIN",
        "2, 1, 2, 2, BACKOFF",
        "3, 1, 5, 2, BACKOFF",
        "7, 4, 2, 1, BACKOFF",
        "8, 4, 2, 2, BACKOFF",
        "15, 4, 2, 2, BACKOFF",
        "16, 4, 2, 2, SPIN",
        "64, 8, 2, 4, SPIN",
        "64, 8, 4, 4, SPIN",
        "64, 16, 2, 2, SPIN",
        "64, 64, 2, 1, BACKOFF",
        "128, 8, 2, 5, SPIN",
        "128, 8, 8, 8, SPIN",
        "256, 8, 8, 8, SPIN",
    })
    void shouldFitTheHost(
        final int cores,
        final int ranks,
        final int channels,
        final int threads,
        final IdleMode idle)
    {
        final ThreadConfig auto =
            new ThreadConfig(ThreadConfig.AUTO, IdleMode.AUTO, CoreChoice.NONE);
        assertEquals(
            new ThreadConfig(threads, idle, CoreChoice.NONE), settle(auto, cores, ranks, channels));
    }

    @ParameterizedTest
    @CsvSource({
        // cores, ranks, channels -> threads, idle
        "2, 1, 2, 1, BACKOFF",
        "7, 2, 8, 1, BACKOFF",
        "4, 1, 8, 4, SPIN",
        "8, 1, 8, 8, SPIN",
        "16, 1, 2, 2, SPIN",
        "8, 2, 4, 2, SPIN",
        "16, 2, 8, 4, SPIN",
        "16, 4, 4, 2, SPIN",
        "64, 2, 8, 8, SPIN",
        "64, 8, 2, 2, SPIN",
        "64, 8, 8, 4, SPIN",
        "24, 4, 8, 3, SPIN",
        "15, 4, 3, 1, BACKOFF",
    })
    void shouldGiveAChannelOfADeviceACoreOfAHalfThatRanksShare(
        final int cores, final int ranks, final int channels, final int threads, final IdleMode idle)
    {
        final ThreadConfig auto =
            new ThreadConfig(ThreadConfig.AUTO, IdleMode.AUTO, CoreChoice.NONE);
        assertEquals(new ThreadConfig(threads, idle, CoreChoice.NONE),
            settle(auto, cores, ranks, channels, new MemoryKind("DEVICE")));
    }

    @ParameterizedTest
    @CsvSource({
        "2, 4, 0, BACKOFF", "2, 4, 3, BACKOFF", "64, 8, 2, SPIN", "64, 8, 3, SPIN",
        "64, 8, 5, BACKOFF",
    })
    void shouldFollowTheCountThatIsConfigured(
        final int cores, final int ranks, final int count, final IdleMode idle)
    {
        final ThreadConfig given = new ThreadConfig(count, IdleMode.AUTO, CoreChoice.AUTO);
        assertEquals(new ThreadConfig(count, idle, CoreChoice.AUTO), settle(given, cores, ranks, 2));
    }

    @ParameterizedTest
    @CsvSource({"2, 4, SPIN", "64, 8, YIELD"})
    void shouldLeaveWhatIsConfigured(
        final int cores, final int ranks, final IdleMode idle)
    {
        final ThreadConfig given = new ThreadConfig(3, idle, CoreChoice.NONE);
        assertEquals(given, settle(given, cores, ranks, 2));
    }

    @ParameterizedTest
    @CsvSource({
        // cores, ranks, count, cores of threads, payload -> threads
        "2, 4, auto, [], HOST, 0",
        "2, 3, auto, [], HOST, 0",
        "2, 2, auto, [], HOST, 1",
        "2, 1, auto, [], HOST, 2",
        "64, 8, auto, [], HOST, 4",
        "2, 4, auto, auto, HOST, 1",
        "2, 4, auto, [], DEVICE, 1",
        "2, 4, 1, [], HOST, 1",
        "2, 4, 0, [], HOST, 0",
        "64, 8, 0, [], HOST, 0",
    })
    void shouldLeaveACrowdedCoreToTheCallerThatDrives(
        final int cores, final int ranks, final String count, final String tied, final String kind, final int threads)
    {
        final EngineConfig config = EngineConfig.from(ConfigFactory.parseString("transload { channels = 2, " +
            "payload.kind = " + kind + ", threads { count = " + count + ", cores = " + tied + " } }"));
        final HostShare host = new HostShare(cores, ranks, 0, CoreSet.EMPTY);
        assertEquals(threads, ThreadRule.settle(config.callerMayDrive(), host).count());
    }
}
