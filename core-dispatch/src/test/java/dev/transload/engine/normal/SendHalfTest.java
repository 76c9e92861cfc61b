/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Several senders fill out of order; rows are released in order. */
class SendHalfTest
{
    private static final int SLOTS = 4;

    private final SendHalf half = new SendHalf(SLOTS);

    @Test
    void shouldReleaseUpToTheFirstRowThatIsNotFilled()
    {
        half.fill(1);
        half.fill(2);
        assertEquals(0, half.released(0, 10));
        half.fill(0);
        assertEquals(3, half.released(0, 10));
        assertEquals(3, half.released(3, 10));
    }

    @Test
    void shouldNotTakeARowOfAnEarlierLapForTheNextOne()
    {
        for (int row = 0; row < SLOTS; row++)
        {
            half.fill(row);
        }

        assertEquals(SLOTS, half.released(0, 10));
        half.fill(SLOTS + 1);
        assertEquals(SLOTS, half.released(SLOTS, 10));
        half.fill(SLOTS);
        assertEquals(SLOTS + 2, half.released(SLOTS, 10));
    }

    @Test
    void shouldStopAtTheEndOfTheCall()
    {
        half.fill(0);
        half.fill(1);
        assertEquals(1, half.released(0, 1));
    }
}
