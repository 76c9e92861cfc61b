/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

/**
 * The producer's end of a ring at a peer, or of one that stays with the producer and is read by a peer. Rows of a call
 * begin at slot 0: positions skip what is left of the ring, at both ends alike, and count on from call to call.
 */
public final class RingWriter
{
    private final Credit credit;
    private final int slots;
    private long base;
    private long filled;
    private long told;

    /** Of a ring. */
    public RingWriter(final Credit credit, final int slots)
    {
        this.credit = credit;
        this.slots = slots;
    }

    /** A call begins. */
    public void begin()
    {
        base = (filled + slots - 1) / slots * slots;
        filled = base;
    }

    /**
     * Rows for which the ring has room now.
     *
     * @return at most that many, 0 for none.
     */
    public int room(final int most)
    {
        final long free = slots - (filled - credit.head(filled + most - slots));
        return (int)Math.max(0, Math.min(most, free));
    }

    /** Slot of a row. */
    public int slot(final int row)
    {
        return row % slots;
    }

    /**
     * Rows were filled in.
     *
     * @param rows behind those before.
     */
    public void fill(final int rows)
    {
        filled += rows;
    }

    /** Rows filled so far. */
    public int filled()
    {
        return (int)(filled - base);
    }

    /** What to add to the ring's tail so that it tells of all rows filled; they count as told. */
    public long tell()
    {
        final long delta = filled - told;
        told = filled;
        return delta;
    }

    /** What to add to the ring's tail so that it tells of the first rows of the call, of those filled. */
    public long tell(final int rows)
    {
        final long delta = base + rows - told;
        told = base + rows;
        return delta;
    }

    /** Whether the consumer has given back all rows of the call that were filled. */
    public boolean isGivenBack()
    {
        return credit.head(filled) >= filled;
    }

    /**
     * Position that the consumer's head must reach before a row can be filled in.
     *
     * @return head needed for one more row.
     */
    public long needed()
    {
        return filled + 1 - slots;
    }

    /** Position behind all rows filled. */
    public long end()
    {
        return filled;
    }

    /** Position of the consumer, as far as known. */
    public long head()
    {
        return credit.head(0);
    }
}
