/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.ConformanceRun;
import dev.transload.transport.hccs.internal.acl.AclLibrary;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The rules that delays of streams could break, over seeds of delays: a few, or as many as the system property
 * {@code test.kit-seeds} says, from {@code test.first-kit-seed} on. The other rules move no memory of devices, but for
 * that of the hot path, which does the same again.
 */
class SeedsConformanceTest
{
    /** Quick to connect; and patient, since a long run must not fail by a machine that stands still for a while. */
    private static final Map<String, String> OPTIONS =
        Map.of("library", Emulator.library(), "max-park-us", "100", "timeout-ms", "3600000");
    private static final long TIMEOUT_NS = TimeUnit.MINUTES.toNanos(10);
    private static final int FIRST = Integer.getInteger("test.first-kit-seed", 1);
    private static final int SEEDS = Integer.getInteger("test.kit-seeds", 4);
    private static final Set<String> RULES = Set.of("CON-4", "MEM-4", "MEM-8", "PUT-1", "PUT-3", "ROW-1", "ROW-3",
        "LOAD-1", "ORD-2", "ORD-3", "ORD-4", "ORD-8", "POS-4", "WIN-6", "CLS-2");

    /** Skipped where there are no row kernels. */
    private static final String KERNELS = "ORD-7";

    private static final class PatientFixture extends HccsFixture
    {
        PatientFixture()
        {
            super(OPTIONS);
        }

        @Override
        public long livenessTimeoutNs()
        {
            return TIMEOUT_NS;
        }

        @Override
        public long deadlineNs()
        {
            return TIMEOUT_NS;
        }
    }

    @Test
    void shouldKeepTheRulesWhateverTheDelays()
    {
        AclLibrary.open(Emulator.library());
        for (int seed = FIRST; seed < FIRST + SEEDS; seed++)
        {
            Seeds.use(seed);
            final ConformanceReport report = ConformanceRun.transport(
                (worldSize) -> new PatientFixture(), (rule) -> KERNELS.equals(rule) || RULES.contains(rule));
            assertTrue(report.isConformant(), "seed " + seed + ": " + report.results().stream()
                .filter((result) -> Status.FAILED == result.status()).toList());
            assertTrue(report.rules(Status.PASSED).containsAll(RULES), () -> "not tested: " + report);
        }
    }
}
