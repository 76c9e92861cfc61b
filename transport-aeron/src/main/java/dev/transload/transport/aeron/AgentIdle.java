/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

/** Backs off as Agrona's strategy of that name, and can be woken from its sleep. */
final class AgentIdle implements IdleStrategy
{
    private static final int SPINS = 10;
    private static final int YIELDS = 20;
    private static final long MIN_PARK_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final long maxParkNs;
    private int idles;
    private long parkNs = MIN_PARK_NS;
    private volatile Thread parked;

    AgentIdle(final long maxParkNs)
    {
        this.maxParkNs = maxParkNs;
    }

    static IdleStrategy of(final AeronOptions options)
    {
        return switch (options.idle())
        {
            case "yield" -> new YieldingIdleStrategy();
            case "spin" -> BusySpinIdleStrategy.INSTANCE;
            case "sleep" -> new SleepingIdleStrategy(SLEEP_NS);
            default -> new AgentIdle(options.maxParkNs());
        };
    }

    /** From any thread: end the sleep, if there is one. */
    static void wake(final IdleStrategy idle)
    {
        if (idle instanceof AgentIdle)
        {
            final Thread sleeper = ((AgentIdle)idle).parked;
            if (null != sleeper)
            {
                LockSupport.unpark(sleeper);
            }
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
            LockSupport.parkNanos(this, Math.min(parkNs, maxParkNs));
            parked = null;
            parkNs = Math.min(2 * parkNs, maxParkNs);
        }
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
