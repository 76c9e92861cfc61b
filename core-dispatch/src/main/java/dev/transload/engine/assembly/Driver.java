/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.assembly;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.IdleStrategy;

/**
 * What a caller that waits does for an engine without threads: a duty cycle, and where there was nothing to do, what a
 * thread of the engine would do then. A caller that spins takes the core from the very peer that it waits for.
 */
final class Driver implements Runnable
{
    private final Agent share;
    private final IdleStrategy idle;

    /**
     * Of an engine.
     *
     * @param share its only one.
     * @param idle  that fits the host.
     */
    Driver(final Agent share, final IdleStrategy idle)
    {
        this.share = share;
        this.idle = idle;
    }

    /** An interrupt is kept for the caller, who could not rest with it. */
    @Override
    public void run()
    {
        final boolean isInterrupted = Thread.interrupted();
        try
        {
            idle.idle(share.doWork());
        }
        catch (final RuntimeException | Error ex)
        {
            throw ex;
        }
        catch (final Exception ex)
        {
            throw new IllegalStateException(ex);
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
