/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, with a deadline. */
final class Waiting
{
    private static final Duration DEADLINE = Duration.ofSeconds(120);
    private static final long POLL_NS = 20_000_000;

    private Waiting()
    {
    }

    static void until(final String what, final BooleanSupplier condition)
    {
        final long begin = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - begin > DEADLINE.toNanos())
            {
                fail("waited " + DEADLINE.toSeconds() + " s: " + what);
            }

            LockSupport.parkNanos(POLL_NS);
        }
    }
}
