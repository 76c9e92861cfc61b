/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.wire.Wait;

/** Keeps the head in a word which the producer loads. */
public final class PullableReturn extends CreditReturn
{
    private final Section heads;
    private final int index;

    /**
     * In a word.
     *
     * @param heads own section that producers load from.
     * @param batch rows, the least to report.
     */
    public PullableReturn(final Section heads, final int index, final int batch)
    {
        super(batch);
        this.heads = heads;
        this.index = index;
    }

    @Override
    protected boolean write(final long head, final long consumed)
    {
        heads.buffer().putLongOrdered(heads.index(index), head);
        return true;
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        return false;
    }
}
