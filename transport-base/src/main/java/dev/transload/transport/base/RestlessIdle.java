/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import org.agrona.concurrent.IdleStrategy;

/** A strategy that sleeps so little that nobody needs to wake it. */
final class RestlessIdle implements AgentIdle
{
    private final IdleStrategy strategy;

    RestlessIdle(final IdleStrategy strategy)
    {
        this.strategy = strategy;
    }

    @Override
    public void wake()
    {
        // It looks again soon enough by itself.
    }

    @Override
    public void sleepWithin(final long intervalNs)
    {
        // It never sleeps longer than it was configured to.
    }

    @Override
    public void idle(final int workCount)
    {
        strategy.idle(workCount);
    }

    @Override
    public void idle()
    {
        strategy.idle();
    }

    @Override
    public void reset()
    {
        strategy.reset();
    }

    @Override
    public String alias()
    {
        return strategy.alias();
    }
}
