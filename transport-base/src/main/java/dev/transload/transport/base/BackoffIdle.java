/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Backs off as Agrona's strategy of that name, and can be woken from its sleep. A look around takes a core tens of
 * microseconds when its caches have other things to hold, so that a thread without work for long sleeps longer.
 */
final class BackoffIdle implements AgentIdle
{
    private static final int SPINS = 10;
    private static final int YIELDS = 20;
    private static final int LOOKS_WHEN_WOKEN = 8;
    private static final long MIN_PARK_NS = TimeUnit.MICROSECONDS.toNanos(20);

    /** About a second, of four milliseconds each. */
    private static final int PARKS_BEFORE_QUIET = 250;
    private static final int QUIET_FACTOR = 16;

    private final long maxParkNs;
    private long quietParkNs;
    private int idles;
    private long parkNs = MIN_PARK_NS;
    private volatile Thread parked;
    private volatile boolean isWanted;

    BackoffIdle(final long maxParkNs)
    {
        this.maxParkNs = maxParkNs;
        this.quietParkNs = QUIET_FACTOR * maxParkNs;
    }

    @Override
    public void sleepWithin(final long intervalNs)
    {
        quietParkNs = Math.max(maxParkNs, Math.min(quietParkNs, intervalNs));
    }

    @Override
    public void wake()
    {
        if (!isWanted)
        {
            isWanted = true;
        }

        final Thread sleeper = parked;
        if (null != sleeper)
        {
            LockSupport.unpark(sleeper);
        }
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
        if (isWanted)
        {
            isWanted = false;
            // A few more looks: a caller that polls now and then must not keep a core busy.
            idles = Math.min(idles, SPINS + YIELDS - LOOKS_WHEN_WOKEN);
            parkNs = MIN_PARK_NS;
        }

        idles++;
        if (idles <= SPINS)
        {
            Thread.onSpinWait();
        }
        else if (idles <= SPINS + YIELDS)
        {
            Thread.yield();
        }
        else
        {
            parked = Thread.currentThread();
            if (!isWanted)
            {
                LockSupport.parkNanos(this, Math.min(parkNs, longestNs()));
            }

            parked = null;
            parkNs = Math.min(2 * parkNs, longestNs());
        }
    }

    /** How long the next sleep may take, in nanoseconds. */
    long longestNs()
    {
        return idles > SPINS + YIELDS + PARKS_BEFORE_QUIET ? quietParkNs : maxParkNs;
    }

    @Override
    public void reset()
    {
        idles = 0;
        parkNs = MIN_PARK_NS;
    }

    @Override
    public String alias()
    {
        return "backoff";
    }
}
