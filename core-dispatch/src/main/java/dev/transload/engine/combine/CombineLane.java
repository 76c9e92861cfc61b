/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.combine;

import dev.transload.engine.link.Cursor;

/** What the combine roles of one channel share on this rank: the ring of the own node's partial sums. */
public final class CombineLane
{
    private final int channel;
    private final Cursor ownTail = new Cursor();
    private final Cursor ownHead = new Cursor();

    /**
     * Empty.
     *
     * @param channel lane.
     */
    public CombineLane(final int channel)
    {
        this.channel = channel;
    }

    /**
     * Channel.
     *
     * @return index.
     */
    public int channel()
    {
        return channel;
    }

    /**
     * Partial sums produced for the own node.
     *
     * @return cursor.
     */
    public Cursor ownTail()
    {
        return ownTail;
    }

    /**
     * Partial sums consumed of the own node.
     *
     * @return cursor.
     */
    public Cursor ownHead()
    {
        return ownHead;
    }
}
