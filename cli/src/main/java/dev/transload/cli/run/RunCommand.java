/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.CommonOptions;
import dev.transload.cli.RankProcess;
import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.LocalProcesses;
import dev.transload.cli.launch.LocalThreads;
import dev.transload.cli.launch.OwnRank;
import dev.transload.cli.launch.ProgressBar;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.launch.SharedMemory;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RunRank;
import dev.transload.cli.rank.RunTask;
import dev.transload.cli.report.RunHeader;
import dev.transload.cli.report.Summary;
import dev.transload.cli.report.SummaryJson;
import dev.transload.cli.report.SummaryText;
import dev.transload.cli.settings.Settings;
import dev.transload.cli.verify.Injection;
import dev.transload.engine.EngineConfig;
import dev.transload.metrics.MetricsConfig;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.spi.TransportRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The main job: one dispatch and one combine through the two-stage pipeline, verified, with a report. */
@Command(name = "run", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Dispatch and combine the tokens of a trace between ranks, verify every bit, report.")
public final class RunCommand implements Callable<Integer>
{
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NODES = "transload.nodes";
    private static final String RANKS_PER_NODE = "transload.ranks-per-node";

    @Mixin
    private RunOptions options;

    @Mixin
    private CommonOptions common;

    @Override
    public Integer call() throws IOException
    {
        options.check();
        final Optional<LaunchEnvironment> environment =
            options.isInProcess() ? Optional.empty() : LaunchEnvironment.detect(System.getenv());
        final Settings given = worldOf(common.settings(options.keys()), environment);
        given.checkTransports(TransportRegistry.discover());
        MetricsConfig.from(given.config()).portOf(given.positive(NODES) * given.positive(RANKS_PER_NODE) - 1);
        final int nodes = given.positive(NODES);
        final int ranksPerNode = given.positive(RANKS_PER_NODE);
        try (RunInput input = InputLoader.load(options.input(), nodes, ranksPerNode))
        {
            final Settings settings = fit(given, input, environment.isEmpty());
            check(settings.engine(), input);
            final RanksResult result = run(settings, environment, nodes * ranksPerNode);
            if (ExitCodes.DONE != result.outcome().exitCode())
            {
                return common.end(result.outcome());
            }

            return result.reports().isEmpty() ? ExitCodes.DONE : report(input, settings, result.reports());
        }
    }

    private RanksResult run(
        final Settings settings, final Optional<LaunchEnvironment> environment, final int worldSize)
    {
        final JsonNode task = JSON.valueToTree(
            new RunTask(options.input(), options.iterations(), options.injection(), options.output()));
        if (environment.isPresent())
        {
            return OwnRank.run(new RunRank(), task, settings, environment.get());
        }

        try (ProgressBar bar = ProgressBar.onTerminal())
        {
            return options.isInProcess() ?
                new LocalThreads(bar).run(new RunRank(), task, settings, worldSize) :
                new LocalProcesses(RankProcess.class.getName(), bar, common::chatter)
                    .run(RunRank.NAME, task, settings, worldSize);
        }
    }

    private int report(final RunInput input, final Settings settings, final List<JsonNode> reports)
        throws IOException
    {
        final List<RankReport> ranks = new ArrayList<>();
        for (final JsonNode report : reports)
        {
            ranks.add(parse(report));
        }

        final EngineConfig config = settings.engine();
        final Summary summary = Summary.of(new RunHeader(
            config.nodes(), config.ranksPerNode(), input.origin(), input.experts(), input.world().experts(),
            input.topk(), input.hidden(), input.isFp8() ? InputOptions.FP8 : InputOptions.BF16, options.iterations(),
            options.input().seed()), ranks);
        final String json = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(SummaryJson.of(summary));
        if (null != options.output())
        {
            Files.writeString(Path.of(options.output(), "summary.json"), json + System.lineSeparator());
        }

        common.print(options.isJson() ? json + System.lineSeparator() : SummaryText.of(summary));
        return summary.isVerified() ? ExitCodes.DONE :
            common.end(Outcome.of(ExitCodes.FAILED, "verification failed: " + summary.failures().get(0)));
    }

    /** Another launcher knows the world's size; options may shape it. Otherwise it is 2 x 2 unless chosen. */
    private static Settings worldOf(final Settings settings, final Optional<LaunchEnvironment> environment)
    {
        if (environment.isEmpty())
        {
            return settings.withDefaults(Map.of(NODES, "2", RANKS_PER_NODE, "2"));
        }

        final LaunchEnvironment launched = environment.get();
        final Settings world = settings.withDefaults(Map.of(
            NODES, String.valueOf(divided(launched, settings, RANKS_PER_NODE, launched.ranksPerNode())),
            RANKS_PER_NODE, String.valueOf(divided(launched, settings, NODES, launched.nodes()))));
        final int asked = world.positive(NODES) * world.positive(RANKS_PER_NODE);
        if (asked != launched.worldSize())
        {
            throw CommandException.badInput("a world of " + world.positive(NODES) + " nodes x " +
                world.positive(RANKS_PER_NODE) + " ranks needs " + asked + " ranks, but " + launched.describe());
        }

        return world;
    }

    /** The launched world by one of its dimensions, as chosen where that is possible, else as launched. */
    private static int divided(
        final LaunchEnvironment launched, final Settings settings, final String key, final int launchedValue)
    {
        final int value = settings.isChosen(key) ? settings.positive(key) : launchedValue;
        return launched.worldSize() / (0 == launched.worldSize() % value ? value : launchedValue);
    }

    /** Slots for this model, and rings that fit into the machine, unless chosen. */
    private static Settings fit(final Settings settings, final RunInput input, final boolean isLocal)
    {
        final Map<String, String> defaults = new HashMap<>();
        defaults.put("transload.max-hidden", String.valueOf(input.hidden()));
        defaults.put("transload.max-topk", String.valueOf(input.topk()));
        defaults.put("transload.max-experts", String.valueOf(input.world().experts()));
        if (isLocal)
        {
            defaults.put("transload.ring-memory", SharedMemory.ringBytes(input.world().ranks()) + " B");
        }

        return settings.withDefaults(defaults);
    }

    private void check(final EngineConfig config, final RunInput input) throws IOException
    {
        final TransportRegistry registry = TransportRegistry.discover();
        final EngineConfig resolved = config.resolve(registry);
        registry.provider(resolved.scaleUp().transport());
        registry.provider(resolved.scaleOut().transport());
        if (null != options.injection())
        {
            Injection.named(options.injection());
            Injection.target(input);
        }

        if (null != options.output())
        {
            createFolder(Path.of(options.output()));
        }

        if (input.experts() != input.world().experts())
        {
            LOG.info("{} experts are padded to {}, {} on each of {} ranks", input.experts(), input.world().experts(),
                input.world().experts() / input.world().ranks(), input.world().ranks());
        }
    }

    private static void createFolder(final Path folder)
    {
        try
        {
            Files.createDirectories(folder);
        }
        catch (final IOException ex)
        {
            throw CommandException.badInput("--output " + folder + ": it cannot be made: " + ex.getMessage(), ex);
        }
    }

    private static RankReport parse(final JsonNode report)
    {
        try
        {
            return JSON.treeToValue(report, RankReport.class);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("a rank's report cannot be read", ex);
        }
    }
}
