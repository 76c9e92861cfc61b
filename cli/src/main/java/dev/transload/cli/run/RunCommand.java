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
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.ProgressBar;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.page.ReportFile;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RunRank;
import dev.transload.cli.rank.RunTask;
import dev.transload.cli.report.RunHeader;
import dev.transload.cli.report.RunPage;
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
import java.util.List;
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
        final Settings given = WorldSettings.emulated(
            WorldSettings.of(common.settings(options.keys()), environment), options.isEmulated());
        given.checkTransports(TransportRegistry.discover());
        final ReportFile page = page(environment);
        final int nodes = given.positive(WorldSettings.NODES);
        final int ranksPerNode = given.positive(WorldSettings.RANKS_PER_NODE);
        MetricsConfig.from(given.config()).portOf(nodes * ranksPerNode - 1);
        try (RunInput input = InputLoader.load(options.input(), nodes, ranksPerNode))
        {
            final Settings settings = WorldSettings.fit(given, input, environment.isEmpty());
            check(settings.engine(), input);
            final RanksResult result = run(settings, environment, nodes * ranksPerNode);
            if (ExitCodes.DONE != result.outcome().exitCode())
            {
                return common.end(result.outcome());
            }

            return result.reports().isEmpty() ? ExitCodes.DONE : report(input, settings, result.reports(), page);
        }
    }

    private RanksResult run(
        final Settings settings, final Optional<LaunchEnvironment> environment, final int worldSize)
    {
        final JsonNode task = JSON.valueToTree(
            new RunTask(
            options.input(), options.iterations(), options.isCached(), options.isTopkOnDevice(),
            options.injection(), options.output()));
        if (environment.isPresent())
        {
            return OwnRank.run(new RunRank(), task, settings, environment.get(), Progress.NONE);
        }

        try (ProgressBar bar = ProgressBar.onTerminal())
        {
            return options.isInProcess() ?
                new LocalThreads(bar).run(new RunRank(), task, settings, worldSize) :
                new LocalProcesses(RankProcess.class.getName(), bar, common::chatter)
                    .run(RunRank.NAME, task, settings, worldSize);
        }
    }

    /** Null unless asked for; of launched ranks only the first has all figures, and perhaps the only such folder. */
    private ReportFile page(final Optional<LaunchEnvironment> environment)
    {
        final boolean isReporter = environment.isEmpty() || 0 == environment.get().rank();
        return isReporter && null != options.report() ? ReportFile.at(options.report()) : null;
    }

    private int report(
        final RunInput input, final Settings settings, final List<JsonNode> reports, final ReportFile page)
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
        if (null != page)
        {
            page.write(RunPage.title(summary), RunPage.data(summary));
        }

        return summary.isVerified() ? ExitCodes.DONE :
            common.end(Outcome.of(ExitCodes.FAILED, "verification failed: " + summary.failures().get(0)));
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
