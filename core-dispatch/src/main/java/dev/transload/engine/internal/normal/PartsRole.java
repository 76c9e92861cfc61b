/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.internal.wire.Wait;

/**
 * A role made of equal parts, such as one for each node or stream. They take turns, from the channel's own index on, so
 * that channels do not all begin with the same peer.
 */
abstract class PartsRole<C extends Call> extends Role<C>
{
    private final Part<C>[] parts;
    private int next;

    PartsRole(
        final Class<C> calls, final String name, final Traffic traffic, final int channel, final Part<C>[] parts)
    {
        super(calls, name, traffic);
        this.parts = parts;
        this.next = 0 == parts.length ? 0 : channel % parts.length;
    }

    /** What such a role is made of; its methods mean what the role's do. */
    interface Part<C extends Call>
    {
        void begin(C call);

        int step();

        boolean isComplete();

        boolean isWaiting(Wait wait);
    }

    @Override
    protected boolean begin(final C call)
    {
        for (final Part<C> part : parts)
        {
            part.begin(call);
        }

        return parts.length > 0;
    }

    @Override
    protected final int step()
    {
        int work = 0;
        for (int i = 0; i < parts.length; i++)
        {
            work += parts[(next + i) % parts.length].step();
        }

        next = (next + 1) % parts.length;
        return work;
    }

    @Override
    protected final boolean isComplete()
    {
        for (final Part<C> part : parts)
        {
            if (!part.isComplete())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public final boolean isWaiting(final Wait wait)
    {
        for (final Part<C> part : parts)
        {
            if (part.isWaiting(wait))
            {
                return true;
            }
        }

        return false;
    }
}
