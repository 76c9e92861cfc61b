/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.StepKernels;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.FabricStepsFixture;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Steps of this package over the stepping fabric: kernels of memory that the JVM cannot see are late, words not. */
final class ListedFixture extends FabricStepsFixture
{
    private final List<RowKernels> kernels = new ArrayList<>();

    ListedFixture(final long seed, final int ranks, final MemoryKind kind)
    {
        this(new SteppingFabric(seed, ranks, kind.isHost() ? SteppingOptions.host() : SteppingOptions.opaque()), kind);
    }

    private ListedFixture(final SteppingFabric fabric, final MemoryKind kind)
    {
        super(fabric, kind);
        for (int rank = 0; rank < fabric.worldSize(); rank++)
        {
            kernels.add((kind.isHost() ? new HostRowKernelsProvider() : fabric.kernelsProvider(kind))
                .open(0, Map.of()));
        }
    }

    @Override
    public StepKernels steps(final int rank)
    {
        return new ListedSteps(kernels.get(rank), (bytes) -> allocate(rank, rowsKind(), bytes),
            (region) -> worker(rank).acquire(region), this::clock);
    }

    @Override
    public boolean hasFar()
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
    public void resume(final int rank)
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
        super.close();
    }
}
