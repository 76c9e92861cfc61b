/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.KernelsFixture;

/** Runs the kernels' kit on the stepping kernels of one kind. */
class SteppingKernelsFixture implements KernelsFixture
{
    private final SteppingFabric fabric;
    private final MemoryKind kind;
    private final RowKernels kernels;

    SteppingKernelsFixture(final SteppingFabric fabric, final MemoryKind kind)
    {
        this.fabric = fabric;
        this.kind = kind;
        this.kernels = fabric.kernels(0, kind);
    }

    @Override
    public RowKernels kernels()
    {
        return kernels;
    }

    @Override
    public MemoryRegion allocate(final long length)
    {
        return fabric.transport(0).allocate(kind, 0, length, Access.LOCAL);
    }

    @Override
    public void write(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        fabric.poke(region, offset, bytes);
    }

    @Override
    public byte[] read(final MemoryRegion region, final long offset, final int length)
    {
        return fabric.peek(region, offset, length);
    }

    @Override
    public void pump()
    {
        fabric.step();
    }

    @Override
    public boolean isAllocationFree()
    {
        return false;
    }

    @Override
    public void close()
    {
        fabric.transport(0).close();
    }
}
