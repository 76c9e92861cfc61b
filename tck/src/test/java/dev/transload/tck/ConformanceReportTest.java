/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.ConformanceReport.Result;
import dev.transload.tck.ConformanceReport.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConformanceReportTest
{
    private static final Result PASSED = new Result("ORD-2", "ord2", Status.PASSED, "");
    private static final Result FAILED = new Result("ORD-2", "ord2", Status.FAILED, "1 of 2");
    private static final Result SKIPPED = new Result("ORD-2", "ord2", Status.SKIPPED, "no device");

    @Test
    void shouldFailWhatFailedInAnyRunAndNameTheFirst()
    {
        assertEquals(List.of(new Result("ORD-2", "ord2", Status.FAILED, "run 2 of 4: 1 of 2")),
            merged(PASSED, FAILED, FAILED, SKIPPED));
    }

    @Test
    void shouldPassWhatWasSkippedInSomeRunsOnly()
    {
        assertEquals(List.of(PASSED), merged(SKIPPED, PASSED));
        assertEquals(List.of(PASSED), merged(PASSED, SKIPPED));
        assertEquals(List.of(SKIPPED), merged(SKIPPED, SKIPPED));
    }

    @Test
    void shouldLeaveASingleRunAsItIs()
    {
        assertEquals(List.of(FAILED), merged(FAILED));
    }

    @Test
    void shouldNameTheRulesOfTransports()
    {
        assertTrue(ConformanceRun.transportRules().contains("ORD-2"));
        assertFalse(ConformanceRun.transportRules().contains("KRN-1"), "a rule of row kernels");
    }

    private static List<Result> merged(final Result... results)
    {
        return ConformanceReport.merge(
            List.of(results).stream().map((result) -> new ConformanceReport(List.of(result))).toList()).results();
    }
}
