/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.ConformanceRun;
import dev.transload.transport.hccs.acl.AclLibrary;

import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The rules that delays of streams could break, over seeds of delays: a few, or as many as the system property
 * {@code test.seeds} says. The other rules are about arguments, providers, and time.
 */
class SeedsConformanceTest
{
    private static final int SEEDS = Integer.getInteger("test.seeds", 4);
    private static final Set<String> GROUPS = Set.of("MEM", "SIG", "PUT", "ROW", "LOAD", "ADD", "ORD", "WIN", "POS",
        "CLS");

    private static final Set<String> ORDER = Set.of("PUT-3", "LOAD-1", "ORD-2", "ORD-3", "ORD-4", "POS-4", "CLS-2");

    /** Counts allocations, after long warming. */
    private static final String SLOW = "POS-7";

    @Test
    void shouldKeepTheRulesWhateverTheDelays()
    {
        AclLibrary.open(Emulator.library());
        for (int seed = 1; seed <= SEEDS; seed++)
        {
            Seeds.use(seed);
            final ConformanceReport report = ConformanceRun.transport(
                (worldSize) -> new HccsFixture(Emulator.options()), SeedsConformanceTest::isAboutDelays);
            assertTrue(report.isConformant(), "seed " + seed + ": " + report.results().stream()
                .filter((result) -> Status.FAILED == result.status()).toList());
            assertTrue(report.rules(Status.PASSED).containsAll(ORDER), () -> "not tested: " + report);
        }
    }

    private static boolean isAboutDelays(final String rule)
    {
        return !SLOW.equals(rule) && GROUPS.contains(rule.substring(0, rule.indexOf('-')));
    }
}
