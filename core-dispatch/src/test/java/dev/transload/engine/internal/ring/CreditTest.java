/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Credit comes in batches, and none of it is lost to back-pressure. */
class CreditTest
{
    private static final int HEAD = 1;

    @Test
    void shouldReturnCreditInBatches()
    {
        final ConnectionRig rig = new ConnectionRig(0, 64);
        final PushingReturn back = new PushingReturn(rig.link, HEAD, 3);
        final PushedCredit credit = new PushedCredit(rig.signals, HEAD);
        assertEquals(0, back.report(2));
        assertFalse(back.isDue(2));
        assertEquals(0, credit.head(1));
        assertTrue(back.isDue(3));
        assertEquals(1, back.report(3));
        assertEquals(3, credit.head(1));
        assertEquals(0, back.report(5));
        assertEquals(1, back.report(9));
        assertEquals(9, credit.head(1));
    }

    @Test
    void shouldReportAgainWhatWasRefused()
    {
        final ConnectionRig rig = new ConnectionRig(2, 64);
        final PushingReturn back = new PushingReturn(rig.link, HEAD, 1);
        for (long head = 1; head <= 50; head++)
        {
            int attempts = 0;
            while (back.isDue(head))
            {
                back.report(head);
                assertTrue(++attempts < 1_000, "credit is never accepted");
            }

            assertEquals(head, rig.signals.getAcquire(HEAD));
        }
    }
}
