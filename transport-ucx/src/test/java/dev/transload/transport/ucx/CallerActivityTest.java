/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CallerActivityTest
{
    private long nowNs = Long.MAX_VALUE - 1;
    private final CallerActivity callers = new CallerActivity(() -> nowNs);

    @Test
    void shouldTakeCallersForIdleUntilOneIsSeen()
    {
        assertTrue(callers.areCallersIdle());
        callers.onTurn();
        assertFalse(callers.areCallersIdle());
    }

    @Test
    void shouldKeepAwayAsLongAsACallerIsSeenNowAndThen()
    {
        for (int i = 0; i < 10; i++)
        {
            callers.onTurn();
            assertFalse(callers.areCallersIdle());
            nowNs += CallerActivity.IDLE_NS - 1;
            assertFalse(callers.areCallersIdle());
        }
    }

    @Test
    void shouldTakeOverWhenCallersHaveStopped()
    {
        callers.onTurn();
        assertFalse(callers.areCallersIdle());
        nowNs += CallerActivity.IDLE_NS;
        assertTrue(callers.areCallersIdle());
        assertTrue(callers.areCallersIdle());
    }
}
