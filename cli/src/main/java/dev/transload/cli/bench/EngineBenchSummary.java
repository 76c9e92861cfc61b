/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.outcome.Counted;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RankReport.WaitReport;
import dev.transload.cli.report.CallFigures;
import dev.transload.cli.report.RunHeader;
import dev.transload.cli.report.RunPage;
import dev.transload.cli.report.Summary;
import dev.transload.cli.report.SummaryJson;
import dev.transload.cli.report.SummaryText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Calls of the engine, with bytes as they were put and as DeepEP counts them, as text, CSV and JSON. */
final class EngineBenchSummary
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double RATE_DIGITS = 1e6;
    private static final double NS_PER_MICRO = 1e3;
    private static final double MICROS_DIGITS = 1e3;
    private static final int MOST_WAITS = 5;
    private static final String DISPATCH = "dispatch";
    private static final String COMBINE = "combine";

    private final EngineMode mode;
    private final Summary summary;
    private final ExchangeSummary stream;
    private final InputFigures input;
    private final List<Call> calls = new ArrayList<>();

    /**
     * One of the calls that are told.
     *
     * @param name       dispatch or combine.
     * @param figures    of all ranks.
     * @param deepEpOut  as DeepEP counts bytes between nodes; in low latency, all.
     * @param deepEpUp   as DeepEP counts bytes within nodes.
     */
    private record Call(String name, CallFigures figures, long deepEpOut, long deepEpUp)
    {
        long wire()
        {
            return figures.scaleOutBytes() + figures.scaleUpBytes();
        }
    }

    EngineBenchSummary(
        final EngineMode mode, final Summary summary, final ExchangeSummary stream, final InputFigures input)
    {
        this.mode = mode;
        this.summary = summary;
        this.stream = stream;
        this.input = input;
        final DeepEpBytes counted = input.deepEp();
        if (EngineMode.COMBINE != mode)
        {
            calls.add(new Call(DISPATCH, summary.dispatch(), counted.dispatchOut(), counted.dispatchUp()));
        }

        if (EngineMode.DISPATCH != mode)
        {
            calls.add(new Call(COMBINE, summary.combine(), counted.combineOut(), counted.combineUp()));
        }
    }

    /** Null where all that was verified is right. */
    String failure()
    {
        return summary.isVerified() ? null : summary.failures().get(0);
    }

    private int ranks()
    {
        return summary.header().world().size();
    }

    /** GB/s of a rank, in the median call. */
    private double gbps(final Call call, final long bytes)
    {
        return bytes / (double)ranks() / (call.figures.medianMicros() * NS_PER_MICRO);
    }

    /** Waits of threads by call and counter, all ranks together, an iteration; most first. */
    private List<Map.Entry<String, Double>> waits()
    {
        final Map<String, Double> byCounter = new TreeMap<>();
        for (final RankReport rank : summary.ranks())
        {
            for (final WaitReport wait : rank.waits())
            {
                if (calls.stream().anyMatch((call) -> call.name.equals(wait.call())))
                {
                    byCounter.merge(wait.call() + ", rank " + rank.rank() + " for rank " + wait.rank() + ": " +
                        wait.counter(), wait.ns() / NS_PER_MICRO / summary.header().iterations(), Double::sum);
                }
            }
        }

        return byCounter.entrySet().stream().sorted(Map.Entry.<String, Double>comparingByValue(
            Comparator.reverseOrder())).limit(MOST_WAITS).toList();
    }

    String text()
    {
        final RunHeader header = summary.header();
        final StringBuilder text = new StringBuilder();
        BenchCommand.line(text, "%s over %s, %s%s, %s on %s", mode, summary.scaleUp().name(),
            summary.scaleUp().version(), summary.isEmulated() ? ", emulated" : "", header.world(),
            Counted.of(stream.hosts(), "host"));
        if (summary.isEmulated())
        {
            BenchCommand.line(text, SummaryText.NO_SPEED);
        }

        BenchCommand.line(text, "%s (%s), hidden %d, %s, top-%d of %s; %s after as many to warm up, %d verified",
            Counted.of(summary.tokens(), "token"), header.origin(), header.hidden(), header.dtype(), header.topk(),
            Counted.of(header.experts(), "expert"), Counted.of(header.iterations(), "iteration"),
            summary.verifiedIterations());
        BenchCommand.line(text, "%-10s %12s %12s %12s", "slowest us", "min", "median", "p99");
        calls.forEach((call) -> BenchCommand.line(text, "%-10s %12.1f %12.1f %12.1f", call.name,
            call.figures.minMicros(), call.figures.medianMicros(), call.figures.p99Micros()));
        BenchCommand.line(text, "%-40s %14s %14s", "bytes of a rank in a call", "MB", "GB/s in median");
        for (final Call call : calls)
        {
            bytes(text, call, "put to other nodes (wire)", call.figures.scaleOutBytes());
            bytes(text, call, "put within nodes (wire)", call.figures.scaleUpBytes());
            if (EngineMode.LOW_LATENCY == mode)
            {
                bytes(text, call, "as DeepEP counts", call.deepEpOut);
            }
            else
            {
                bytes(text, call, "as DeepEP counts RDMA", call.deepEpOut);
                bytes(text, call, "as DeepEP counts NVLink", call.deepEpUp);
            }
        }

        for (final Call call : calls)
        {
            BenchCommand.line(text, "account: %s puts %.3f GB/s a rank, %.2f of %s (%.3f GB/s)", call.name,
                gbps(call, call.wire()), gbps(call, call.wire()) / stream.limit(),
                ExchangeReport.MEMCPY.equals(stream.limitName()) ? "copies in memory by all ranks at once" :
                "a stream of puts between all ranks", stream.limit());
        }

        waits().forEach((wait) -> BenchCommand.line(text, "account: waited %.1f us an iteration, %s", wait.getValue(),
            wait.getKey()));
        return text.append(summary.isVerified() ? "" : "NOT VERIFIED: " + failure() + System.lineSeparator())
            .toString();
    }

    private void bytes(final StringBuilder text, final Call call, final String how, final long bytes)
    {
        BenchCommand.line(text, "%-40s %14.4f %14.4f", call.name + " " + how, bytes / RATE_DIGITS / ranks(),
            gbps(call, bytes));
    }

    String csv()
    {
        final RunHeader header = summary.header();
        final StringBuilder text = new StringBuilder();
        BenchCommand.line(text, "transport,ranks,hosts,mode,call,tokens,hidden,topk,experts,dtype,min_micros," +
            "median_micros,p99_micros,wire_bytes,wire_GBps,deepep_out_bytes,deepep_out_GBps,deepep_up_bytes," +
            "deepep_up_GBps,limit,limit_GBps,of_limit,verified");
        for (final Call call : calls)
        {
            BenchCommand.line(text, "%s,%d,%d,%s,%s,%d,%d,%d,%d,%s,%.3f,%.3f,%.3f,%d,%.6f,%d,%.6f,%d,%.6f,%s,%.6f," +
                "%.6f,%b", summary.scaleUp().name(), ranks(), stream.hosts(), mode, call.name, summary.tokens(),
                header.hidden(), header.topk(), header.experts(), header.dtype(), call.figures.minMicros(),
                call.figures.medianMicros(), call.figures.p99Micros(), call.wire(), gbps(call, call.wire()),
                call.deepEpOut, gbps(call, call.deepEpOut), call.deepEpUp, gbps(call, call.deepEpUp),
                stream.limitName(), stream.limit(), gbps(call, call.wire()) / stream.limit(), summary.isVerified());
        }

        return text.toString();
    }

    ObjectNode json()
    {
        final RunHeader header = summary.header();
        final ObjectNode root = JSON.createObjectNode().put("transport", summary.scaleUp().name())
            .put("version", summary.scaleUp().version()).put("emulated", summary.isEmulated())
            .put("mode", mode.toString()).put("verified", summary.isVerified())
            .put("iterations", header.iterations()).put("warmup", header.warmup())
            .put("verified_iterations", summary.verifiedIterations()).put("hosts", stream.hosts());
        if (!summary.isVerified())
        {
            summary.failures().forEach(root.putArray("failures")::add);
        }

        root.set("build", BuildInfo.own().json());
        SummaryJson.putWorld(root.putObject("world"), header.world());
        root.putObject("input").put("origin", header.origin()).put("tokens", summary.tokens())
            .put("experts", header.experts()).put("topk", header.topk()).put("hidden", header.hidden())
            .put("dtype", header.dtype()).put("seed", header.seed());
        root.put("limit", stream.limitName()).put("limit_GBps", rate(stream.limit()));
        for (final Call call : calls)
        {
            final ObjectNode node = root.withArray("results").addObject().put("call", call.name);
            node.putObject("micros").put("min", micros(call.figures.minMicros()))
                .put("median", micros(call.figures.medianMicros())).put("p99", micros(call.figures.p99Micros()));
            node.put("scale_out_bytes", call.figures.scaleOutBytes()).put("scale_up_bytes", call.figures.scaleUpBytes())
                .put("wire_GBps", rate(gbps(call, call.wire())))
                .put("of_limit", rate(gbps(call, call.wire()) / stream.limit()));
            node.putObject("deepep").put("out_bytes", call.deepEpOut).put("out_GBps", rate(gbps(call, call.deepEpOut)))
                .put("up_bytes", call.deepEpUp).put("up_GBps", rate(gbps(call, call.deepEpUp)));
        }

        waits().forEach((wait) -> root.withArray("waits").addObject().put("wait", wait.getKey())
            .put("micros", micros(wait.getValue())));
        return root.set("collectivex", CollectiveX.of(summary, input));
    }

    /** The page of the run, and beside it what this says of its calls. */
    ObjectNode page()
    {
        return RunPage.data(summary).set("bench", json());
    }

    private static double micros(final double value)
    {
        return Math.round(value * MICROS_DIGITS) / MICROS_DIGITS;
    }

    private static double rate(final double value)
    {
        return Math.round(value * RATE_DIGITS) / RATE_DIGITS;
    }
}
