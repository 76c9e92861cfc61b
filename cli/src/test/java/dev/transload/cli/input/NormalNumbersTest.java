/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.transload.reference.Bf16;
import org.junit.jupiter.api.Test;

class NormalNumbersTest
{
    private static final int DRAWS = 200_000;

    @Test
    void shouldHaveTheMomentsAndQuantilesOfTheNormalDistribution()
    {
        final NormalNumbers numbers = new NormalNumbers(5, 6, 7);
        double sum = 0.0;
        double squares = 0.0;
        int belowOne = 0;
        int belowMinusTwo = 0;
        for (int i = 0; i < DRAWS; i++)
        {
            final float x = numbers.next();
            sum += x;
            squares += x * x;
            belowOne += x < 1.0f ? 1 : 0;
            belowMinusTwo += x < -2.0f ? 1 : 0;
        }

        assertEquals(0.0, sum / DRAWS, 0.01);
        assertEquals(1.0, squares / DRAWS, 0.01);
        assertEquals(0.841345, belowOne / (double)DRAWS, 0.004);
        assertEquals(0.022750, belowMinusTwo / (double)DRAWS, 0.002);
    }

    @Test
    void shouldBeAFunctionOfSeedAndPlace()
    {
        assertEquals(first(1, 2, 3), first(1, 2, 3));
        assertNotEquals(first(1, 2, 3), first(1, 3, 2));
        assertNotEquals(first(1, 2, 3), first(2, 2, 3));
    }

    @Test
    void shouldFillARowWithTheSameNumbersRounded()
    {
        final short[] row = new short[131];
        new NormalNumbers(1, 2, 3).fillBf16(row);
        final NormalNumbers numbers = new NormalNumbers(1, 2, 3);
        for (int i = 0; i < row.length; i++)
        {
            assertEquals(Bf16.fromFloat(numbers.next()), row[i], "element " + i);
        }
    }

    private static String first(final long seed, final long a, final long b)
    {
        final NormalNumbers numbers = new NormalNumbers(seed, a, b);
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < 16; i++)
        {
            text.append(numbers.next()).append(' ');
        }

        return text.toString();
    }
}
