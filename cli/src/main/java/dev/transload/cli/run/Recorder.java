/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.input.RunInput;
import dev.transload.cli.lowlatency.CallInput;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.report.RunHeader;
import dev.transload.engine.BadInputException;
import dev.transload.engine.CreditMode;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.Near;
import dev.transload.engine.OutputLayout;
import dev.transload.engine.SizeConfig;
import dev.transload.engine.StageConfig;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.recording.Fault;
import dev.transload.engine.recording.LowLatencyRecording;
import dev.transload.engine.recording.NormalRecording;
import dev.transload.engine.recording.RankRoutes;
import dev.transload.engine.recording.Recording;
import dev.transload.engine.recording.RecordingFile;
import dev.transload.engine.recording.WorldShape;
import dev.transload.kernels.ElementType;
import dev.transload.reference.Routing;
import dev.transload.spi.TransportRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a run needs to be made again by {@code transload replay}: written when it begins, and again with its losses. */
final class Recorder
{
    private static final String ONE = "one";
    private static final String TWO = "two";
    private static final String DEVICE = "device";
    private static final String HOST = "host";
    private static final long LONGEST_TIMEOUT_NS = 60_000_000_000L;
    private static final long SHORTEST_TIMEOUT_NS = 1_000_000L;

    private final Path file;
    private final Recording recording;

    private Recorder(final Path file, final Recording recording)
    {
        this.file = file;
        this.recording = recording;
    }

    /**
     * Write what is known before the run.
     *
     * @param file      to write.
     * @param recording of the run.
     * @return recorder.
     * @throws CommandException where it cannot be written, or is too large to be replayed.
     */
    static Recorder begin(final String file, final Recording recording)
    {
        final Recorder recorder = new Recorder(Path.of(file), recording);
        try
        {
            recording.check();
        }
        catch (final BadInputException ex)
        {
            throw CommandException.badInput("--record " + file + ": this run cannot be replayed: " + ex.getMessage(),
                ex);
        }

        recorder.write(recording);
        return recorder;
    }

    /** Add the ranks that others went on without, which only low latency does. */
    void end(final List<RankReport> reports)
    {
        final SortedMap<Integer, Integer> lost = new TreeMap<>();
        for (final RankReport report : reports)
        {
            for (int i = 0; i < report.masked().length; i++)
            {
                lost.merge(report.masked()[i], report.maskedAfter()[i], Math::min);
            }
        }

        if (recording instanceof final LowLatencyRecording lowLatency && !lost.isEmpty())
        {
            write(lowLatency.withFaults(lost.entrySet().stream()
                .map((one) -> new Fault(one.getKey(), Fault.KILL, null, one.getValue()))
                .sorted(Comparator.comparing(Fault::afterCalls)).toList()));
        }
    }

    private void write(final Recording what)
    {
        try
        {
            RecordingFile.write(what, file);
        }
        catch (final IOException ex)
        {
            throw new CommandException(
                ExitCodes.BAD_INPUT, "--record " + file + ": it cannot be written: " + ex, ex);
        }
    }

    static Recording ofNormal(
        final EngineConfig config, final RunInput input, final RunHeader header, final boolean isCached,
        final boolean isTopkOnDevice)
    {
        final boolean isOfHost = isOfHost(config);
        return new NormalRecording(Recording.FORMAT, Recording.VERSION, source(header), NormalRecording.MODE,
            new WorldShape(config.world().ranksOfNodes()),
            new NormalRecording.Input(header.seed(), input.experts(), input.topk(), input.hidden(), header.dtype(),
            null, routes(input)),
            new NormalRecording.Settings(
            OutputLayout.EXPERT_MAJOR == config.output() ? "expert-major" : "rank-major", config.expertAlignment(),
            config.channels(), config.maxTopk(), lower(config.placement()),
            SizeConfig.AUTO == config.sizes().tableMemory() ? "auto" : config.sizes().tableMemory() + " B",
            ElementType.F32 == config.combineWire() ? "f32" : "bf16", stage(config.scaleOut()),
            stage(config.scaleUp())),
            new NormalRecording.Fabric(isOfHost ? HOST : DEVICE, isTopkOnDevice ? "payload" : HOST,
            1 == config.nodes() ? ONE : !isOfHost ? "staged" : networks(config), true, true),
            new NormalRecording.Calls(
            "iterations", header.warmup() + header.iterations(), isCached, 0, "received"),
            List.of(), header.seed());
    }

    static Recording ofLowLatency(final LowLatencyConfig config, final CallInput input, final RunHeader header)
    {
        final List<List<RankRoutes>> routes = new ArrayList<>();
        for (int call = 0; call < input.calls(); call++)
        {
            final List<RankRoutes> ofCall = new ArrayList<>();
            for (int rank = 0; rank < input.ranks(); rank++)
            {
                ofCall.add(RankRoutes.of(part(input, rank, call)));
            }

            routes.add(ofCall);
        }

        return new LowLatencyRecording(Recording.FORMAT, Recording.VERSION, source(header), LowLatencyRecording.MODE,
            new WorldShape(config.common().world().ranksOfNodes()),
            new LowLatencyRecording.Input(header.seed(), input.input().experts(), input.input().topk(),
            input.input().hidden(), header.dtype(), null, routes),
            new LowLatencyRecording.Settings(config.maxTokens(), config.channels(),
            Near.NEVER == config.near() ? "never" : "auto",
            Math.max(SHORTEST_TIMEOUT_NS, Math.min(LONGEST_TIMEOUT_NS, config.timeout().toNanos())), "AMAX", "ROWS"),
            new LowLatencyRecording.Fabric(isOfHost(config.common()) ? HOST : DEVICE,
            1 == config.common().nodes() ? ONE : networks(config.common()), true),
            new LowLatencyRecording.Calls(
            Math.multiplyExact(header.warmup() + header.iterations(), input.calls()), "none", false, true),
            List.of(), header.seed());
    }

    private static Routing part(final CallInput input, final int rank, final int call)
    {
        final Routing all = input.input().world().routing(rank);
        final int tokens = input.tokens(rank, call);
        final long[] idx = new long[tokens * all.topk()];
        final float[] weights = new float[idx.length];
        final int begin = Math.min(input.first(call) * all.topk(), all.idx().length);
        System.arraycopy(all.idx(), begin, idx, 0, idx.length);
        System.arraycopy(all.weights(), begin, weights, 0, weights.length);
        return new Routing(tokens, all.topk(), idx, weights);
    }

    private static List<RankRoutes> routes(final RunInput input)
    {
        final List<RankRoutes> routes = new ArrayList<>();
        for (int rank = 0; rank < input.world().ranks(); rank++)
        {
            routes.add(RankRoutes.of(input.world().routing(rank)));
        }

        return routes;
    }

    private static String source(final RunHeader header)
    {
        return "transload run, " + header.origin();
    }

    private static NormalRecording.Stage stage(final StageConfig stage)
    {
        return new NormalRecording.Stage(
            stage.chunk(), stage.ring(), stage.creditBatch(), CreditMode.PULL == stage.credit() ? "pull" : "push");
    }

    private static boolean isOfHost(final EngineConfig config)
    {
        return config.payload().isAuto() ? KernelRegistry.discover().kindOf(
            config.resolve(TransportRegistry.discover()).scaleUp().transport()).isHost() :
            config.payloadKind().isHost();
    }

    private static String networks(final EngineConfig config)
    {
        final EngineConfig resolved = config.resolve(TransportRegistry.discover());
        return resolved.scaleOut().transport().equals(resolved.scaleUp().transport()) ? ONE : TWO;
    }

    private static String lower(final Enum<?> value)
    {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
