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

/** What the transport's thread does when there is nothing to do; its sleep can be ended. */
public interface AgentIdle extends IdleStrategy
{
    /** Which strategy a transport's thread has. */
    ConfigOption OPTION = new ConfigOption("idle", "backoff", "backoff, yield, spin or sleep",
        "What the transport's own thread does without work.");

    /** How long it sleeps. */
    ConfigOption MAX_PARK = new ConfigOption("max-park-us", "4000", "microseconds in [1, 100000]",
        "Longest sleep of backoff, and so the latency of connecting and of messages to an idle rank. After about 250 " +
        "such sleeps without work, the thread sleeps 16 times as long, but at most half the time between two " +
        "heartbeats.");

    /**
     * Name of the strategy that is configured.
     *
     * @param config    of the transport.
     * @param transport name, for the message.
     * @return a name that {@link #of} takes.
     * @throws dev.transload.spi.ConfigurationException for another name.
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
     * Longest sleep that is configured.
     *
     * @param config    of the transport.
     * @param transport name, for the message.
     * @return nanoseconds, for {@link #of}.
     * @throws dev.transload.spi.ConfigurationException for a number that is not allowed.
     */
    static long maxParkNsIn(final TransportConfig config, final String transport)
    {
        return TimeUnit.MICROSECONDS.toNanos(config.number(transport, MAX_PARK, 1, 100_000));
    }

    /** From any thread: end the sleep, if there is one that can be ended. */
    void wake();

    /**
     * Before its thread starts: what is due must not wait for a thread that sleeps longer than it was configured to.
     *
     * @param intervalNs longest sleep, unless the configured one is longer.
     */
    void sleepWithin(long intervalNs);

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
