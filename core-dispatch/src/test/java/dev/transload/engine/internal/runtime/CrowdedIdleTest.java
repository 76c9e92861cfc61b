/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CrowdedIdleTest
{
    @Test
    void shouldSleepLongerEachTimeUntilThereIsWork()
    {
        final CrowdedIdle idle = new CrowdedIdle(100, 350);
        assertEquals(0, idle.nextParkNs(), "the first time it yields");
        idle.idle(0);
        assertEquals(100, idle.nextParkNs());
        idle.idle(0);
        assertEquals(200, idle.nextParkNs());
        idle.idle(0);
        assertEquals(350, idle.nextParkNs());
        idle.idle(0);
        assertEquals(350, idle.nextParkNs());
        idle.idle(1);
        assertEquals(0, idle.nextParkNs());
    }
}
