/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import dev.transload.cli.launch.RanksResult.Restart;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RankReport.ProcessorReport;
import dev.transload.cli.rank.RankReport.RoleReport;
import dev.transload.cli.rank.RankReport.TransportReport;
import dev.transload.cli.rank.RankReport.WaitReport;
import dev.transload.engine.StageConfig.PassedOver;
import dev.transload.engine.WorldConfig;
import java.util.List;
import java.util.stream.LongStream;

/** What two ranks might have found. */
public final class SampleSummary
{
    static final int ITERATIONS = 200;

    private SampleSummary()
    {
    }

    /**
     * Of 200 iterations.
     *
     * @param origin  of the input.
     * @param failure of rank 1, or null.
     * @return summary.
     */
    public static Summary of(final String origin, final String failure)
    {
        return of(origin, failure, ITERATIONS);
    }

    static Summary of(final String origin, final String failure, final int iterations)
    {
        return of(origin, failure, iterations, 0);
    }

    static Summary of(final String origin, final String failure, final int iterations, final int warmup)
    {
        return Summary.of(new RunHeader(WorldConfig.of(2, 1), origin, 5, 6, 2, 128, "bf16", iterations, warmup, 1,
            "distinct", null, null), List.of(report(0, null, iterations), report(1, failure, iterations)));
    }

    /** With rows on device 3 of each rank's host. */
    static Summary onDevices(final String host0, final String host1)
    {
        return onDevices(null, host0, host1);
    }

    /** The same of the low-latency mode, unless null. */
    static Summary onDevices(final RunHeader.LowLatencyHeader lowLatency, final String host0, final String host1)
    {
        return Summary.of(
            new RunHeader(WorldConfig.of(1, 2), "a trace", 5, 6, 2, 128, "bf16", 1, 0, 1, "distinct", lowLatency,
                null),
            List.of(report(0, null, 1, "CUDA", host0), report(1, null, 1, "CUDA", host1)));
    }

    /** Of a run that lost rank 1, which came back. */
    static Summary restarted()
    {
        final Summary whole = of("a trace", null);
        return Summary.of(whole.header(), whole.ranks(),
            List.of(new Restart(1, "rank 1 (pid 78) was ended by SIGKILL", 1.25)));
    }

    /** Rank 0 takes 1, 2, 3 … us, rank 1 half as long again. */
    static RankReport report(final int rank, final String failure, final int iterations)
    {
        return report(rank, failure, iterations, "HOST", "node-" + rank);
    }

    /** As above, with rows in a kind of memory, on device 3 of a host. */
    static RankReport report(
        final int rank, final String failure, final int iterations, final String kind, final String host)
    {
        final long[] ns = LongStream.rangeClosed(1, iterations).map((i) -> 1000 * i + 500 * i * rank).toArray();
        final TransportReport transport =
            new TransportReport("aeron", "Aeron 1.51.0", List.of(kind), !"HOST".equals(kind),
                List.of(new PassedOver("nvlink", "there is no GPU")));
        return new RankReport(rank, 77, host, 10 + 10 * rank, 30 + 10 * rank, 2, false, 1 + rank, failure, ns, ns, ns,
            new int[0],             4000L * iterations, 100L * iterations, 5000L * iterations, 200L * iterations, 16.0,
            new ProcessorReport(3000.0 + 1000.0 * rank, 9000.0),
            List.of(new RoleReport("forwarder", 10, 20)), new long[]{ 900, 700 },
            List.of(new WaitReport("combine", 1 - rank, "scale-out.tail", 3000L * iterations)),
            List.of(transport, transport), kind, "HOST".equals(kind) ? 0 : 3,
            0 == rank ? 12e9 : 0.0, new int[0], new int[0], "thread: HOST memory has no device steps", null,
            0);
    }
}
