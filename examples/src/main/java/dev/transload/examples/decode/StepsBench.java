/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import dev.transload.transport.nvlink.cuda.CudaGraph;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/**
 * How long device steps take, by processes that share GPUs. Each step by the device's clock, from the first block's
 * begin to the last word (K), and by the host's, from the submission until its status says that it has ended (H); and a
 * dispatch with its combine in a graph of {@link #PAIRS} (G). Medians of the slowest rank, as JSON; counts, tokens and
 * sums are checked before and after.
 */
public final class StepsBench
{
    /** Pairs of a graph. */
    static final int PAIRS = 32;

    private static final int GRAPHS_A_GROUP = 5;
    private static final int GROUPS = 20;
    private static final double NS_A_US = 1000.0;

    /** What is measured, in the order in which ranks tell it. */
    private enum Figure
    {
        KERNEL_DISPATCH, KERNEL_COMBINE, HOST_DISPATCH, HOST_COMBINE, GRAPH_PAIR
    }

    private StepsBench()
    {
    }

    /**
     * Runs it.
     *
     * @param arguments {@code key=value}: ranks, blocks, tokens, hidden, experts, topk, calls, devices, and library
     *                  where the driver is not the system's.
     * @throws IOException          where the ranks' folder fails.
     * @throws InterruptedException where the wait for the ranks ends early.
     */
    public static void main(final String[] arguments) throws IOException, InterruptedException
    {
        final Map<String, String> given = RankProcesses.parse(arguments);
        if (given.containsKey("rank"))
        {
            System.out.print(runRank(given));
        }
        else
        {
            System.exit(startRanks(given));
        }
    }

    private static int number(final Map<String, String> given, final String key, final int otherwise)
    {
        return Integer.parseInt(given.getOrDefault(key, Integer.toString(otherwise)));
    }

    private static DecodeModel model(final Map<String, String> given)
    {
        return new DecodeModel(number(given, "ranks", 2), 1, number(given, "tokens", 128),
            number(given, "hidden", 7168), number(given, "experts", 256), number(given, "topk", 8),
            number(given, "blocks", 64));
    }

    /** Returns how many failed. */
    private static int startRanks(final Map<String, String> given) throws IOException, InterruptedException
    {
        final Path folder = Files.createTempDirectory("transload-steps-");
        int failed = 0;
        try (RankProcesses ranks =
            RankProcesses.start(StepsBench.class, given, model(given).ranks(), folder, false))
        {
            for (final Process rank : ranks.all())
            {
                failed += 0 == rank.waitFor() ? 0 : 1;
            }
        }

        return failed;
    }

    /** Figures of all ranks, by the first one; nothing by the others. */
    private static String runRank(final Map<String, String> given)
    {
        final DecodeModel model = model(given);
        final int rank = number(given, "rank", 0);
        final int calls = number(given, "calls", 1500);
        final FileMeeting meeting = new FileMeeting(Path.of(given.get("folder")), model.ranks());
        final Map<String, String> options =
            given.containsKey("library") ? Map.of("library", given.get("library")) : Map.of();
        try (DecodeRank decode =
            new DecodeRank(model, rank, rank % number(given, "devices", 1), options, meeting))
        {
            final StringBuilder report = new StringBuilder();
            int wrong = verify(decode, 1, meeting);
            for (final boolean isFp8 : new boolean[] {false, true})
            {
                final double[] slowest = slowest(meeting, rank, measure(decode, isFp8, calls, meeting));
                report.append(line(model, isFp8, slowest)).append(isFp8 ? "\n" : ",\n");
            }

            wrong += verify(decode, 2, meeting);
            final double all = slowest(meeting, rank, new double[] {wrong})[0];
            if (0 != wrong)
            {
                throw new IllegalStateException("rank " + rank + ": " + wrong + " elements are wrong");
            }

            return 0 != rank ? "" : "{\"device\": \"" + decode.device().describe() + "\", \"emulated\": " +
                decode.device().driver().isEmulated() + ", \"calls\": " + calls + ", \"wrong\": " + (int)all +
                ", \"steps\": [\n" + report + "]}\n";
        }
    }

    private static String line(final DecodeModel model, final boolean isFp8, final double[] us)
    {
        return String.format(Locale.ROOT, "  {\"ranks\": %d, \"blocks\": %d, \"tokens\": %d, \"hidden\": %d, " +
            "\"dispatch\": \"%s\", \"kernel_dispatch_us\": %.2f, \"kernel_combine_us\": %.2f, " +
            "\"host_dispatch_us\": %.2f, \"host_combine_us\": %.2f, \"graph_pair_us\": %.2f}", model.ranks(),
            model.blocks(), model.tokens(), model.hidden(), isFp8 ? "fp8" : "bf16",
            us[Figure.KERNEL_DISPATCH.ordinal()], us[Figure.KERNEL_COMBINE.ordinal()],
            us[Figure.HOST_DISPATCH.ordinal()], us[Figure.HOST_COMBINE.ordinal()], us[Figure.GRAPH_PAIR.ordinal()]);
    }

    /** Greatest of all ranks' figures. */
    private static double[] slowest(final FileMeeting meeting, final int rank, final double[] own)
    {
        final ByteBuffer told = ByteBuffer.allocate(own.length * Double.BYTES).order(ByteOrder.nativeOrder());
        told.asDoubleBuffer().put(own);
        final double[] slowest = new double[own.length];
        for (final ByteBuffer one : meeting.gather(rank, told))
        {
            for (int i = 0; i < slowest.length; i++)
            {
                slowest[i] = Math.max(slowest[i], one.getDouble(i * Double.BYTES));
            }
        }

        return slowest;
    }

    /** A call whose experts answer with the rows that they got. */
    private static int verify(final DecodeRank decode, final int round, final FileMeeting meeting)
    {
        decode.fill(round);
        decode.dispatch(0, false);
        final int wrong = decode.wrongRows(round);
        decode.combine(0, DecodeRank.ROWS);
        final int sums = decode.wrongSums(round);
        meeting.gather(decode.rank, ByteBuffer.allocate(0));
        return wrong + sums;
    }

    private static double[] measure(
        final DecodeRank decode, final boolean isFp8, final int calls, final FileMeeting meeting)
    {
        final double[][] samples = new double[Figure.values().length][];
        Arrays.fill(samples, 0, Figure.GRAPH_PAIR.ordinal(), new double[0]);
        for (int i = 0; i < Figure.GRAPH_PAIR.ordinal(); i++)
        {
            samples[i] = new double[calls];
        }

        meeting.gather(decode.rank, ByteBuffer.allocate(0));
        for (int i = -calls; i < calls; i++)
        {
            sample(decode, isFp8, i, samples);
        }

        samples[Figure.GRAPH_PAIR.ordinal()] = graphs(decode, isFp8);
        return Arrays.stream(samples).mapToDouble(StepsBench::median).toArray();
    }

    /** One dispatch and one combine; those before the first sample are a warm-up. */
    private static void sample(
        final DecodeRank decode, final boolean isFp8, final int index, final double[][] samples)
    {
        final long beginNs = System.nanoTime();
        decode.await(decode.dispatch(0, isFp8));
        final long dispatchedNs = System.nanoTime();
        final long kernelNs = decode.status().endNs() - decode.status().beginNs();
        final long nextNs = System.nanoTime();
        decode.await(decode.combine(0, DecodeRank.CONSTANT));
        final long combinedNs = System.nanoTime();
        if (index >= 0)
        {
            samples[Figure.KERNEL_DISPATCH.ordinal()][index] = kernelNs / NS_A_US;
            samples[Figure.HOST_DISPATCH.ordinal()][index] = (dispatchedNs - beginNs) / NS_A_US;
            samples[Figure.KERNEL_COMBINE.ordinal()][index] =
                (decode.status().endNs() - decode.status().beginNs()) / NS_A_US;
            samples[Figure.HOST_COMBINE.ordinal()][index] = (combinedNs - nextNs) / NS_A_US;
        }
    }

    /** The ranks go through their graphs in step, since each pair waits for all. */
    private static double[] graphs(final DecodeRank decode, final boolean isFp8)
    {
        try (CudaGraph graph = CudaGraph.capture(decode.device(), decode.stream.handle(), () -> pairs(decode, isFp8)))
        {
            final double[] samples = new double[GROUPS];
            launch(graph, decode);
            for (int i = 0; i < GROUPS; i++)
            {
                final long beginNs = System.nanoTime();
                launch(graph, decode);
                samples[i] = (System.nanoTime() - beginNs) / NS_A_US / GRAPHS_A_GROUP / PAIRS;
            }

            return samples;
        }
    }

    private static void launch(final CudaGraph graph, final DecodeRank decode)
    {
        for (int i = 0; i < GRAPHS_A_GROUP; i++)
        {
            graph.launch(decode.stream.handle());
        }

        decode.await();
    }

    private static void pairs(final DecodeRank decode, final boolean isFp8)
    {
        for (int i = 0; i < PAIRS; i++)
        {
            decode.dispatch(0, isFp8);
            decode.combine(0, DecodeRank.CONSTANT);
        }
    }

    private static double median(final double[] samples)
    {
        final double[] sorted = samples.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
