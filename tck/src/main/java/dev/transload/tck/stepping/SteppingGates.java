/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowGates;
import dev.transload.spi.MemoryKind;

/** Gated copies of {@link SteppingKernels}, whose patience ends by chance. */
final class SteppingGates implements RowGates
{
    private final SteppingFabric fabric;
    private final SteppingKernels kernels;
    private final MemoryKind kind;
    private GatedOperation last;

    SteppingGates(final SteppingFabric fabric, final SteppingKernels kernels, final MemoryKind kind)
    {
        this.fabric = fabric;
        this.kernels = kernels;
        this.kind = kind;
    }

    @Override
    public long copyRows(final RowCopies copies)
    {
        synchronized (fabric)
        {
            if (null != last && !last.hasEnded())
            {
                throw new IllegalStateException("the gated copy before this one is still under way");
            }

            final GatedOperation next = new GatedOperation(fabric, kind, copies);
            final long position = kernels.submit(next);
            last = position >= 0 ? next : last;
            return position;
        }
    }

    @Override
    public void open(final int parts)
    {
        synchronized (fabric)
        {
            requireLast().open(parts);
        }
    }

    @Override
    public void leave()
    {
        synchronized (fabric)
        {
            requireLast().leave();
        }
    }

    @Override
    public int copied()
    {
        synchronized (fabric)
        {
            if (!requireLast().hasEnded())
            {
                throw new IllegalStateException("the gated copy is under way: what was copied is not known yet");
            }

            return last.copied();
        }
    }

    private GatedOperation requireLast()
    {
        if (null == last)
        {
            throw new IllegalStateException("no gated copy was submitted");
        }

        return last;
    }
}
