/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.input.RankRoutes;
import dev.transload.cli.outcome.Counted;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.program.CommonOptions;
import dev.transload.cli.report.SummaryJson;
import dev.transload.cli.run.WorldSettings;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.OutputLayout;
import dev.transload.engine.internal.runtime.WorldTraffic;
import dev.transload.engine.internal.runtime.WorldTraffic.Hop;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code plan}. */
@Command(name = "plan", mixinStandardHelpOptions = true, description = {
    "Compute bytes, memory and lower bounds of time for a world, without running it.",
    "The figures are for a dispatch and its combine, and are computed from the engine's own layouts. The world need " +
        "not exist." })
public final class PlanCommand implements Callable<Integer>
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double MB = 1e6;
    private static final double MICROS = 1e6;
    private static final double DIGITS = 1e3;

    @Mixin
    private PlanOptions options;

    @Mixin
    private CommonOptions common;

    @Override
    public Integer call() throws JsonProcessingException
    {
        final double outRate = options.linkRate();
        final double upRate = options.scaleUpRate();
        final Settings shaped = WorldSettings.of(common.settings(options.keys()), Optional.empty());
        final RankRoutes routes = RankRoutes.load(options.input(), shaped.engine().world());
        final Settings settings =
            WorldSettings.sized(shaped, routes.hidden(), routes.topk(), padded(routes, shaped.engine()));
        final WorldPlan plan = new WorldPlan(settings.engine(), routes, options.isStaged());
        common.print(common.isJson() ?
            JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json(plan, outRate, upRate)) +
                System.lineSeparator() : text(plan, outRate, upRate));
        return ExitCodes.DONE;
    }

    private static int padded(final RankRoutes routes, final EngineConfig config)
    {
        return (routes.experts() + config.worldSize() - 1) / config.worldSize() * config.worldSize();
    }

    private static String layout(final WorldPlan plan)
    {
        return OutputLayout.EXPERT_MAJOR == plan.config().output() ? "expert-major" : "rank-major";
    }

    private static String text(final WorldPlan plan, final double outRate, final double upRate)
    {
        final WorldTraffic traffic = plan.traffic();
        final RankRoutes routes = plan.routes();
        final StringBuilder text = new StringBuilder();
        line(text, "%s, %s, %s rows", plan.config().world(), Counted.of(plan.config().channels(), "channel"),
            layout(plan));
        line(text, "%s (%s), hidden %d, %s, top-%d of %s", Counted.of(plan.ofAll(traffic.tokens()), "token"),
            routes.origin(), routes.hidden(), routes.isFp8() ? "fp8" : "bf16", routes.topk(),
            Counted.of(routes.experts(), "expert"));
        if (!plan.isWhole())
        {
            line(text, "figures are means over the tokens of %d ranks, evenly spread", plan.looked());
        }

        line(text, "a token goes to %.2f nodes and %.2f ranks", perToken(plan, traffic.rowsToNodes()),
            perToken(plan, traffic.rowsToRanks()));
        line(text, "");
        line(text, "%-24s %12s %12s", "MB of a rank, each way", "mean", "most");
        hop(text, plan, "dispatch between nodes", traffic.dispatchOut());
        hop(text, plan, "dispatch within a node", traffic.dispatchUp());
        hop(text, plan, "combine within a node", traffic.combineUp());
        hop(text, plan, "combine between nodes", traffic.combineOut());
        if (outRate + upRate > 0)
        {
            line(text, "");
            line(text, "the busiest links need %.1f us for a dispatch, %.1f us for a combine",
                MICROS * plan.limit(traffic.dispatchOut(), traffic.dispatchUp(), outRate, upRate),
                MICROS * plan.limit(traffic.combineOut(), traffic.combineUp(), outRate, upRate));
        }

        line(text, "");
        line(text, "memory of a rank: %.1f MB of the host%s for rings, blocks and messages; %.1f MB for the output",
            plan.hostBytes() / MB, 0 == plan.deviceBytes() ? "" :
            String.format(", %.1f MB of the device", plan.deviceBytes() / MB), plan.outputBytes() / MB);
        line(text, "of it, rings between nodes take %.1f MB, rings within a node %.1f MB",
            Engine.scaleOutRingBytes(plan.config()) / MB, Engine.scaleUpRingBytes(plan.config()) / MB);
        return text.toString();
    }

    private static void hop(final StringBuilder text, final WorldPlan plan, final String name, final Hop hop)
    {
        line(text, "%-24s %12.3f %12s", name, plan.mean(hop) / MB,
            plan.isWhole() ? String.format("%.3f", plan.most(hop) / MB) : "-");
    }

    private static double perToken(final WorldPlan plan, final long rows)
    {
        return 0 == plan.traffic().tokens() ? 0 : (double)rows / plan.traffic().tokens();
    }

    private static void line(final StringBuilder text, final String format, final Object... values)
    {
        text.append(String.format(format, values)).append(System.lineSeparator());
    }

    private static ObjectNode json(final WorldPlan plan, final double outRate, final double upRate)
    {
        final WorldTraffic traffic = plan.traffic();
        final RankRoutes routes = plan.routes();
        final ObjectNode root = JSON.createObjectNode();
        root.set("build", BuildInfo.own().json());
        SummaryJson.putWorld(root.putObject("world"), plan.config().world());
        root.putObject("input").put("origin", routes.origin()).put("experts", routes.experts())
            .put("experts_padded", padded(routes, plan.config())).put("topk", routes.topk())
            .put("hidden", routes.hidden()).put("dtype", routes.isFp8() ? "fp8" : "bf16");
        root.put("channels", plan.config().channels()).put("output", layout(plan));
        root.put("tokens", plan.ofAll(traffic.tokens())).put("ranks_looked_at", plan.looked());
        root.put("nodes_per_token", rounded(perToken(plan, traffic.rowsToNodes())));
        root.put("ranks_per_token", rounded(perToken(plan, traffic.rowsToRanks())));
        putCall(root.putObject("dispatch"), plan, traffic.dispatchOut(), traffic.dispatchUp(), outRate, upRate);
        putCall(root.putObject("combine"), plan, traffic.combineOut(), traffic.combineUp(), outRate, upRate);
        root.putObject("memory").put("host_bytes", plan.hostBytes()).put("device_bytes", plan.deviceBytes())
            .put("output_bytes", plan.outputBytes())
            .put("scale_out_ring_bytes", Engine.scaleOutRingBytes(plan.config()))
            .put("scale_up_ring_bytes", Engine.scaleUpRingBytes(plan.config()));
        return root;
    }

    private static void putCall(
        final ObjectNode call, final WorldPlan plan, final Hop out, final Hop up, final double outRate,
        final double upRate)
    {
        call.put("scale_out_bytes", plan.ofAll(out.counted())).put("scale_up_bytes", plan.ofAll(up.counted()));
        putRank(call.putObject("scale_out_bytes_of_rank"), plan, out);
        putRank(call.putObject("scale_up_bytes_of_rank"), plan, up);
        if (outRate + upRate > 0)
        {
            call.put("limit_micros", rounded(MICROS * plan.limit(out, up, outRate, upRate)));
        }
    }

    private static void putRank(final ObjectNode node, final WorldPlan plan, final Hop hop)
    {
        node.put("mean", Math.round(plan.mean(hop)));
        if (plan.isWhole())
        {
            node.put("most", Math.round(plan.most(hop)));
        }
    }

    private static double rounded(final double value)
    {
        return Math.round(value * DIGITS) / DIGITS;
    }
}
