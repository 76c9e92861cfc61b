/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.tck.StepKernelsConformance;
import dev.transload.tck.StepsFixture;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** Steps of the kernels' host twins keep the rules. Time is real: only tests that need timeouts have short ones. */
class CudaStepsConformanceTest extends StepKernelsConformance
{
    private static final int ROUNDS = 8;
    private static final int ROUNDS_WITH_TIMEOUTS = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(1);
    /** Of a test in which a rank waits for eight of them. */
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(400);
    private static final String WITH_LONGEST_WAIT = "stp12SendBlocksAreWrittenOnceReleased";
    private static final Set<String> WITH_TIMEOUTS = Set.of(
        "stp5WhoIsNotToldWritesNowhere", "stp6WhatWasGrantedIsNotUsedLate", "stp7AStepEndsWhateverPeersDo",
        "stp11LostRowsAreListedAndNotRead", "stp9ClosingWaitsForSteps");

    private Duration timeout;

    @BeforeEach
    void setTimeout(final TestInfo test)
    {
        final String name = test.getTestMethod().orElseThrow().getName();
        timeout = WITH_LONGEST_WAIT.equals(name) ? SHORTEST_TIMEOUT :
            WITH_TIMEOUTS.contains(name) ? SHORT_TIMEOUT : TIMEOUT;
    }

    @Override
    public int rounds()
    {
        return TIMEOUT == timeout ? ROUNDS : ROUNDS_WITH_TIMEOUTS;
    }

    @Override
    public StepsFixture fixture(final int ranks)
    {
        return new CudaStepsFixture(ranks, timeout.toNanos());
    }
}
