/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.Outcome;
import org.junit.jupiter.api.function.Executable;

/** Asserts that bad input gets one sentence which names what is wrong. */
public final class Refusals
{
    private Refusals()
    {
    }

    public static void assertRefused(final int exitCode, final Executable action, final String... named)
    {
        final Outcome outcome = Outcome.of(assertThrows(RuntimeException.class, action));
        assertEquals(exitCode, outcome.exitCode(), outcome.sentence());
        assertFalse(outcome.sentence().contains("\n"), outcome.sentence());
        for (final String part : named)
        {
            assertTrue(outcome.sentence().contains(part), "'" + part + "' in: " + outcome.sentence());
        }
    }
}
