/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.verify.Expectation;
import dev.transload.cli.verify.Injection;
import dev.transload.cli.verify.Outputs;
import dev.transload.cli.verify.Verification;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.EngineStatistics;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.ConfigurationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;

/** The main job of one rank. */
public final class RunRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = "run";

    private static final int[] NOBODY = {};
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Verification of one rank may take much longer than that of another. */
    private static final Duration MEETING = Duration.ofMinutes(10);

    @Override
    public JsonNode run(final RankPlace place, final JsonNode description) throws IOException
    {
        final RunTask task = read(description);
        final EngineConfig config = place.settings().engine();
        try (RunInput input = InputLoader.load(task.input(), config.nodes(), config.ranksPerNode()))
        {
            place.progress().step("connecting", 0, 1);
            final Rendezvous rendezvous = place.rendezvous().get();
            try (MetricsServer metrics = MetricsServer.open(place);
                RankEngine engine = RankEngine.open(config, rendezvous))
            {
                metrics.serve(engine.engine());
                checkTopk(task, engine.engine().config());
                return JSON.valueToTree(run(place, task, input, engine, rendezvous));
            }
        }
    }

    private static RankReport run(
        final RankPlace place,
        final RunTask task,
        final RunInput input,
        final RankEngine rank,
        final Rendezvous rendezvous) throws IOException
    {
        final Engine engine = rank.engine();
        final RankTensors tensors =
            rank.beside(() -> new RankTensors(engine, input, place.rank(), task.topkOnDevice()));
        final Expectation expectation = rank.beside(() -> new Expectation(input, place.rank(), engine.config()));
        String failure = rank.beside(() ->
            Verification.ofLayout(expectation, engine.layout(tensors.topkIdx(), input.experts())));
        try (Calls calls = new Calls(rank, input, tensors, task.warmup(), task.iterations(), task.cached()))
        {
            final AllocationMeter meter = new AllocationMeter(engine.config());
            final int all = task.warmup() + task.iterations();
            final int warm = task.warmup() + task.iterations() / 2;
            EngineStatistics before = null;
            long allocatedBefore = 0;
            ProcessorMeter processor = null;
            for (int iteration = 0; iteration < all; iteration++)
            {
                if (iteration == task.warmup())
                {
                    before = engine.statistics();
                }

                if (iteration == warm)
                {
                    allocatedBefore = meter.bytes();
                    processor = new ProcessorMeter();
                }

                calls.run();
                place.progress().step("exchanging", iteration + 1, all);
                if (0 == iteration && all > 1)
                {
                    failure = or(failure, rank.beside(() -> verify(place, engine, expectation, calls)));
                    meet(rank, rendezvous, "cli.first-verified");
                }
            }

            final int warmed = all - warm;
            final double allocated = (meter.bytes() - allocatedBefore) / (double)warmed;
            final RankReport.ProcessorReport used = processor.used(warmed);
            final EngineFigures figures = EngineFigures.between(before, engine.statistics());
            meet(rank, rendezvous, "cli.exchanged");
            // The others are quiet until it is measured.
            final double memcpy = 0 == place.rank() ? rank.beside(MemoryCopy::bytesPerSecond) : 0.0;
            meet(rank, rendezvous, "cli.measured");

            final boolean isLastWeighted = !task.cached() || 1 == all;
            failure = or(failure, rank.beside(() -> conclude(
                place, task, engine, isLastWeighted ? expectation : expectation.withoutWeights(), calls, tensors)));

            meet(rank, rendezvous, "cli.verified");
            final Member self = rendezvous.member(place.rank());
            return report(self, input, engine, calls, figures, failure, allocated, used, memcpy);
        }
    }

    private static String verify(
        final RankPlace place, final Engine engine, final Expectation expectation, final Calls calls)
    {
        try (HostMirrors mirrors = new HostMirrors(engine::allocateHost))
        {
            return Verification.of(expectation, mirrors.of(calls.outputs()), place.progress());
        }
    }

    /** Verifies what the last iteration left, spoilt before if asked for, and writes it. */
    private static String conclude(
        final RankPlace place,
        final RunTask task,
        final Engine engine,
        final Expectation expectation,
        final Calls calls,
        final RankTensors tensors)
    {
        try (HostMirrors mirrors = new HostMirrors(engine::allocateHost))
        {
            Outputs outputs = mirrors.of(calls.outputs());
            if (null != task.injection())
            {
                outputs = Injection.named(task.injection()).spoil(expectation, outputs);
            }

            final String failure = Verification.of(expectation, outputs, place.progress());
            if (null != task.output())
            {
                new RankFile(expectation, outputs, tensors, mirrors).write(Path.of(task.output()));
            }

            return failure;
        }
    }

    private static RankReport report(
        final Member self,
        final RunInput input,
        final Engine engine,
        final Calls calls,
        final EngineFigures figures,
        final String failure,
        final double allocated,
        final RankReport.ProcessorReport processor,
        final double memcpy)
    {
        return new RankReport(
            self.rank(), self.processId(), self.host(), input.world().routing(self.rank()).tokens(),
            calls.delivered().rows(), engine.config().channels(), Expectation.isExpertMajor(engine.config()), failure,
            calls.times().dispatchNs(), calls.times().combineNs(), calls.times().lapNs(),
            figures.dispatchScaleOutBytes(), figures.dispatchScaleUpBytes(),
            figures.combineScaleOutBytes(), figures.combineScaleUpBytes(), allocated, processor,
            figures.roles(), figures.waitNsPerRank(), figures.waits(),
            engine.transports().stream().map(RankReport.TransportReport::of).toList(),
            engine.config().payloadKind().name(), engine.config().device(), memcpy, NOBODY);
    }

    private static void checkTopk(final RunTask task, final EngineConfig resolved)
    {
        if (task.topkOnDevice() && resolved.payloadKind().isHost())
        {
            throw new ConfigurationException("--topk-on device is not allowed: rows are in HOST memory, it needs a " +
                "transport of devices, as --scale-up nvlink, and their transload.payload.kind");
        }
    }

    private static void meet(final RankEngine rank, final Rendezvous rendezvous, final String topic)
    {
        rank.beside(() -> rendezvous.allGather(topic, ByteBuffer.allocate(0), MEETING));
    }

    private static String or(final String first, final String second)
    {
        return null == first ? second : first;
    }

    private static RunTask read(final JsonNode description)
    {
        try
        {
            return JSON.treeToValue(description, RunTask.class);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalArgumentException("the task of this rank cannot be read", ex);
        }
    }
}
