/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl.example;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDManager;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.TransportContext;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Ranks of one node as threads of this JVM, each with its part of a layer. */
public final class MoeWorld
{
    /** Most tokens of a rank in low latency. */
    public static final int MAX_TOKENS = 32;

    private MoeWorld()
    {
    }

    /** What a rank does. */
    @FunctionalInterface
    public interface Work<R>
    {
        /**
         * Use the layer, as all ranks do.
         *
         * @param rank    number.
         * @param layer   its part.
         * @param manager of arrays, closed with the rank.
         * @return result.
         */
        R of(int rank, MoeLayer layer, NDManager manager);
    }

    /**
     * Open a world, let all ranks work, and close it.
     *
     * @param <R>   result of a rank.
     * @param ranks of the world, a divisor of the experts.
     * @param work  of each rank.
     * @return results, by rank.
     */
    public static <R> List<R> run(final int ranks, final Work<R> work)
    {
        final Config config = ConfigFactory.parseString("transload { nodes = 1, ranks-per-node = " + ranks +
            ", max-hidden = " + Experts.HIDDEN + ", max-topk = " + Experts.TOPK + ", max-experts = " + Experts.EXPERTS +
            ", low-latency.max-tokens = " + MAX_TOKENS + ", scale-up.transport = aeron, timeouts.open = 60 s }")
            .withFallback(ConfigFactory.load());
        final TransportRegistry transports = TransportRegistry.discover();
        final ExecutorService threads = Executors.newFixedThreadPool(ranks);
        try
        {
            final List<CompletableFuture<R>> results = new ArrayList<>();
            for (final Rendezvous own : InMemoryRendezvous.world(ranks))
            {
                results.add(CompletableFuture.supplyAsync(() -> rank(config, own, transports, work), threads));
            }

            CompletableFuture.allOf(results.toArray(new CompletableFuture<?>[0])).join();
            return results.stream().map(CompletableFuture::join).toList();
        }
        finally
        {
            threads.shutdown();
        }
    }

    private static <R> R rank(
        final Config config, final Rendezvous own, final TransportRegistry transports, final Work<R> work)
    {
        try (Rendezvous rendezvous = own;
            NDManager manager = Engine.getEngine("PyTorch").newBaseManager(Device.cpu());
            TransportContext context = TransportContext.open(rendezvous, transports);
            dev.transload.engine.Engine prefill =
                dev.transload.engine.Engine.open(EngineConfig.from(config), context);
            LowLatencyEngine decode = LowLatencyEngine.open(LowLatencyConfig.from(config), context))
        {
            return work.of(rendezvous.rank(), new MoeLayer(manager, prefill, decode), manager);
        }
    }
}
