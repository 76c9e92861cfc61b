/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.ConformanceFixture;
import java.util.concurrent.TimeUnit;

/** Runs the kit on the stepping transport, whole or with a fault. */
class SteppingFixture implements ConformanceFixture
{
    private final SteppingFabric fabric;
    private final TransportProvider provider;
    private final long deadlineNs;

    SteppingFixture(final SteppingFabric fabric, final long deadlineNs)
    {
        this.fabric = fabric;
        this.provider = fabric.provider();
        this.deadlineNs = deadlineNs;
    }

    SteppingFixture(final SteppingFabric fabric)
    {
        this(fabric, TimeUnit.SECONDS.toNanos(10));
    }

    @Override
    public TransportProvider provider()
    {
        return provider;
    }

    @Override
    public RowKernels kernels(final MemoryKind kind, final int rank)
    {
        return fabric.kernels(rank, kind);
    }

    @Override
    public boolean kill(final int rank)
    {
        fabric.kill(rank);
        return true;
    }

    @Override
    public void pump()
    {
        fabric.step();
    }

    @Override
    public void idle()
    {
        for (int i = 0; i < 2 * fabric.options().livenessSteps(); i++)
        {
            fabric.step();
        }
    }

    @Override
    public long deadlineNs()
    {
        return deadlineNs;
    }

    @Override
    public boolean isThreaded()
    {
        return false;
    }

    @Override
    public boolean isAllocationFree()
    {
        return false;
    }

    @Override
    public String toString()
    {
        return "seed " + fabric.seed();
    }
}
