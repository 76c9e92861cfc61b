/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** How long a transport's thread sleeps that has had nothing to do for long. */
class BackoffIdleTest
{
    private static final long MAX_PARK_NS = 1_000;
    private static final int BEFORE_QUIET = 280;
    private static final int YIELDS = 30;

    private final BackoffIdle idle = new BackoffIdle(MAX_PARK_NS);

    @Test
    void shouldSleepLongerOnlyOnceItHasBeenQuietForLong()
    {
        standIdle(BEFORE_QUIET);
        assertEquals(MAX_PARK_NS, idle.longestNs());
        standIdle(1);
        assertEquals(16 * MAX_PARK_NS, idle.longestNs());
        idle.idle(1);
        assertEquals(MAX_PARK_NS, idle.longestNs());
    }

    @Test
    void shouldStayAwakeForAWhileAfterItWasWoken()
    {
        standIdle(BEFORE_QUIET + 1);
        idle.wake();
        standIdle(BEFORE_QUIET - YIELDS);
        assertEquals(MAX_PARK_NS, idle.longestNs());
    }

    @Test
    void shouldNotSleepThroughWhatIsDue()
    {
        idle.sleepWithin(5 * MAX_PARK_NS);
        standIdle(BEFORE_QUIET + 1);
        assertEquals(5 * MAX_PARK_NS, idle.longestNs());
    }

    @Test
    void shouldSleepAsLongAsItIsConfiguredTo()
    {
        idle.sleepWithin(MAX_PARK_NS / 2);
        standIdle(BEFORE_QUIET + 1);
        assertEquals(MAX_PARK_NS, idle.longestNs());
    }

    private void standIdle(final int cycles)
    {
        for (int i = 0; i < cycles; i++)
        {
            idle.idle(0);
        }
    }
}
