/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.launch.LocalProcesses;
import dev.transload.cli.launch.LocalThreads;
import dev.transload.cli.launch.OwnRank;
import dev.transload.cli.launch.PeerLoss;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.ProgressBar;
import dev.transload.cli.launch.RankProcess;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.page.ReportFile;
import dev.transload.cli.program.CommonOptions;
import dev.transload.cli.rank.MemoryCopy;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.report.RunHeader;
import dev.transload.cli.report.RunPage;
import dev.transload.cli.report.Summary;
import dev.transload.cli.report.SummaryJson;
import dev.transload.cli.report.SummaryText;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.EngineConfig;
import dev.transload.metrics.MetricsConfig;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.spi.TransportRegistry;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
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

/** The main job: one dispatch and one combine in one of the engine's modes, verified, with a report. */
@Command(name = "run", mixinStandardHelpOptions = true, description = {
    "Dispatch and combine between ranks, verify every bit of the results, and report.",
    "Without options, the world has 2 nodes of 2 ranks, each rank is a process, both stages use Aeron, and the input " +
        "is the trace that Transload ships." })
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
        final ReportFile page = page(environment);
        options.checkRestarts(environment.isPresent());
        final int ranks = given.engine().worldSize();
        MetricsConfig.from(given.config()).portOf(ranks - 1);
        final int hostRanks = WorldSettings.ranksHere(environment, given.engine().world());
        try (RunMode mode = options.isLowLatency() ?
            LowLatencyMode.prepare(options, given, hostRanks, environment.isEmpty()) :
            NormalMode.prepare(options, given, environment.isEmpty()))
        {
            check(mode);
            final boolean isFirst = environment.isEmpty() || 0 == environment.get().rank();
            final Recorder recorder =
                isFirst && null != options.record() ? Recorder.begin(options.record(), mode.recording()) : null;
            final RanksResult result = run(mode, environment, ranks);
            if (null != recorder)
            {
                recorder.end(parse(result.reports()));
            }

            if (result.isInterrupted())
            {
                return common.end(reportInterrupted(mode, result, page));
            }

            final boolean isTold = ExitCodes.DONE == result.outcome().exitCode() || PeerLoss.MASK == mode.loss();
            return isTold && !result.reports().isEmpty() ? end(report(mode, result, page)) : end(result.outcome());
        }
    }

    private int end(final Outcome outcome)
    {
        return ExitCodes.DONE == outcome.exitCode() ? ExitCodes.DONE : common.end(outcome);
    }

    private RanksResult run(final RunMode mode, final Optional<LaunchEnvironment> environment, final int worldSize)
    {
        if (environment.isPresent())
        {
            common.leaveSignalsToOthers();
            return OwnRank.run(
                mode.rankTask(), mode.task(), mode.settings(), environment.get(), Progress.NONE);
        }

        try (ProgressBar bar = ProgressBar.onTerminal())
        {
            return options.isInProcess() ?
                new LocalThreads(bar).run(mode.rankTask(), mode.task(), mode.settings(), worldSize) :
                new LocalProcesses(RankProcess.class.getName(), bar, common::chatter)
                    .run(mode.taskName(), mode.task(), mode.settings(), worldSize, mode.loss(), options.restarts());
        }
    }

    /** Null unless asked for; of launched ranks only the first has all figures, and perhaps the only such folder. */
    private ReportFile page(final Optional<LaunchEnvironment> environment)
    {
        final boolean isReporter = environment.isEmpty() || 0 == environment.get().rank();
        return isReporter && null != options.report() ? ReportFile.at(options.report()) : null;
    }

    private Outcome report(final RunMode mode, final RanksResult result, final ReportFile page) throws IOException
    {
        final List<RankReport> told = parse(result.reports());
        final Summary summary = Summary.of(mode.header().after(told.get(0).resumedAt()), told, result.restarts());
        print(summary, page);
        return Verdict.of(result.outcome(), summary);
    }

    /** Of the iterations that all ranks have told of: those until a checkpoint, one of them perhaps the next one. */
    private Outcome reportInterrupted(final RunMode mode, final RanksResult result, final ReportFile page)
        throws IOException
    {
        final List<RankReport> told = parse(result.reports());
        final int calls = mode.header().calls();
        final int made = told.isEmpty() || PeerLoss.MASK != mode.loss() && result.reports().contains(null) ? 0 :
            told.stream().mapToInt((rank) -> rank.dispatchNs().length).min().orElseThrow() / calls;
        if (0 == made)
        {
            return Outcome.of(result.outcome().exitCode(),
                result.outcome().sentence() + " before all ranks had verified a first iteration: there is no report");
        }

        final double memcpy = MemoryCopy.bytesPerSecond();
        final Summary summary = Summary.of(mode.header().after(told.get(0).resumedAt()).interrupted(made),
            told.stream().map((rank) -> rank.first(made * calls, memcpy)).toList(), result.restarts());
        print(summary, page);
        return Verdict.ofInterrupted(result.outcome(), summary);
    }

    private void print(final Summary summary, final ReportFile page) throws IOException
    {
        final String json = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(SummaryJson.of(summary));
        if (null != options.output())
        {
            writeSummary(Path.of(options.output()), json);
        }

        common.print(common.isJson() ? json + System.lineSeparator() : SummaryText.of(summary));
        if (null != page)
        {
            page.write(RunPage.title(summary), RunPage.data(summary));
        }
    }

    private void check(final RunMode mode)
    {
        final TransportRegistry registry = TransportRegistry.discover();
        final EngineConfig resolved = mode.settings().engine().resolve(registry);
        registry.provider(resolved.scaleUp().transport());
        registry.provider(resolved.scaleOut().transport());
        if (null != options.output())
        {
            createFolder(Path.of(options.output()));
        }

        final RunHeader header = mode.header();
        if (header.experts() != header.paddedExperts())
        {
            final int ranks = header.world().size();
            LOG.info("{} experts are padded to {}, {} on each of {} ranks", header.experts(), header.paddedExperts(),
                header.paddedExperts() / ranks, ranks);
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
            final boolean isMisplaced = ex instanceof FileAlreadyExistsException ||
                ex instanceof AccessDeniedException || !isBelowFolder(folder.toAbsolutePath());
            throw new CommandException(isMisplaced ? ExitCodes.BAD_INPUT : ExitCodes.UNAVAILABLE,
                "--output " + folder + ": it cannot be made: " + ex.getMessage(), ex);
        }
    }

    /** Whether the nearest of those above that is there is a folder, not a file. */
    private static boolean isBelowFolder(final Path path)
    {
        Path nearest = path.getParent();
        while (null != nearest && !Files.exists(nearest))
        {
            nearest = nearest.getParent();
        }

        return null == nearest || Files.isDirectory(nearest);
    }

    private static void writeSummary(final Path folder, final String json)
    {
        try
        {
            Files.writeString(folder.resolve("summary.json"), json + System.lineSeparator());
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE,
                "--output " + folder + ": summary.json cannot be written: " + ex.getMessage(), ex);
        }
    }

    /** Of the ranks that have one. */
    private static List<RankReport> parse(final List<JsonNode> reports)
    {
        final List<RankReport> ranks = new ArrayList<>();
        try
        {
            for (final JsonNode report : reports)
            {
                if (null != report)
                {
                    ranks.add(JSON.treeToValue(report, RankReport.class));
                }
            }

            return ranks;
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("a rank's report cannot be read", ex);
        }
    }
}
