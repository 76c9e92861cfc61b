/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * What a thread without work does where ranks outnumber cores: its turn goes to others at once, then it sleeps, longer
 * each time. Agrona's backoff looks around three times more before it sleeps; here each look costs whom it waits for.
 */
final class CrowdedIdle implements IdleStrategy
{
    private final long minParkNs;
    private final long maxParkNs;
    private long parkNs;

    CrowdedIdle(final long minParkNs, final long maxParkNs)
    {
        this.minParkNs = minParkNs;
        this.maxParkNs = maxParkNs;
    }

    @Override
    public void idle(final int workCount)
    {
        if (workCount > 0)
        {
            reset();
        }
        else
        {
            idle();
        }
    }

    @Override
    public void idle()
    {
        if (0 == parkNs)
        {
            parkNs = minParkNs;
            Thread.yield();
        }
        else
        {
            LockSupport.parkNanos(parkNs);
            parkNs = Math.min(2 * parkNs, maxParkNs);
        }
    }

    /** How long the next sleep takes, in nanoseconds; 0 before the first. */
    long nextParkNs()
    {
        return parkNs;
    }

    @Override
    public void reset()
    {
        parkNs = 0;
    }

    @Override
    public String alias()
    {
        return "crowded";
    }
}
