/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.ConfigOption;
import dev.transload.spi.TransportConfig;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * Idle strategy of a transport's thread. With the strategy {@code backoff}, another thread can end the sleep of the
 * transport's thread.
 */
public interface AgentIdle extends IdleStrategy
{
    /** Option that selects the idle strategy of a transport's thread. */
    ConfigOption OPTION = new ConfigOption("idle", "backoff", "backoff, yield, spin or sleep",
        "What the transport's own thread does when it has no work.");

    /**
     * Option that sets the longest normal sleep of the strategy {@code backoff}. After about 250 sleeps of this length
     * without work, a thread may sleep longer.
     */
    ConfigOption MAX_PARK = new ConfigOption("max-park-us", "4000", "microseconds in [1, 100000]",
        "Longest sleep of the transport's own thread with idle = backoff. This time is also the latency of " +
        "connecting, and of messages to an idle rank. After about 250 such sleeps without work, sleeps " +
        "are longer: 16 times this time, but at most half the time between two heartbeats.");

    /**
     * Returns the name of the configured strategy.
     *
     * @param config    configuration of the transport.
     * @param transport name of the transport, for the error message.
     * @return name accepted by {@link #of}.
     * @throws dev.transload.spi.ConfigurationException if the configured name is unknown.
     */
    static String nameIn(final TransportConfig config, final String transport)
    {
        final String name = config.text(OPTION);
        if (!List.of("backoff", "yield", "spin", "sleep").contains(name))
        {
            throw OPTION.refuse(transport, name);
        }

        return name;
    }

    /**
     * Returns the configured longest sleep.
     *
     * @param config    configuration of the transport.
     * @param transport name of the transport, for the error message.
     * @return longest sleep in nanoseconds, as expected by {@link #of}.
     * @throws dev.transload.spi.ConfigurationException if the configured number is not allowed.
     */
    static long maxParkNsIn(final TransportConfig config, final String transport)
    {
        return TimeUnit.MICROSECONDS.toNanos(config.number(transport, MAX_PARK, 1, 100_000));
    }

    /**
     * Ends the sleep of the transport's thread if the strategy is {@code backoff}; otherwise the call has no effect.
     * Any thread may call this method.
     */
    void wake();

    /**
     * Limits the sleep of a thread that has had no work for a long time, so that periodic work is not late. This method
     * must be called before the thread starts.
     *
     * @param intervalNs longest allowed sleep in nanoseconds. If the value of {@link #MAX_PARK} is longer than this
     *                   interval, that value is the limit.
     */
    void sleepWithin(long intervalNs);

    /**
     * Creates the strategy with a given name.
     *
     * @param name      {@code backoff}, {@code yield}, {@code spin} or {@code sleep}.
     * @param maxParkNs longest normal sleep of the strategy {@code backoff}, in nanoseconds; see {@link #MAX_PARK}.
     * @return new strategy, for use by one thread.
     * @throws IllegalArgumentException if the name is unknown.
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
