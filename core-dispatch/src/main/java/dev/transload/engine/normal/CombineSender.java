/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.wire.Wait;

/**
 * Returns a channel's expert rows to the forwarder that brought them, one sub-ring a home node, round-robin over them.
 */
public final class CombineSender extends Role
{
    private final SubRing[] rings;
    private int nextRing;

    /**
     * Of a channel, to one forwarder.
     *
     * @param board of the engine.
     * @param rings by home node.
     */
    public CombineSender(final Board board, final SubRing[] rings)
    {
        super(board, "combine-sender", Traffic.COMBINE_SCALE_UP);
        this.rings = rings;
    }

    @Override
    protected boolean begin(final Call call)
    {
        if (!(call instanceof CombineCall))
        {
            return false;
        }

        for (final SubRing ring : rings)
        {
            ring.begin((CombineCall)call);
        }

        return true;
    }

    @Override
    protected int step()
    {
        int work = 0;
        for (int i = 0; i < rings.length; i++)
        {
            work += rings[(nextRing + i) % rings.length].step();
        }

        nextRing = (nextRing + 1) % rings.length;
        return work;
    }

    @Override
    protected boolean isComplete()
    {
        for (final SubRing ring : rings)
        {
            if (!ring.isComplete())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        for (final SubRing ring : rings)
        {
            if (ring.awaits(wait))
            {
                return true;
            }
        }

        return false;
    }
}
