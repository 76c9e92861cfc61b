/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import java.util.function.IntSupplier;
import org.agrona.concurrent.IdleStrategy;

/**
 * What a caller that waits does for an engine without threads: a duty cycle, and where there was nothing to do, what a
 * thread of the engine would do then. A caller that spins takes the core from the very peer that it waits for.
 */
final class Driver implements Runnable
{
    private final IntSupplier cycle;
    private final IdleStrategy idle;

    /**
     * Of an engine.
     *
     * @param cycle of its only share; gives the work done.
     */
    Driver(final IntSupplier cycle, final IdleStrategy idle)
    {
        this.cycle = cycle;
        this.idle = idle;
    }

    /** An interrupt is kept for the caller, who could not rest with it. */
    @Override
    public void run()
    {
        final boolean isInterrupted = Thread.interrupted();
        try
        {
            idle.idle(cycle.getAsInt());
        }
        finally
        {
            if (isInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }
}
