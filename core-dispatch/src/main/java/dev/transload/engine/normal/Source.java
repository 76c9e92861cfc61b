/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.ring.MetaTransfer;
import dev.transload.engine.ring.PendingHeads;

/** One source node as a forwarder sees it. Rows are counted from the opening of the engine. */
final class Source
{
    private final PendingHeads pending = new PendingHeads();
    private final MetaTransfer meta;
    private final SourceRing ring;
    private long head;
    private long tail;
    private long end;
    private long published;
    private int recorded;
    private boolean isKnown;

    Source(final SourceRing ring, final MetaTransfer meta)
    {
        this.ring = ring;
        this.meta = meta;
    }

    void begin()
    {
        isKnown = false;
        recorded = 0;
    }

    void announce(final int rows)
    {
        isKnown = true;
        end = head + rows;
    }

    PendingHeads pending()
    {
        return pending;
    }

    SourceRing ring()
    {
        return ring;
    }

    /** Transfer of its lane meta to the destination; null where destination is a rank that reads it in place. */
    MetaTransfer meta()
    {
        return meta;
    }

    boolean isKnown()
    {
        return isKnown;
    }

    long head()
    {
        return head;
    }

    /** Rows of the call that are yet to be looked at. */
    int rows()
    {
        return (int)(end - head);
    }

    void pass()
    {
        pass(1);
    }

    void pass(final int rows)
    {
        head += rows;
        recorded += rows;
    }

    /** All rows of the call are taken care of without the ring. */
    void passAll()
    {
        head = end;
        tail = end;
    }

    /** Index of the next row within the call. */
    int row()
    {
        return recorded;
    }

    long end()
    {
        return end;
    }

    long tail()
    {
        return tail;
    }

    void tail(final long value)
    {
        tail = value;
    }

    long published()
    {
        return published;
    }

    void published(final long value)
    {
        published = value;
    }

    boolean isDrained()
    {
        return isKnown && head == end && pending.isEmpty() && published == head;
    }
}
