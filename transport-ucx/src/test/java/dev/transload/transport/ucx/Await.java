/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting for a condition, with a deadline that only a hang reaches. */
final class Await
{
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);

    private Await()
    {
    }

    static void until(final BooleanSupplier condition)
    {
        final long startNs = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - startNs > DEADLINE_NS)
            {
                fail("the condition did not come true within 60 s");
            }

            Thread.yield();
        }
    }
}
