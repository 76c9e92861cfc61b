/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A model of 61 layers, whose dispatches and combines are captured into one CUDA graph for each rank, and replayed with
 * other tokens, selections and weights each time. Ranks are threads of this process, and share a GPU.
 */
public final class GraphedDecode
{
    /** Layers of DeepSeek-V3. */
    static final int LAYERS = 61;

    private GraphedDecode()
    {
    }

    /**
     * Runs it.
     *
     * @param arguments replays, and the driver's library where it is not the system's: an emulator, for example.
     */
    public static void main(final String[] arguments)
    {
        final int replays = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000;
        final String library = arguments.length > 1 ? arguments[1] : CudaDriver.DEFAULT_LIBRARY;
        final DecodeModel model = new DecodeModel(2, LAYERS, 16, 1024, 32, 4, 16);
        final int wrong = run(model, library, replays);
        System.out.println(replays + " replays of " + model.layers() + " layers on " + model.ranks() + " ranks: " +
            wrong + " elements are wrong");
        if (0 != wrong)
        {
            throw new IllegalStateException("the replays are wrong");
        }
    }

    /** Replays a model on all ranks, and checks all that comes out; returns how many elements are wrong. */
    static int run(final DecodeModel model, final String library, final int replays)
    {
        final List<InMemoryRendezvous> world = InMemoryRendezvous.world(model.ranks());
        final ExecutorService threads = Executors.newFixedThreadPool(model.ranks());
        final CompletionService<Integer> results = new ExecutorCompletionService<>(threads);
        try
        {
            for (final InMemoryRendezvous rank : world)
            {
                results.submit(() -> runRank(model, rank, library, replays));
            }

            int wrong = 0;
            for (int i = 0; i < model.ranks(); i++)
            {
                wrong += results.take().get();
            }

            return wrong;
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException("a rank failed", ex);
        }
        finally
        {
            threads.shutdownNow();
        }
    }

    private static int runRank(
        final DecodeModel model, final Rendezvous own, final String library, final int replays)
    {
        final CudaDevice device = CudaDriver.open(library).device(0);
        try (Rendezvous rendezvous = own;
            GraphedRank rank = new GraphedRank(model, config(model, library), rendezvous, device))
        {
            int wrong = 0;
            for (int round = 1; round <= replays; round++)
            {
                rank.replay(round);
                wrong += rank.wrongSums(round);
            }

            return wrong;
        }
    }

    private static Config config(final DecodeModel model, final String library)
    {
        return ConfigFactory.parseString("transload { nodes = 1, ranks-per-node = " + model.ranks() +
            ", max-hidden = " + model.hidden() + ", max-topk = " + model.topk() + ", max-experts = " +
            model.experts() + ", low-latency.max-tokens = " + model.tokens() +
            ", scale-out.transport = nvlink, scale-up.transport = nvlink, nvlink { device = 0, library = \"" +
            library + "\" } }").withFallback(ConfigFactory.load());
    }
}
