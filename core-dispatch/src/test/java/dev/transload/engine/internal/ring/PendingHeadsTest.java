/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Rows count as consumed when the work that reads them is done. */
class PendingHeadsTest
{
    private final PendingHeads heads = new PendingHeads();

    @Test
    void shouldSettleWhatWasPassed()
    {
        heads.add(10, 3);
        heads.add(10, 5);
        heads.add(14, 6);
        assertEquals(10, heads.oldestPosition());
        assertEquals(0, heads.settle(9));
        assertEquals(5, heads.settle(13));
        assertEquals(14, heads.oldestPosition());
        assertFalse(heads.isEmpty());
        assertEquals(6, heads.settle(14));
        assertTrue(heads.isEmpty());
        assertEquals(0, heads.oldestPosition());
        assertEquals(6, heads.settle(0));
    }

    @Test
    void shouldHaveRoomAgainOnceSettledLapAfterLap()
    {
        long head = 0;
        for (int lap = 0; lap < 3; lap++)
        {
            while (heads.hasRoom())
            {
                head++;
                heads.add(head * 2, head);
            }

            assertEquals(head - 1, heads.settle(head * 2 - 1));
            assertTrue(heads.hasRoom());
        }
    }
}
