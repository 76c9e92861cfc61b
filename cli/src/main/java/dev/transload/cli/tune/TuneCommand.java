/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.LocalProcesses;
import dev.transload.cli.launch.LocalThreads;
import dev.transload.cli.launch.OwnRank;
import dev.transload.cli.launch.ProgressBar;
import dev.transload.cli.launch.RankProcess;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.lowlatency.CallInput;
import dev.transload.cli.lowlatency.LowLatencyTask;
import dev.transload.cli.lowlatency.MemoryNeed;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.Counted;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.program.CommonOptions;
import dev.transload.cli.run.WorldOptions;
import dev.transload.cli.run.WorldSettings;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.WorldConfig;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.spi.DurationText;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Searches settings for a world and its input, and writes a configuration that {@code run} takes. */
@Command(name = "tune", mixinStandardHelpOptions = true, description = {
    "Search for the best settings for a world and an input, and write a configuration for transload run.",
    "In normal mode, the search tries values for chunks, rings, credit, channels and threads. In low-latency mode, " +
        "it tries which ranks are near, numbers of channels, and what threads without work do." })
public final class TuneCommand implements Callable<Integer>
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration MOST = Duration.ofHours(24);

    @Option(names = "--budget", paramLabel = "DURATION",
        description = "time for all trials, at most 24h (default ${DEFAULT-VALUE})")
    private String budget = "60s";

    @Option(names = "--out", paramLabel = "FILE",
        description = "configuration to write (default ${DEFAULT-VALUE})")
    private Path out = Path.of("transload-tuned.conf");

    @Mixin
    private WorldOptions options;

    @Mixin
    private CommonOptions common;

    @Override
    public Integer call() throws JsonProcessingException
    {
        final Duration time = budget();
        options.check();
        final Optional<LaunchEnvironment> environment =
            options.isInProcess() ? Optional.empty() : LaunchEnvironment.detect(System.getenv());
        final Settings given = WorldSettings.emulated(
            WorldSettings.of(common.settings(options.keys()), environment), options.isEmulated());
        final WorldConfig world = given.engine().world();
        final CallInput calls = options.isLowLatency() ?
            LowLatencyTask.ofCalls(options.input()).load(LowLatencyConfig.from(given.config())) : null;
        try (RunInput input = null == calls ? InputLoader.load(options.input(), world) : calls.input())
        {
            final Settings settings = WorldSettings.fit(given, input, environment.isEmpty());
            final EngineConfig config = settings.engine().resolve(TransportRegistry.discover());
            if (null != calls && KernelRegistry.discover().kindOf(config.scaleUp().transport()).isHost())
            {
                MemoryNeed.of(calls, true).check(WorldSettings.ranksHere(environment, world));
            }

            final String header = header(config, input, calls);
            final TunedFile file = new TunedFile(out, given, header);
            final RanksResult result = search(settings, environment, world.size(), time, file);
            if (result.isInterrupted())
            {
                return interrupted(result, file, header, time);
            }

            if (ExitCodes.DONE != result.outcome().exitCode())
            {
                return common.end(result.outcome());
            }

            return result.reports().isEmpty() ? ExitCodes.DONE :
                report(result.reports().get(0), file, header, time);
        }
    }

    private RanksResult search(
        final Settings settings,
        final Optional<LaunchEnvironment> environment,
        final int worldSize,
        final Duration time,
        final TunedFile file)
    {
        final JsonNode task = JSON.valueToTree(new TuneTask(
            options.isLowLatency(), options.input(), time.toMillis(), fixed(settings)));
        try (ProgressBar bar = ProgressBar.onTerminal())
        {
            final boolean isOwner = environment.isEmpty() || 0 == environment.get().rank();
            common.leaveSignalsToOthers();
            final Interruption interruption = new Interruption(file, bar, isOwner);
            final RanksResult result = environment.isPresent() ?
                OwnRank.run(new TuneRank(), task, settings, environment.get(), interruption) :
                options.isInProcess() ?
                new LocalThreads(interruption).run(new TuneRank(), task, settings, worldSize) :
                new LocalProcesses(RankProcess.class.getName(), interruption, common::chatter)
                    .run(TuneRank.NAME, task, settings, worldSize);
            if (!interruption.disarm())
            {
                // This JVM is ending: what is left to say, the hook says.
                return new RanksResult(Outcome.DONE, List.of());
            }

            if (ExitCodes.DONE != result.outcome().exitCode() && !result.isInterrupted())
            {
                interruption.keepBest();
            }

            return result;
        }
    }

    /** The best so far is worth a file, though nothing confirmed it. */
    private int interrupted(
        final RanksResult result, final TunedFile file, final String header, final Duration time)
        throws JsonProcessingException
    {
        final JsonNode last = result.reports().isEmpty() ? null : result.reports().get(0);
        final int exitCode = result.outcome().exitCode();
        if (null == last)
        {
            return common.end(Outcome.of(exitCode, Interruption.nothingFound(file)));
        }

        final TuneReport report = JSON.treeToValue(last, TuneReport.class);
        file.write(TuneText.reasons(report), report.best());
        print(last, report, file, header, time, true);
        return common.end(Outcome.of(exitCode, Interruption.found(report, file)));
    }

    private int report(final JsonNode node, final TunedFile file, final String header, final Duration time)
        throws JsonProcessingException
    {
        final TuneReport report = JSON.treeToValue(node, TuneReport.class);
        file.write(TuneText.reasons(report), report.chosen());
        print(node, report, file, header, time, false);
        return ExitCodes.DONE;
    }

    private void print(
        final JsonNode node,
        final TuneReport report,
        final TunedFile file,
        final String header,
        final Duration time,
        final boolean isInterrupted) throws JsonProcessingException
    {
        if (common.isJson())
        {
            final ObjectNode json =
                json(node, options.modeName(), header, time, options.input().seed(), file.path(), isInterrupted);
            common.print(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json) + System.lineSeparator());
        }
        else
        {
            common.print((isInterrupted ? "INTERRUPTED: the search is not over" + System.lineSeparator() : "") +
                TuneText.of(report, header) + "written: " + file.path() + System.lineSeparator());
        }
    }

    static ObjectNode json(
        final JsonNode report, final String mode, final String header, final Duration time, final long seed,
        final Path file, final boolean isInterrupted)
    {
        final ObjectNode json = JSON.createObjectNode().put("mode", mode).put("world", header)
            .put("budget_seconds", time.toMillis() / 1e3).put("seed", seed)
            .put("file", file.toString()).put("interrupted", isInterrupted);
        json.set("build", BuildInfo.own().json());
        return json.setAll((ObjectNode)report);
    }

    /** What is chosen stays. */
    private Set<String> fixed(final Settings settings)
    {
        final Set<String> fixed = new TreeSet<>();
        for (final String key : options.isLowLatency() ?
            LowLatencySpace.keys(settings.engine().resolve(TransportRegistry.discover())) : SearchSpace.KEYS)
        {
            if (settings.isChosen(Settings.ROOT + "." + key))
            {
                fixed.add(key);
            }
        }

        return fixed;
    }

    private String header(final EngineConfig config, final RunInput input, final CallInput calls)
    {
        return String.format("%s, %s of %s, hidden %d, top-%d of %s, %s, seed %d, %s%s",
            config.world(), Counted.of(input.tokens(), "token"), input.origin(),
            input.hidden(), input.topk(), Counted.of(input.experts(), "expert"),
            (null == calls ? input.isFp8() : calls.isFp8()) ? InputOptions.FP8 : InputOptions.BF16,
            options.input().seed(), config.nodes() > 1 ? config.scaleOut().transport() + " between nodes, " +
            config.scaleUp().transport() + " within one" : config.scaleUp().transport(),
            null == calls ? "" : ", low latency with at most " + Counted.of(calls.maxTokens(), "token") + " a call");
    }

    private Duration budget()
    {
        return DurationText.parse(budget)
            .filter((duration) -> duration.toMillis() > 0 && duration.compareTo(MOST) <= 0)
            .orElseThrow(() -> CommandException.badInput("--budget " + budget +
                " is not allowed: must be " + DurationText.ALLOWED + ", at most 24h"));
    }
}
