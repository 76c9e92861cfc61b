/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.kernels.host.HostRowKernelsProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/** The engines of a whole world without threads, each driven by its rank's thread while that waits. */
final class DrivenWorld extends EngineWorld
{
    private static final int REFUSAL_INTERVAL = 3;

    /** One a rank, always the same. */
    private final List<ExecutorService> threads = new ArrayList<>();

    DrivenWorld(final Scenario scenario)
    {
        super(scenario);
        open(new LoopbackNetwork(REFUSAL_INTERVAL), new HostRowKernelsProvider());
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            tensors.add(new RankTensors(data, null, engines.get(rank), rank));
            threads.add(Executors.newSingleThreadExecutor());
        }
    }

    /** Each rank drives its engine until the condition holds. */
    @Override
    void await(final String what, final BooleanSupplier condition)
    {
        onEachRank((rank) ->
        {
            if (!engines.get(rank).drive(condition))
            {
                throw new AssertionError("not " + what + ": rank " + rank + " has nothing to drive; " + scenario);
            }
        });
    }

    void onEachRank(final IntConsumer work)
    {
        final List<CompletableFuture<Void>> ranks = new ArrayList<>();
        for (int i = 0; i < engines.size(); i++)
        {
            final int rank = i;
            ranks.add(CompletableFuture.runAsync(() -> work.accept(rank), threads.get(rank)));
        }

        ranks.forEach(CompletableFuture::join);
    }

    @Override
    public void close()
    {
        closeTogether();
        threads.forEach(ExecutorService::shutdown);
    }
}
