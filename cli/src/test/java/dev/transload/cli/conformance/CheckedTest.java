/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.ConformanceReport.Result;
import dev.transload.tck.ConformanceReport.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckedTest
{
    private final Checked checked = new Checked();

    @Test
    void shouldKnowNothingBeforeTheFirstRule()
    {
        assertNull(checked.rules());
        assertNull(checked.devices());
    }

    @Test
    void shouldTellOfTheRunThatGoesOnToo()
    {
        checked.add(result("ORD-2", Status.PASSED));
        checked.add(result("ORD-1", Status.PASSED));
        checked.endRun();
        checked.add(result("ORD-1", Status.FAILED));

        assertEquals(List.of("ORD-1", "ORD-2"), checked.rules().results().stream().map(Result::rule).toList());
        assertFalse(checked.rules().isConformant());
    }

    @Test
    void shouldNotTakeForAResultWhatFailsForTheSignal()
    {
        checked.add(result("ORD-1", Status.PASSED));

        assertTrue(checked.claim());
        checked.add(result("ORD-2", Status.FAILED));

        assertTrue(checked.rules().isConformant());
        assertFalse(checked.claim(), "it is told once");
    }

    private static Result result(final String rule, final Status status)
    {
        return new Result(rule, "test", status, "");
    }
}
