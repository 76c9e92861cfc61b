/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.function.Executable;

/** What refusals must say. */
final class Messages
{
    private Messages()
    {
    }

    static void assertContains(final Throwable failure, final String... parts)
    {
        for (final String part : parts)
        {
            assertTrue(failure.getMessage().contains(part), () -> "'" + part + "' is not in: " + failure.getMessage());
        }
    }

    static <T extends Throwable> void assertRefused(
        final Class<T> type, final Executable refused, final String... parts)
    {
        assertContains(assertThrows(type, refused), parts);
    }
}
