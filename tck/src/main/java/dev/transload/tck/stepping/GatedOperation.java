/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowCopies;
import dev.transload.spi.MemoryKind;

/** Copies the parts that are open when it leaves: when all are, when it is told to, or after some looks by chance. */
final class GatedOperation extends PartsOperation
{
    private final SteppingFabric fabric;
    private final int all;
    private int looks;
    private int open;
    private int copied;
    private boolean isLeaving;
    private boolean hasEnded;

    GatedOperation(final SteppingFabric fabric, final MemoryKind kind, final RowCopies given)
    {
        super(fabric, kind, given);
        this.fabric = fabric;
        this.all = (1 << given.parts()) - 1;
        this.looks = 1 + fabric.chance().below(fabric.options().gateLooks());
    }

    /** Such parts see what was acquired before. */
    void open(final int parts)
    {
        submit(parts & all & ~open, fabric.nextSubmission());
        open |= parts & all;
    }

    @Override
    void leave()
    {
        isLeaving = true;
    }

    boolean hasEnded()
    {
        return hasEnded;
    }

    int copied()
    {
        return fabric.has(Fault.KRN_20) ? all : copied;
    }

    @Override
    boolean mayBegin()
    {
        isLeaving |= all == open || --looks < 0;
        return isLeaving;
    }

    /** Rows of parts that are not copied stay as they are. */
    @Override
    void spoil(final Chance chance)
    {
        copied = fabric.has(Fault.KRN_19) ? all : open;
        spoil(copied, chance);
    }

    @Override
    void finish()
    {
        finish(copied);
        hasEnded = true;
    }
}
