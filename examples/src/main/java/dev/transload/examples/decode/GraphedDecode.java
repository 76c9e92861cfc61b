/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import dev.transload.transport.nvlink.cuda.CudaGraph;
import java.util.Map;
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
        final Map<String, String> options = arguments.length > 1 ? Map.of("library", arguments[1]) : Map.of();
        final DecodeModel model = new DecodeModel(2, LAYERS, 16, 1024, 32, 4, 16);
        final int wrong = run(model, options, replays);
        System.out.println(replays + " replays of " + model.layers() + " layers on " + model.ranks() + " ranks: " +
            wrong + " elements are wrong");
        if (0 != wrong)
        {
            throw new IllegalStateException("the replays are wrong");
        }
    }

    /** Replays a model on all ranks, and checks all that comes out; returns how many elements are wrong. */
    static int run(final DecodeModel model, final Map<String, String> options, final int replays)
    {
        final Meeting meeting = new ThreadMeeting(model.ranks());
        final ExecutorService threads = Executors.newFixedThreadPool(model.ranks());
        final CompletionService<Integer> results = new ExecutorCompletionService<>(threads);
        try
        {
            for (int i = 0; i < model.ranks(); i++)
            {
                final int rank = i;
                results.submit(() -> runRank(model, rank, options, meeting, replays));
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
        final DecodeModel model, final int rank, final Map<String, String> options, final Meeting meeting,
        final int replays)
    {
        try (DecodeRank decode = new DecodeRank(model, rank, 0, options, meeting);
            CudaGraph graph = CudaGraph.capture(decode.device(), decode.stream.handle(), () -> layers(decode)))
        {
            int wrong = 0;
            for (int round = 1; round <= replays; round++)
            {
                decode.fill(round);
                graph.launch(decode.stream.handle());
                decode.await();
                wrong += decode.wrongSums(round);
            }

            return wrong;
        }
    }

    private static void layers(final DecodeRank decode)
    {
        for (int layer = 0; layer < decode.model.layers(); layer++)
        {
            decode.dispatch(layer, false);
            decode.combine(layer, DecodeRank.ROWS);
        }
    }
}
