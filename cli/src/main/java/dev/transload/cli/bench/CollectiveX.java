/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.report.RunHeader;
import dev.transload.cli.report.Summary;
import dev.transload.engine.WorldConfig;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Calls of the engine in the fields of a {@code case-attempt} of CollectiveX, the expert-parallel benchmark of
 * InferenceX ({@code experimental/CollectiveX/bench/ep_harness.py}, version 1), so that its programs read them. What
 * was not measured is null or said to be unavailable. Its chained pairs are left out, as in its own older files.
 */
final class CollectiveX
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int VERSION = 1;
    private static final String BACKEND = "transload";
    private static final String SUITE = "transload-bench";
    private static final int DEEPSEEK_HIDDEN = 7168;
    private static final int DEEPSEEK_TOPK = 8;
    private static final int DEEPSEEK_EXPERTS = 256;

    /** More tokens of a rank than these are a prefill. */
    private static final long MOST_DECODE_TOKENS = 512;
    private static final int SCALE_GROUP = 128;
    private static final double NS_PER_MICRO = 1e3;
    private static final double MICROS_DIGITS = 1e3;
    private static final double MICROS_PER_SECOND = 1e6;
    private static final int[] PERCENTILES = { 50, 90, 95, 99 };
    private static final String DISPATCH = "dispatch";
    private static final String COMBINE = "combine";
    private static final String ROUNDTRIP = "roundtrip";

    private final Summary summary;
    private final RunHeader header;
    private final WorldConfig world;
    private final InputFigures input;
    private final int[] counted;

    private CollectiveX(final Summary summary, final InputFigures input)
    {
        this.summary = summary;
        header = summary.header();
        world = header.world();
        this.input = input;
        counted = summary.countedIterations();
    }

    /** The document. */
    static ObjectNode of(final Summary summary, final InputFigures input)
    {
        return new CollectiveX(summary, input).document();
    }

    private ObjectNode document()
    {
        final ObjectNode root = JSON.createObjectNode().put("version", VERSION).put("record_type", "case-attempt")
            .put("generated_at", OffsetDateTime.now().truncatedTo(ChronoUnit.SECONDS)
                .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
        final ObjectNode identity = root.putObject("identity").put("attempt_ordinal", 1).put("case_id", caseId());
        putCase(identity.putObject("case_factors").put("sku", sku()).putObject("case"));
        final ObjectNode workload = root.putObject("workload").put("cross_rank_consistent", true).putNull("ladder_cap");
        workload.putArray("ladder_measured").add(tokensPerRank());
        workload.putArray("ladder_dropped");
        final ObjectNode measurement = root.putObject("measurement").put("combine_dtype", InputOptions.BF16)
            .put("combine_semantics", "activation-only").put("dispatch_dtype", isFp8() ? "fp8-e4m3fn" : header.dtype())
            .put("payload_unit", "token-rank");
        putRow(measurement.putArray("rows").addObject());
        measurement.putObject("sampling").put("iterations_per_trial", counted.length)
            .put("samples_per_component", counted.length).put("trials", 1).put("warmup_iterations", header.warmup());
        final BuildInfo build = BuildInfo.own();
        root.putObject("implementation").put("name", BACKEND).put("library_version", build.version())
            .put("kernel_generation", "n-a").put("stage_excluded_from_roundtrip", true).put("chained_period", false)
            .put("maturity", "candidate");
        putPlaces(root.putObject("topology").putNull("device_product").put("placement", "packed")
            .put("world_size", world.size()));
        root.putObject("provenance").putNull("image").put("source_sha", build.commit());
        final ObjectNode outcome = root.putObject("outcome").put("status", summary.isVerified() ? "success" :
            "invalid");
        summary.failures().forEach(outcome.putArray("reasons")::add);
        return root;
    }

    private boolean isFp8()
    {
        return InputOptions.FP8.equals(header.dtype());
    }

    private boolean isDeepSeek()
    {
        return DEEPSEEK_HIDDEN == header.hidden() && DEEPSEEK_TOPK == header.topk() &&
            DEEPSEEK_EXPERTS == header.experts();
    }

    private String workload()
    {
        return isDeepSeek() ? "deepseek-v3" :
            "h" + header.hidden() + "-k" + header.topk() + "-e" + header.experts();
    }

    private String mode()
    {
        return null == header.lowLatency() ? "normal" : "low-latency";
    }

    private String phase()
    {
        return tokensPerRank() <= MOST_DECODE_TOKENS ? "decode" : "prefill";
    }

    private String sku()
    {
        final String memory = summary.ranks().get(0).payloadKind().toLowerCase(Locale.ROOT);
        return (summary.isEmulated() ? "emulated-" + memory : memory) + "-" + System.getProperty("os.arch");
    }

    /** In a call; the mean, where ranks have different ones. */
    private long tokensPerRank()
    {
        return Math.round(input.routing().tokens() / (double)input.calls() / world.size());
    }

    /** What a case is named after, small letters, digits and hyphens alone. */
    private String caseId()
    {
        return Stream.of(sku(), BACKEND, workload(), mode(), phase(), "ep" + world.size(), header.origin(),
            header.dtype()).map((part) -> part.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-")
            .replaceAll("^-|-$", "")).collect(Collectors.joining("-"));
    }

    private void putCase(final ObjectNode node)
    {
        putPlaces(node.put("backend", BACKEND).put("ep", world.size()).put("experts", header.experts())
            .put("hidden", header.hidden()).put("ladder", String.valueOf(tokensPerRank())).put("mode", mode())
            .put("phase", phase()).put("precision", header.dtype()).put("routing", header.origin())
            .put("suite", SUITE).put("topk", header.topk()).put("workload", workload()));
    }

    /** Nodes of different ranks have no number of their own in these fields: the largest stands for all. */
    private void putPlaces(final ObjectNode node)
    {
        final boolean isOne = 1 == world.nodes();
        node.put("nodes", world.nodes()).put("gpus_per_node", world.mostRanks())
            .put("scale_up_domain", world.mostRanks()).put("scale_up_transport", summary.scaleUp().name())
            .put("scale_out_transport", isOne ? null : summary.scaleOut().name())
            .put("scope", isOne ? "scale-up" : "scale-out").put("topology_class", isOne ? "one-node" : "nodes")
            .put("transport", summary.scaleUp().name());
    }

    private void putRow(final ObjectNode row)
    {
        final double[] dispatch = slowest(RankReport::dispatchNs);
        final double[] combine = slowest(RankReport::combineNs);
        final double[] both = slowest(CollectiveX::both);
        row.put("tokens_per_rank", tokensPerRank()).put("global_tokens", perCall(input.routing().tokens()));
        final ObjectNode components = row.putObject("components");
        putComponent(components.putObject(DISPATCH), dispatch);
        putComponent(components.putObject(COMBINE), combine);
        putComponent(components.putObject(ROUNDTRIP), both);
        final ObjectNode sum = components.putObject("isolated_sum").put("availability", "derived")
            .put("origin", "derived-percentile-sum").put("sample_count", 0).putObject("percentiles_us");
        for (final int percent : PERCENTILES)
        {
            sum.put("p" + percent, micros(percentile(dispatch, percent) + percentile(combine, percent)));
        }

        for (final String none : List.of("pair_period", "stage"))
        {
            components.putObject(none).put("availability", "unavailable").putNull("origin")
                .putNull("percentiles_us").put("sample_count", 0);
        }

        final ObjectNode least = row.putObject("cross_rank_min_us");
        putComponent(least.putObject(DISPATCH), fastest(RankReport::dispatchNs));
        putComponent(least.putObject(COMBINE), fastest(RankReport::combineNs));
        final double[] fast = fastest(CollectiveX::both);
        putComponent(least.putObject(ROUNDTRIP), fast);
        putComponent(row.putObject("cross_rank_spread_us"),
            IntStream.range(0, both.length).mapToDouble((i) -> both[i] - fast[i]).toArray());
        row.putObject("correctness").putNull("max_relative_error").put("passed", summary.isVerified());
        putBytes(row.putObject("byte_provenance"));
        row.putObject("logical_copies").put("routed", perCall(input.routing().copies()))
            .put("assignments", perCall(input.routing().assignments())).put("wire", "rank-deduplicated");
        final int[] rows = summary.ranks().stream().mapToInt(RankReport::rows).toArray();
        row.putObject("receive").put("max", Arrays.stream(rows).max().orElseThrow())
            .put("mean", Arrays.stream(rows).average().orElseThrow())
            .put("min", Arrays.stream(rows).min().orElseThrow()).put("total", summary.rows());
        putRouting(row.putObject("routing"));
        final ObjectNode throughput = row.putObject("token_rate_at_latency_percentile");
        for (final int percent : PERCENTILES)
        {
            throughput.put("p" + percent,
                perCall(input.routing().tokens()) / percentile(both, percent) * MICROS_PER_SECOND);
        }
    }

    /** Copies of rows, whatever was put; FP8 rows come with a scale for each group of elements. */
    private void putBytes(final ObjectNode node)
    {
        final long elements = perCall(input.routing().copies()) * header.hidden();
        final long scales = isFp8() ? elements / SCALE_GROUP * Float.BYTES : 0;
        final long sent = elements * (isFp8() ? 1 : Short.BYTES);
        final long back = elements * Short.BYTES;
        putBytes(node.putObject(DISPATCH), sent, scales);
        putBytes(node.putObject(COMBINE), back, 0);
        putBytes(node.putObject(ROUNDTRIP), sent + back, scales);
        putBytes(node.putObject("stage"), 0, 0);
    }

    private static void putBytes(final ObjectNode node, final long data, final long scales)
    {
        node.put("activation_data_bytes", data).put("scale_bytes", scales).put("total_logical_bytes", data + scales);
    }

    /** Of all calls of an iteration; ratios are the same. */
    private void putRouting(final ObjectNode node)
    {
        final RoutingFigures routing = input.routing();
        final long[] loads = routing.expertLoads();
        final double mean = Arrays.stream(loads).average().orElse(0);
        final long most = Arrays.stream(loads).max().orElse(0);
        node.put("routed_copies", routing.copies())
            .put("fanout_mean", ratio(routing.copies(), routing.tokens()))
            .put("fanout_min", routing.leastFanout()).put("fanout_max", routing.mostFanout())
            .put("expert_load_mean", mean).put("expert_load_max", most)
            .put("expert_load_min", Arrays.stream(loads).min().orElse(0))
            .put("expert_load_cv", RoutingFigures.variation(loads))
            .put("expert_assignment_rank_cv", RoutingFigures.variation(routing.rankAssignments()))
            .put("payload_rank_cv", RoutingFigures.variation(routing.rankCopies()))
            .put("hotspot_ratio", 0 == mean ? 0 : most / mean)
            .put("empty_expert_count", Arrays.stream(loads).filter((load) -> 0 == load).count())
            .put("empty_rank_count", Arrays.stream(routing.rankCopies()).filter((load) -> 0 == load).count());
        Arrays.stream(routing.fanouts()).skip(1).forEach(node.putArray("fanout_histogram")::add);
        Arrays.stream(routing.rankAssignments()).forEach(node.putArray("expert_assignments_per_rank")::add);
        Arrays.stream(routing.rankCopies()).forEach(node.putArray("payload_copies_per_rank")::add);
        final double near = ratio(routing.nodeCopies(), routing.copies());
        final double far = ratio(routing.copies() - routing.nodeCopies(), routing.copies());
        node.putObject("locality").put("placement", "packed").put("copies", routing.copies())
            .put("local_rank_fraction", ratio(routing.localCopies(), routing.copies()))
            .put("same_node_fraction", near).put("same_scaleup_domain_fraction", near)
            .put("cross_node_fraction", far).put("cross_domain_fraction", far)
            .put("gpus_per_node", world.mostRanks()).put("scale_up_domain", world.mostRanks());
    }

    private static double ratio(final long part, final long whole)
    {
        return 0 == whole ? 0 : part / (double)whole;
    }

    private long perCall(final long all)
    {
        return all / input.calls();
    }

    private static long[] both(final RankReport rank)
    {
        final long[] both = rank.dispatchNs().clone();
        Arrays.setAll(both, (i) -> both[i] + rank.combineNs()[i]);
        return both;
    }

    private double[] slowest(final Function<RankReport, long[]> samples)
    {
        return micros(samples, LongStream::max);
    }

    private double[] fastest(final Function<RankReport, long[]> samples)
    {
        return micros(samples, LongStream::min);
    }

    /** By iteration, of one rank. */
    private double[] micros(
        final Function<RankReport, long[]> samples, final Function<LongStream, OptionalLong> chosen)
    {
        final List<long[]> all = summary.ranks().stream().map(samples).toList();
        return Arrays.stream(counted).mapToDouble((i) ->
            chosen.apply(all.stream().mapToLong((rank) -> rank[i])).orElseThrow() / NS_PER_MICRO).toArray();
    }

    private static void putComponent(final ObjectNode node, final double... samples)
    {
        node.put("availability", "measured").put("origin", "measured").put("sample_count", samples.length);
        final ObjectNode percentiles = node.putObject("percentiles_us");
        for (final int percent : PERCENTILES)
        {
            percentiles.put("p" + percent, micros(percentile(samples, percent)));
        }
    }

    /** Nearest rank. */
    private static double percentile(final double[] samples, final int percent)
    {
        final double[] sorted = samples.clone();
        Arrays.sort(sorted);
        return sorted[Math.max(0, (sorted.length * percent + 99) / 100 - 1)];
    }

    private static double micros(final double value)
    {
        return Math.round(value * MICROS_DIGITS) / MICROS_DIGITS;
    }
}
