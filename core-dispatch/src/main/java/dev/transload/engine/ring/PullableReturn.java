/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import dev.transload.engine.connect.Section;
import dev.transload.engine.wire.Wait;

/** Keeps the head in a word which the producer loads. */
public final class PullableReturn implements CreditReturn
{
    private final Section heads;
    private final int index;
    private final int batch;
    private long reported;

    /**
     * In a word.
     *
     * @param heads own section that producers load from.
     * @param index entry of the word.
     * @param batch rows, the least to report.
     */
    public PullableReturn(final Section heads, final int index, final int batch)
    {
        this.heads = heads;
        this.index = index;
        this.batch = batch;
    }

    @Override
    public int report(final long head)
    {
        return isDue(head) ? reportAll(head) : 0;
    }

    @Override
    public int reportAll(final long head)
    {
        if (isReported(head))
        {
            return 0;
        }

        heads.buffer().putLongOrdered(heads.index(index), head);
        reported = head;
        return 1;
    }

    @Override
    public boolean isDue(final long head)
    {
        return head - reported >= batch;
    }

    @Override
    public boolean isReported(final long head)
    {
        return head == reported;
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        return false;
    }
}
