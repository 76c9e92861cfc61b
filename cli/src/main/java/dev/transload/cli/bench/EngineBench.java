/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.lowlatency.CallInput;
import dev.transload.cli.lowlatency.LowLatencyTask;
import dev.transload.cli.lowlatency.MemoryNeed;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RunTask;
import dev.transload.cli.report.RunHeader;
import dev.transload.cli.report.RunHeader.LowLatencyHeader;
import dev.transload.cli.report.Summary;
import dev.transload.cli.run.WorldSettings;
import dev.transload.cli.settings.Settings;
import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import java.util.ArrayList;
import java.util.List;

/** Calls of the engine, beside large puts between the same ranks: what all ranks do, and what came of it. */
final class EngineBench
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int STREAM_BYTES = 1 << 20;
    private static final int STREAM_WINDOW = 8;
    private static final long STREAM_NS = 500_000_000;

    private final EngineMode mode;
    private final Settings settings;
    private final RunHeader header;
    private final InputFigures counted;
    private final EngineBenchTask task;

    private EngineBench(
        final EngineMode mode,
        final Settings settings,
        final RunHeader header,
        final InputFigures counted,
        final EngineBenchTask task)
    {
        this.mode = mode;
        this.settings = settings;
        this.header = header;
        this.counted = counted;
        this.task = task;
    }

    /**
     * Load the input, and check what can be checked before ranks start.
     *
     * @param options   as given.
     * @param transport of both stages.
     * @param devices   ordinals that were asked for.
     * @param given     settings of the world.
     * @param hostRanks ranks of this host.
     * @param isLocal   whether this command starts all ranks.
     */
    static EngineBench prepare(
        final ExchangeOptions options, final String transport, final List<Integer> devices, final Settings given,
        final int hostRanks, final boolean isLocal)
    {
        final EngineMode mode = options.engineMode();
        final int calls = options.calls();
        final ExchangeTask stream = new ExchangeTask(transport, devices, ExchangePattern.ALL_TO_ALL,
            new int[]{ STREAM_BYTES }, 0, STREAM_NS, STREAM_WINDOW, false);
        if (EngineMode.LOW_LATENCY == mode)
        {
            final LowLatencyTask run = LowLatencyTask.of(
                options.input(), calls, calls, ExpertAnswers.DISTINCT, options.isChecking(), null, null);
            try (CallInput input = run.load(LowLatencyConfig.from(given.config())))
            {
                if (KernelRegistry.discover().kindOf(transport).isHost())
                {
                    MemoryNeed.of(input, true).check(hostRanks);
                }

                final Settings fit = WorldSettings.fit(given, input.input(), isLocal);
                return new EngineBench(mode, fit, RunHeader.of(fit.engine(), input.input(), input.isFp8(), calls, calls,
                    options.input().seed(), ExpertAnswers.DISTINCT).with(
                    new LowLatencyHeader(input.maxTokens(), input.calls())),
                    new InputFigures(DeepEpBytes.lowLatency(input.input(), input.isFp8(), input.calls()),
                    RoutingFigures.of(input.input(), fit.engine().world()), input.calls()),
                    new EngineBenchTask(stream, true, JSON.valueToTree(run)));
            }
        }

        try (RunInput input = InputLoader.load(options.input(), given.engine().world()))
        {
            final Settings fit = WorldSettings.fit(given, input, isLocal);
            return new EngineBench(mode, fit, RunHeader.of(fit.engine(), input, input.isFp8(), calls, calls,
                options.input().seed(), ExpertAnswers.DISTINCT), new InputFigures(
                DeepEpBytes.normal(input, fit.engine().world()),
                RoutingFigures.of(input, fit.engine().world()), 1),
                new EngineBenchTask(stream, false, JSON.valueToTree(new RunTask(options.input(), calls, calls, false,
                false, ExpertAnswers.DISTINCT, options.isChecking(), null, null, null))));
        }
    }

    Settings settings()
    {
        return settings;
    }

    EngineBenchTask task()
    {
        return task;
    }

    /** What came of it, by the reports of all ranks. */
    EngineBenchSummary summary(final List<JsonNode> reports)
    {
        final List<RankReport> runs = new ArrayList<>();
        final List<JsonNode> streams = new ArrayList<>();
        for (final JsonNode report : reports)
        {
            streams.add(report.get(EngineBenchRank.STREAM));
            try
            {
                runs.add(JSON.treeToValue(report.get(EngineBenchRank.RUN), RankReport.class));
            }
            catch (final JsonProcessingException ex)
            {
                throw new IllegalStateException("a rank's report cannot be read", ex);
            }
        }

        return new EngineBenchSummary(
            mode, Summary.of(header, runs), new ExchangeSummary(task.stream(), streams), counted);
    }
}
