/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.steps;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.StepKernels;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Worker;
import dev.transload.tck.StepsFixture;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Steps of this package over the stepping fabric: kernels of memory that the JVM cannot see are late, words not. */
final class ListedFixture implements StepsFixture
{
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(8);
    private static final long SHARE = 64;

    private final MemoryKind kind;
    private final SteppingFabric fabric;
    private final List<Worker> workers = new ArrayList<>();
    private final List<RowKernels> kernels = new ArrayList<>();
    private long nowNs;
    private boolean isPassing;

    ListedFixture(final long seed, final int ranks, final MemoryKind kind)
    {
        this.kind = kind;
        this.fabric = new SteppingFabric(
            seed, ranks, kind.isHost() ? SteppingOptions.host() : SteppingOptions.opaque());
        for (int rank = 0; rank < ranks; rank++)
        {
            workers.add(fabric.transport(rank).openWorker(0));
            kernels.add((kind.isHost() ? new HostRowKernelsProvider() : fabric.kernelsProvider(kind))
                .open(0, Map.of()));
        }
    }

    @Override
    public StepKernels steps(final int rank)
    {
        return new ListedSteps(kernels.get(rank), (bytes) -> allocate(rank, kind, bytes),
            (region) -> workers.get(rank).acquire(region), this::clock);
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

    /** {@inheritDoc} The thread does not call; what it had given to a device goes on. */
    @Override
    public void stop(final int rank)
    {
        // The caller makes no progress for the rank, which is all that moves it.
    }

    @Override
    public void goOn(final int rank)
    {
        // As above.
    }

    @Override
    public void end(final int rank)
    {
        // As above.
    }

    @Override
    public void close()
    {
        kernels.forEach(RowKernels::close);
        for (int rank = 0; rank < workers.size(); rank++)
        {
            fabric.transport(rank).close();
        }
    }
}
