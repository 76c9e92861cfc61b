/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.ConfigurationException;
import org.junit.jupiter.api.Test;

/** Worlds that are too large for an index are refused, with what would do. */
class ShapeTest
{
    @Test
    void shouldRefuseWhatAnIndexCannotTellApart()
    {
        new Shape(64, 0, 4, 128, 64, 2).requireCountable();
        refused("2147352576 rows of an output", false, () -> new Shape(1024, 0, 16383, 128, 1024 * 128, 1));
        refused("2147483648 rows of an output", true, () -> new Shape(512, 0, 16384, 128, 512 * 256, 1));
        refused("2550136832 bytes of lists", true, () -> new Shape(512, 0, 16384, 128, 512 * 18, 18));
    }

    @Test
    void shouldRefuseMoreTokensThanAStartWordNames()
    {
        final String message = assertThrows(
            ConfigurationException.class, () -> new Shape(1024, 0, 16384, 128, 1024, 1)).getMessage();
        assertTrue(message.contains(
            "max-tokens = 16384 is not allowed in a world of 1024 ranks: must be at most 16383"), message);
    }

    private interface Making
    {
        Shape shape();
    }

    private static void refused(final String part, final boolean isRefused, final Making making)
    {
        final Shape shape = making.shape();
        if (!isRefused)
        {
            shape.requireCountable();
            return;
        }

        final String message = assertThrows(ConfigurationException.class, shape::requireCountable).getMessage();
        assertTrue(message.contains(part), message);
        assertTrue(message.contains("which is not allowed: must be at most 2147483647; lower "), message);
    }
}
