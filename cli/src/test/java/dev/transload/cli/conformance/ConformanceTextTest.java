/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.tck.ConformanceReport.Result;
import dev.transload.tck.ConformanceReport.Status;
import org.junit.jupiter.api.Test;

class ConformanceTextTest
{
    @Test
    void shouldPrintALineForARuleThatIsKept()
    {
        assertEquals(String.format("ORD-2    passed   ord2%n"),
            ConformanceCommand.text(new Result("ORD-2", "ord2", Status.PASSED, "")));
    }

    @Test
    void shouldPrintTheRuleBelowTheReasonOfAFailure()
    {
        assertEquals(String.format("""
            ORD-2    failed   ord2: seen 1 of 2
                              Rule ORD-2: All operations.
                              Intent: A reader.
            """.replace("\n", "%n")), ConformanceCommand.text(
            new Result("ORD-2", "ord2", Status.FAILED, "seen 1 of 2\nRule ORD-2: All operations.\nIntent: A reader.")));
    }
}
