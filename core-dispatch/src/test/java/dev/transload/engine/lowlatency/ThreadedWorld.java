/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.KernelRegistry;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.TransportRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A world on the loopback transport, each rank on a thread of its own, as a program has it. */
final class ThreadedWorld implements AutoCloseable
{
    interface Body
    {
        void run(LowLatencyEngine engine) throws Exception;
    }

    private final Scenario scenario;
    private final List<InMemoryRendezvous> rendezvous;
    private final TransportRegistry registry;
    private final LowLatencyConfig config;
    private final ExecutorService executor;
    private final RowKernelsProvider kernels;

    ThreadedWorld(final Scenario scenario)
    {
        this(scenario, new HostRowKernelsProvider());
    }

    ThreadedWorld(final Scenario scenario, final RowKernelsProvider kernels)
    {
        this.kernels = kernels;
        this.scenario = scenario;
        this.rendezvous = InMemoryRendezvous.world(scenario.ranks());
        this.registry = TransportRegistry.of(List.of(new LoopbackNetwork(0)));
        this.config = scenario.config(LoopbackNetwork.NAME, LoopbackNetwork.NAME);
        this.executor = Executors.newFixedThreadPool(scenario.ranks());
    }

    /** Open, run and close every rank; the first failure is thrown. */
    void run(final Body body)
    {
        final List<CompletableFuture<Void>> ranks = new ArrayList<>();
        for (final InMemoryRendezvous own : rendezvous)
        {
            ranks.add(CompletableFuture.runAsync(() -> run(own, body), executor));
        }

        CompletableFuture.allOf(ranks.toArray(new CompletableFuture<?>[0])).join();
    }

    private void run(final InMemoryRendezvous own, final Body body)
    {
        try (LowLatencyEngine engine = LowLatencyEngine.open(
            config, own, registry, KernelRegistry.of(List.of(kernels))))
        {
            body.run(engine);
        }
        catch (final Exception ex)
        {
            throw new AssertionError(scenario + ", rank " + own.rank() + ": " + ex, ex);
        }
    }

    @Override
    public void close()
    {
        executor.shutdown();
        rendezvous.forEach(InMemoryRendezvous::close);
    }
}
