/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.ConformanceRun;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the kit finds in a transport, it finds by proxies, too; what is whole passes by them. */
class ProxiedKitTest
{
    /** They need memory of the JVM that runs the test. */
    private static final Set<String> LOCAL_ONLY = Set.of("MEM-3", "MEM-4", "MEM-5");

    @Test
    void shouldPassOnTheWholeTransportButForWhatIsLocalOnly()
    {
        final ConformanceReport report = ConformanceRun.transport((worldSize) ->
            new OneProcessFixture(Map.of("seed", "7"), TimeUnit.SECONDS.toNanos(10)));
        assertEquals(LOCAL_ONLY, report.rules(Status.FAILED));
        assertEquals(Set.of("ADD-2", "FAIL-1", "FAIL-2", "FAIL-3", "MIS-5", "ORD-7", "POS-7"),
            report.rules(Status.SKIPPED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"CON_2", "MEM_1", "SIG_2", "ROW_1", "LOAD_2", "ORD_2", "POS_2", "MIS_1", "CLS_2"})
    void shouldFindWhatABrokenTransportDoesWrong(final String fault)
    {
        final ConformanceReport report = ConformanceRun.transport((worldSize) ->
            new OneProcessFixture(Map.of("seed", "3", "fault", fault), TimeUnit.SECONDS.toNanos(1)));
        assertTrue(report.rules(Status.FAILED).contains(fault.replace('_', '-')),
            () -> "the transport that " + fault + " breaks failed " + report.rules(Status.FAILED) + " only");
    }
}
