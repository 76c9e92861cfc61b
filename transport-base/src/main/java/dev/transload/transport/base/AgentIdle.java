/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

/** What the transport's thread does when there is nothing to do; its sleep can be ended. */
public interface AgentIdle extends IdleStrategy
{
    /** From any thread: end the sleep, if there is one that can be ended. */
    void wake();

    /**
     * The strategy of a name.
     *
     * @param name      {@code backoff}, {@code yield}, {@code spin} or {@code sleep}.
     * @param maxParkNs longest sleep of the strategy {@code backoff}.
     * @return the strategy, for one thread.
     * @throws IllegalArgumentException for another name.
     */
    static AgentIdle of(final String name, final long maxParkNs)
    {
        return switch (name)
        {
            case "backoff" -> new BackoffIdle(maxParkNs);
            case "yield" -> new RestlessIdle(new YieldingIdleStrategy());
            case "spin" -> new RestlessIdle(BusySpinIdleStrategy.INSTANCE);
            case "sleep" -> new RestlessIdle(new SleepingIdleStrategy(TimeUnit.MILLISECONDS.toNanos(1)));
            default -> throw new IllegalArgumentException(
                "idle=" + name + ": must be backoff, yield, spin or sleep");
        };
    }
}
