/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunTaskTest
{
    @ParameterizedTest
    @CsvSource({ "0, 3, 10", "2, 1, 10", "3, 0, 10", "7, 0, 6", "12, 0, 1", "13, 0, 1" })
    void shouldHaveTheIterationsThatAreLeft(final int made, final int warmup, final int iterations)
    {
        final RunTask left =
            new RunTask(null, 10, 3, false, false, "echo", false, null, null, null).after(made);

        assertEquals(warmup, left.warmup());
        assertEquals(iterations, left.iterations());
    }
}
