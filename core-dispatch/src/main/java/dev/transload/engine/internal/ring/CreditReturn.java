/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.wire.Wait;

/** How a consumer lets its producer know how far it has come in a ring: in batches. */
public abstract class CreditReturn
{
    private final int batch;
    private long reported;

    /**
     * Nothing is consumed yet.
     *
     * @param batch rows, the least to report.
     */
    protected CreditReturn(final int batch)
    {
        this.batch = batch;
    }

    /** Let the producer know of a head, and of what was consumed since the last report; false to retry later. */
    protected abstract boolean write(long head, long consumed);

    /** The wait that keeps credit from being returned. */
    public abstract boolean isWaiting(Wait wait);

    /** Report full batches. */
    public final int report(final long head)
    {
        return isDue(head) ? reportAll(head) : 0;
    }

    /** Report what is left of a batch too, where the producer waits for the last row. */
    public final int reportAll(final long head)
    {
        if (isReported(head) || !write(head, head - reported))
        {
            return 0;
        }

        reported = head;
        return 1;
    }

    /** Whether a full batch is yet to be reported. */
    public final boolean isDue(final long head)
    {
        return head - reported >= batch;
    }

    /** Whether the producer can know of all rows consumed. */
    public final boolean isReported(final long head)
    {
        return head == reported;
    }
}
