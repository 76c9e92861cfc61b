/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.StepKernels;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Worker;
import dev.transload.tck.StepsFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the kit of steps on the stepping ones. */
final class SteppingStepsFixture implements StepsFixture
{
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(8);
    private static final long SHARE = 64;

    private final SteppingFabric fabric;
    private final MemoryKind kind;
    private final List<Worker> workers = new ArrayList<>();
    private long nowNs;
    private boolean isPassing;

    SteppingStepsFixture(final SteppingFabric fabric, final MemoryKind kind)
    {
        this.fabric = fabric;
        this.kind = kind;
        for (int rank = 0; rank < fabric.worldSize(); rank++)
        {
            workers.add(fabric.transport(rank).openWorker(0));
        }
    }

    @Override
    public StepKernels steps(final int rank)
    {
        return fabric.steps(rank, kind, this::clock);
    }

    private long clock()
    {
        nowNs += isPassing ? TIMEOUT_NS / SHARE : 0;
        return nowNs;
    }

    @Override
    public MemoryKind rowsKind()
    {
        return kind;
    }

    @Override
    public MemoryRegion allocate(final int rank, final MemoryKind of, final long length)
    {
        return fabric.transport(rank).allocate(of, 0, length, Access.REMOTE);
    }

    @Override
    public MemoryRegion reach(final int rank, final int owner, final MemoryRegion region)
    {
        return rank == owner ? region : workers.get(rank).importRegion(owner, region.descriptor()).window();
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
    public boolean pump()
    {
        return fabric.step();
    }

    @Override
    public void pass(final long ns)
    {
        nowNs += ns;
    }

    @Override
    public void passAlways()
    {
        isPassing = true;
    }

    @Override
    public long timeoutNs()
    {
        return TIMEOUT_NS;
    }

    @Override
    public boolean canStop()
    {
        return true;
    }

    @Override
    public void stop(final int rank)
    {
        fabric.pause(rank);
    }

    @Override
    public void goOn(final int rank)
    {
        fabric.resume(rank);
    }

    @Override
    public void end(final int rank)
    {
        fabric.schedule().kill(rank);
        fabric.resume(rank);
    }

    @Override
    public void close()
    {
        for (int rank = 0; rank < workers.size(); rank++)
        {
            fabric.transport(rank).close();
        }
    }
}
