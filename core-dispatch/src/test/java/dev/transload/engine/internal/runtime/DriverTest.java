/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.PrimitiveIterator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DriverTest
{
    @Test
    void shouldRestLongerFromCycleToCycleUntilThereIsWork()
    {
        final CrowdedIdle idle = new CrowdedIdle(100, 350);
        final PrimitiveIterator.OfInt work = IntStream.of(1, 0, 0, 3).iterator();
        final Driver driver = new Driver(work::nextInt, idle);
        driver.run();
        assertEquals(0, idle.nextParkNs());
        driver.run();
        assertEquals(100, idle.nextParkNs());
        driver.run();
        assertEquals(200, idle.nextParkNs());
        driver.run();
        assertEquals(0, idle.nextParkNs());
    }

    @Test
    void shouldRestDespiteAnInterruptAndKeepIt()
    {
        final boolean[] wasInterrupted = new boolean[1];
        final Driver driver = new Driver(() ->
        {
            wasInterrupted[0] = Thread.currentThread().isInterrupted();
            return 0;
        }, new CrowdedIdle(100, 350));
        Thread.currentThread().interrupt();
        driver.run();
        assertTrue(Thread.interrupted());
        assertFalse(wasInterrupted[0], "a park would end at once");
    }
}
