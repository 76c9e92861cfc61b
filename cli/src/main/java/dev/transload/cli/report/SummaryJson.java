/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RankReport.TransportReport;
import dev.transload.cli.report.RunHeader.LowLatencyHeader;
import dev.transload.engine.WorldConfig;

/** The summary for scripts: names and units are a contract. */
public final class SummaryJson
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double NS_PER_MICRO = 1e3;
    private static final double DIGITS = 1e3;

    private SummaryJson()
    {
    }

    public static ObjectNode of(final Summary summary)
    {
        final ObjectNode root = JSON.createObjectNode();
        root.put("verified", summary.isVerified());
        if (!summary.isVerified())
        {
            summary.failures().forEach(root.putArray("failures")::add);
        }

        final Integer planned = summary.header().planned();
        root.put("interrupted", null != planned);
        root.put("iterations_planned", null == planned ? summary.header().iterations() : planned);
        root.set("build", BuildInfo.own().json());
        root.put("verified_iterations", summary.verifiedIterations());
        root.put("all_iterations", summary.allIterations());
        root.put("resumed_at", summary.resumedAt());
        final ArrayNode restarts = root.putArray("restarts");
        summary.restarts().forEach((restart) -> restarts.addObject().put("rank", restart.rank())
            .put("cause", restart.cause())
            .put("seconds", Double.isNaN(restart.seconds()) ? null : (Double)rounded(restart.seconds())));
        final RunHeader header = summary.header();
        putWorld(root.putObject("world"), header.world());
        final RankReport first = summary.ranks().get(0);
        root.putObject("input")
            .put("origin", header.origin())
            .put("experts", header.experts())
            .put("experts_padded", header.paddedExperts())
            .put("topk", header.topk())
            .put("hidden", header.hidden())
            .put("dtype", header.dtype())
            .put("seed", header.seed());
        root.put("answers", header.answers());
        putMode(root, summary);
        root.put("channels", first.channels());
        root.put("output", first.isExpertMajor() ? "expert-major" : "rank-major");
        root.put("iterations", header.iterations());
        root.put("warmup", header.warmup());
        final ObjectNode transports = root.putObject("transports");
        putTransport(transports.putObject("scale_out"), summary.scaleOut());
        putTransport(transports.putObject("scale_up"), summary.scaleUp());
        root.put("emulated", summary.isEmulated());
        root.put("payload", first.payloadKind());
        root.put("tokens", summary.tokens());
        root.put("rows_received", summary.rows());
        TokenJourney.of(summary).ifPresent((journey) -> TokenJson.put(root.putObject("explained"), journey));
        putCall(root.putObject("dispatch"), summary.dispatch());
        putCall(root.putObject("combine"), summary.combine());
        final ObjectNode both = root.putObject("dispatch_and_combine");
        putMicros(both, summary.iteration());
        both.putObject("wall_micros_per_iteration")
            .put("iterations", summary.wall().iterations())
            .put("mean", rounded(summary.wall().meanMicros()))
            .put("least", rounded(summary.wall().leastMicros()))
            .put("greatest", rounded(summary.wall().greatestMicros()));
        root.put("memcpy_GBps", rounded(summary.memcpyGBps()));
        putKnown(root, "allocated_bytes_per_iteration", summary.allocated());
        final ObjectNode processor = root.putObject("processor_micros_per_iteration");
        putKnown(processor, "threads", summary.processor().threadsNs() / NS_PER_MICRO);
        putKnown(processor, "process", summary.processor().processNs() / NS_PER_MICRO);
        final ObjectNode roles = root.putObject("roles");
        summary.roles().values().forEach((role) -> roles.putObject(role.role())
            .put("busy_micros", micros(role.busyNs()))
            .put("waiting_micros", micros(role.waitNs())));
        final ArrayNode ranks = root.putArray("ranks");
        summary.ranks().forEach((rank) -> putRank(ranks.addObject(), rank));
        return root;
    }

    /** Null where a run that a signal ended had not come to measure it. */
    private static void putKnown(final ObjectNode node, final String name, final double value)
    {
        if (Double.isNaN(value))
        {
            node.putNull(name);
        }
        else
        {
            node.put(name, rounded(value));
        }
    }

    /** A number where all nodes have as many ranks, else one for each. */
    /** Shape of a world. */
    public static void putWorld(final ObjectNode node, final WorldConfig world)
    {
        node.put("nodes", world.nodes());
        if (world.isEven())
        {
            node.put("ranks_per_node", world.mostRanks());
        }
        else
        {
            world.ranksOfNodes().forEach(node.putArray("ranks_per_node")::add);
        }

        node.put("ranks", world.size());
    }

    private static void putMode(final ObjectNode root, final Summary summary)
    {
        final LowLatencyHeader lowLatency = summary.header().lowLatency();
        root.put("mode", null == lowLatency ? "normal" : "low-latency");
        if (null != lowLatency)
        {
            root.put("max_tokens", lowLatency.maxTokens()).put("calls", lowLatency.calls())
                .put("steps", summary.ranks().get(0).steps());
            summary.masked().keySet().forEach(root.putArray("masked")::add);
        }
    }

    private static void putTransport(final ObjectNode node, final TransportReport transport)
    {
        node.put("name", transport.name()).put("version", transport.version());
        transport.kinds().forEach(node.putArray("memory_kinds")::add);
        node.put("emulated", transport.isEmulated());
        final ArrayNode passed = node.putArray("passed_over");
        transport.passedOver().forEach((other) ->
            passed.addObject().put("name", other.transport()).put("reason", other.reason()));
    }

    private static void putCall(final ObjectNode node, final CallFigures call)
    {
        putMicros(node, call);
        node.put("scale_out_bytes", call.scaleOutBytes())
            .put("scale_up_bytes", call.scaleUpBytes())
            .put("scale_out_GBps", rounded(call.scaleOutGBps()))
            .put("scale_up_GBps", rounded(call.scaleUpGBps()));
    }

    private static void putMicros(final ObjectNode node, final CallFigures call)
    {
        node.putObject("micros")
            .put("min", rounded(call.minMicros()))
            .put("median", rounded(call.medianMicros()))
            .put("p99", rounded(call.p99Micros()))
            .put("iterations", call.counted());
    }

    private static void putRank(final ObjectNode node, final RankReport rank)
    {
        node.put("rank", rank.rank())
            .put("pid", rank.processId())
            .put("host", rank.host())
            .put("device", rank.device())
            .put("verified", null == rank.failure())
            .put("tokens", rank.tokens())
            .put("rows_received", rank.rows());
        final int mostly = Summary.waitedMostFor(rank);
        node.put("waited_most_for", mostly < 0 ? null : (Integer)mostly);
        final ArrayNode waits = node.putArray("waiting_micros_by_source");
        for (final long wait : rank.waitNsPerRank())
        {
            waits.add(micros(wait));
        }

        final ArrayNode threadWaits = node.putArray("thread_waits");
        rank.waits().forEach((wait) -> threadWaits.addObject()
            .put("call", wait.call())
            .put("for_rank", wait.rank())
            .put("counter", wait.counter())
            .put("micros", micros(wait.ns())));
    }

    private static double micros(final long ns)
    {
        return rounded(ns / NS_PER_MICRO);
    }

    private static double rounded(final double value)
    {
        return Math.round(value * DIGITS) / DIGITS;
    }
}
