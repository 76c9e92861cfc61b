/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.wire.Wait;

/**
 * The consumer's end of a ring, which counts as {@link RingWriter} does. Credit goes back in batches, and at the
 * begin of a call for the slots that are skipped.
 */
public final class RingReader
{
    private final CreditReturn returns;
    private final int slots;
    private long base;
    private long head;
    private boolean isStartDue;

    public RingReader(final CreditReturn returns, final int slots)
    {
        this.returns = returns;
        this.slots = slots;
    }

    /** A call begins. */
    public void begin()
    {
        final long before = base;
        base = (head + slots - 1) / slots * slots;
        isStartDue |= base > before;
        head = base;
    }

    /** Rows of the call that a tail tells of. */
    public int arrived(final long tail)
    {
        return (int)Math.max(0, tail - base);
    }

    /** Tail that tells of rows of the call. */
    public long tail(final int rows)
    {
        return base + rows;
    }

    /** Slot of a row. */
    public int slot(final int row)
    {
        return row % slots;
    }

    /**
     * Give back what is consumed.
     *
     * @param rows of the call, never less than before.
     */
    public int consumed(final int rows)
    {
        head = base + rows;
        if (!isStartDue)
        {
            return returns.report(head);
        }

        final int work = returns.reportAll(head);
        isStartDue = !returns.isReported(head);
        return work;
    }

    /**
     * Give back what is consumed up to a position.
     *
     * @param position as signals count; one of an earlier call counts for nothing.
     */
    public int consumedTo(final long position)
    {
        return consumed((int)Math.max(0, position - base));
    }

    /** Rows are consumed that took no slots: nothing is given back for them in this call. */
    public void pass(final int rows)
    {
        head = base + rows;
    }

    /** Give back all that is consumed, where the producer waits for the last row. */
    public int giveBackAll()
    {
        return returns.reportAll(head);
    }

    /** Whether the producer can know of all that is consumed. */
    public boolean isGivenBack()
    {
        return returns.isReported(head);
    }

    /**
     * Whether credit is still to be given back in this call.
     *
     * @return true if a full batch, or the begin of the call, is due.
     */
    public boolean isDue()
    {
        return returns.isDue(head);
    }

    /** The wait that keeps credit from being returned. */
    public boolean isWaiting(final Wait wait)
    {
        return returns.isWaiting(wait);
    }
}
