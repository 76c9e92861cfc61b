/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.StepKernels;
import dev.transload.spi.MemoryKind;

/** Runs the kit of steps on the stepping ones. */
final class SteppingStepsFixture extends FabricStepsFixture
{
    private final SteppingFabric fabric;

    SteppingStepsFixture(final SteppingFabric fabric, final MemoryKind kind)
    {
        super(fabric, kind);
        this.fabric = fabric;
    }

    @Override
    public StepKernels steps(final int rank)
    {
        return fabric.steps(rank, rowsKind(), this::clock);
    }

    @Override
    public void stop(final int rank)
    {
        fabric.pause(rank);
    }

    @Override
    public void resume(final int rank)
    {
        fabric.resume(rank);
    }

    @Override
    public void end(final int rank)
    {
        fabric.schedule().kill(rank);
        fabric.resume(rank);
    }
}
