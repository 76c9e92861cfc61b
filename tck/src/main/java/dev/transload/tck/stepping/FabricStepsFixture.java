/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Worker;
import dev.transload.tck.StepsFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Fixture for steps on a stepping fabric. It supplies memory, one worker per rank, and a clock that the kit advances.
 */
public abstract class FabricStepsFixture implements StepsFixture
{
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(8);
    private static final long SHARE = 64;

    private final SteppingFabric fabric;
    private final MemoryKind kind;
    private final List<Worker> workers = new ArrayList<>();
    private long nowNs;
    private boolean isPassing;

    /**
     * Creates a fixture on a fabric, which is closed with the fixture.
     *
     * @param fabric fabric of all ranks.
     * @param kind   kind of memory that contains rows.
     */
    protected FabricStepsFixture(final SteppingFabric fabric, final MemoryKind kind)
    {
        this.fabric = fabric;
        this.kind = kind;
        for (int rank = 0; rank < fabric.worldSize(); rank++)
        {
            workers.add(fabric.transport(rank).openWorker(0));
        }
    }

    /**
     * Returns the worker of a rank.
     *
     * @param rank rank that owns the worker.
     * @return open worker.
     */
    protected final Worker worker(final int rank)
    {
        return workers.get(rank);
    }

    /**
     * Returns the time of the clock that steps read.
     *
     * @return time in nanoseconds.
     */
    protected final long clock()
    {
        nowNs += isPassing ? TIMEOUT_NS / SHARE : 0;
        return nowNs;
    }

    @Override
    public final MemoryKind rowsKind()
    {
        return kind;
    }

    @Override
    public final MemoryRegion allocate(final int rank, final MemoryKind of, final long length)
    {
        return fabric.transport(rank).allocate(of, 0, length, Access.REMOTE);
    }

    @Override
    public final MemoryRegion reach(final int rank, final int owner, final MemoryRegion region)
    {
        return rank == owner ? region : workers.get(rank).importRegion(owner, region.descriptor()).window();
    }

    @Override
    public final void write(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        fabric.poke(region, offset, bytes);
    }

    @Override
    public final byte[] read(final MemoryRegion region, final long offset, final int length)
    {
        return fabric.peek(region, offset, length);
    }

    @Override
    public final boolean pump()
    {
        return fabric.step();
    }

    @Override
    public final void pass(final long ns)
    {
        nowNs += ns;
    }

    @Override
    public final void passAlways()
    {
        isPassing = true;
    }

    @Override
    public final long timeoutNs()
    {
        return TIMEOUT_NS;
    }

    @Override
    public final boolean canStop()
    {
        return true;
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
