/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.engine.IdleMode;
import dev.transload.engine.ThreadConfig;
import dev.transload.engine.ThreadLayout;
import dev.transload.engine.cores.CoreChoice;
import dev.transload.engine.cores.CoreSet;
import dev.transload.engine.cores.HostShare;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cores, ranks that share them and channels decide; what is configured stays. */
class ThreadRuleTest
{
    private static ThreadConfig settle(
        final ThreadConfig configured, final int cores, final int ranks, final int channels)
    {
        return ThreadRule.settle(configured, new HostShare(cores, ranks, 0, CoreSet.EMPTY), channels);
    }

    @ParameterizedTest
    @CsvSource({
        // cores, ranks, channels -> threads, layout, idle
        "1, 1, 1, 1, CHANNELS, BACKOFF",
        "2, 1, 1, 1, CHANNELS, BACKOFF",
        "2, 4, 2, 1, CHANNELS, BACKOFF",
        "2, 8, 2, 1, CHANNELS, BACKOFF",
        "4, 1, 1, 2, ROLES, SPIN",
        "8, 2, 2, 2, CHANNELS, SPIN",
        "8, 4, 2, 1, CHANNELS, BACKOFF",
        "15, 4, 2, 1, CHANNELS, BACKOFF",
        "16, 4, 2, 2, CHANNELS, SPIN",
        "64, 8, 2, 4, ROLES, SPIN",
        "64, 8, 4, 4, CHANNELS, SPIN",
        "64, 16, 2, 2, CHANNELS, SPIN",
        "64, 64, 2, 1, CHANNELS, BACKOFF",
        "128, 8, 2, 5, ROLES, SPIN",
        "128, 8, 8, 8, CHANNELS, SPIN",
        "256, 8, 8, 8, CHANNELS, SPIN",
    })
    void shouldFitTheHost(
        final int cores,
        final int ranks,
        final int channels,
        final int threads,
        final ThreadLayout layout,
        final IdleMode idle)
    {
        final ThreadConfig auto =
            new ThreadConfig(ThreadConfig.AUTO, ThreadLayout.AUTO, IdleMode.AUTO, CoreChoice.NONE);
        assertEquals(
            new ThreadConfig(threads, layout, idle, CoreChoice.NONE), settle(auto, cores, ranks, channels));
    }

    @ParameterizedTest
    @CsvSource({
        "2, 4, 0, CHANNELS, BACKOFF", "2, 4, 3, ROLES, BACKOFF", "64, 8, 2, CHANNELS, SPIN", "64, 8, 3, ROLES, SPIN",
        "64, 8, 5, ROLES, BACKOFF",
    })
    void shouldFollowTheCountThatIsConfigured(
        final int cores, final int ranks, final int count, final ThreadLayout layout, final IdleMode idle)
    {
        final ThreadConfig given = new ThreadConfig(count, ThreadLayout.AUTO, IdleMode.AUTO, CoreChoice.AUTO);
        assertEquals(new ThreadConfig(count, layout, idle, CoreChoice.AUTO), settle(given, cores, ranks, 2));
    }

    @ParameterizedTest
    @CsvSource({"2, 4, CHANNELS, SPIN", "64, 8, ROLES, YIELD"})
    void shouldLeaveWhatIsConfigured(
        final int cores, final int ranks, final ThreadLayout layout, final IdleMode idle)
    {
        final ThreadConfig given = new ThreadConfig(3, layout, idle, CoreChoice.NONE);
        assertEquals(given, settle(given, cores, ranks, 2));
    }
}
