/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Capability;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.ConformanceRun;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each test of the kit fails on a transport that breaks its rule; all of them pass on the same transport whole. */
class MutantTest
{
    private static final long SEED = 3L;
    private static final long MAX_PUT_LENGTH = 8192L;
    private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(200);

    @ParameterizedTest
    @EnumSource
    void shouldFailOnTheTransportThatBreaksTheRule(final Fault fault, final TestReporter reporter)
    {
        final String rule = fault.rule();
        final ConformanceReport report = rule.startsWith("STP") ?
            ConformanceRun.steps((ranks) -> new SteppingStepsFixture(
                new SteppingFabric(SEED, ranks, options(fault), fault), SteppingOptions.OPAQUE), rule::equals) :
            rule.startsWith("KRN") ?
            ConformanceRun.kernels(() -> new SteppingKernelsFixture(
                new SteppingFabric(SEED, 1, options(fault), fault), SteppingOptions.OPAQUE)) :
            ConformanceRun.transport((worldSize) -> fixture(worldSize, fault), rule::equals);
        reporter.publishEntry(rule, String.valueOf(report.rules(Status.FAILED)));
        assertTrue(report.rules(Status.FAILED).contains(rule),
            () -> "the transport that " + fault + " breaks failed " + report.rules(Status.FAILED) + " only");
    }

    /** Signals are puts there, which the same rules hold for. */
    @ParameterizedTest
    @EnumSource(names = {"SIG_2_OVERTAKEN", "ORD_2", "ORD_8", "ORD_8_OTHER_CHANNEL", "ORD_8_LOST"})
    void shouldFailOnTheTransportThatBreaksTheRuleWithoutAtomics(final Fault fault)
    {
        final ConformanceReport report = ConformanceRun.transport((worldSize) -> new SteppingFixture(
            new SteppingFabric(SEED, worldSize, SteppingOptions.opaque().withoutAtomics(), fault), DEADLINE_NS),
            fault.rule()::equals);
        assertTrue(report.rules(Status.FAILED).contains(fault.rule()),
            () -> "the transport that " + fault + " breaks failed " + report.rules(Status.FAILED) + " only");
    }

    @ParameterizedTest
    @EnumSource(names = {"ADD_2", "MIS_5", "MIS_7", "PRV_2", "SIG_2_OVERTAKEN"})
    void shouldPassOnTheSameTransportWithoutTheFault(final Fault fault)
    {
        final ConformanceReport report = ConformanceRun.transport((worldSize) -> new SteppingFixture(
            new SteppingFabric(SEED, worldSize, options(fault))));
        assertEquals(Set.of(), report.rules(Status.FAILED));
    }

    @Test
    void shouldFailOnATransportThatAllocates()
    {
        final ConformanceReport report = ConformanceRun.transport((worldSize) -> new SteppingFixture(
            new SteppingFabric(SEED, worldSize, SteppingOptions.opaque()))
        {
            @Override
            public boolean isAllocationFree()
            {
                return true;
            }
        });
        assertEquals(Set.of("POS-7"), report.rules(Status.FAILED));
    }

    @Test
    void shouldFailOnKernelsThatAllocate()
    {
        final ConformanceReport report = ConformanceRun.kernels(() -> new SteppingKernelsFixture(
            new SteppingFabric(SEED, 1, SteppingOptions.opaque()), SteppingOptions.OPAQUE)
        {
            @Override
            public boolean isAllocationFree()
            {
                return true;
            }
        });
        assertEquals(Set.of("KRN-14"), report.rules(Status.FAILED));
    }

    private static ConformanceFixture fixture(final int worldSize, final Fault fault)
    {
        return new SteppingFixture(new SteppingFabric(SEED, worldSize, options(fault), fault), DEADLINE_NS);
    }

    private static SteppingOptions options(final Fault fault)
    {
        switch (fault)
        {
            case ADD_2:
                return SteppingOptions.opaque().optional(Set.of(Capability.REGISTER_REMOTE));

            case SIG_2_OVERTAKEN:
                return SteppingOptions.opaque().withoutAtomics();

            case MIS_5:
                return SteppingOptions.opaque().offsetAlignment(16);

            case MIS_7:
                return SteppingOptions.opaque().maxPutLength(MAX_PUT_LENGTH);

            default:
                return SteppingOptions.opaque();
        }
    }
}
