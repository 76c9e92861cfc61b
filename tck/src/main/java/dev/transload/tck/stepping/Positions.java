/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

/** What the caller sees of a channel's positions: it lags behind, and moves by progress only. */
final class Positions
{
    private final SteppingFabric fabric;
    private final OperationQueue queue;
    private long released;
    private long delivered;
    private int looks;

    Positions(final SteppingFabric fabric, final OperationQueue queue)
    {
        this.fabric = fabric;
        this.queue = queue;
    }

    long released()
    {
        return released;
    }

    long delivered()
    {
        if (fabric.has(Fault.POS_2))
        {
            return 0 == (++looks & 1) ? delivered / 2 : delivered;
        }

        return delivered;
    }

    /** Returns by how much. */
    int advance()
    {
        final long before = released + delivered;
        released = advance(released, queue.released());
        delivered = advance(delivered, queue.delivered());
        return (int)(released + delivered - before);
    }

    private long advance(final long seen, final long actual)
    {
        return fabric.mischief(0.5) ? seen + fabric.chance().below((int)(actual - seen) + 1) : actual;
    }
}
