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
import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.ConfigurationException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The main job of one rank. */
public final class RunRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = RunRank.class.getName();

    private static final int[] NOBODY = {};
    private static final ObjectMapper JSON = new ObjectMapper();

    private final RunChecks.Observer observer;

    /** Observed by nobody. */
    public RunRank()
    {
        this(RunChecks.Observer.NONE);
    }

    /**
     * Observed.
     *
     * @param observer told of each verified iteration of each rank.
     */
    RunRank(final RunChecks.Observer observer)
    {
        this.observer = observer;
    }

    @Override
    public JsonNode run(final RankPlace place, final JsonNode description) throws IOException
    {
        final RunTask task = read(description);
        final EngineConfig config = place.settings().engine();
        try (RunInput input = InputLoader.load(task.input(), config.world()))
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

    private RankReport run(
        final RankPlace place,
        final RunTask task,
        final RunInput input,
        final RankEngine rank,
        final Rendezvous rendezvous) throws IOException
    {
        final Engine engine = rank.engine();
        final RankTensors tensors =
            rank.beside(() -> new RankTensors(engine, input, place.rank(), task.topkOnDevice()));
        try (Calls calls = new Calls(rank, input, tensors, task.warmup(), task.iterations(), task.cached(),
            ExpertAnswers.DISTINCT.equals(task.answers())))
        {
            final RunMeters meters = new RunMeters(engine, calls.times());
            final RunChecks checks = new RunChecks(place, rank, task, input, tensors, calls, meters, observer);
            final int all = task.warmup() + task.iterations();
            final int warm = task.warmup() + task.iterations() / 2;
            for (int iteration = 0; iteration < all; iteration++)
            {
                checks.before(iteration);
                if (iteration == task.warmup())
                {
                    meters.beginFigures();
                }

                if (iteration == warm)
                {
                    meters.beginSteady();
                }

                calls.run(checks.isNext(iteration), meters::pause, () ->
                {
                    calls.comeTogether();
                    meters.resume();
                });
                place.progress().step("exchanging", iteration + 1, all);
                checks.after(iteration, rendezvous);
            }

            final double allocated = meters.allocatedBytes(all - warm);
            final RankReport.ProcessorReport used = meters.used(all - warm);
            final EngineFigures figures = meters.figures();
            meet(rank, rendezvous, "cli.exchanged");
            // The others are quiet until it is measured.
            final double memcpy = 0 == place.rank() ? rank.beside(MemoryCopy::bytesPerSecond) : 0.0;
            meet(rank, rendezvous, "cli.measured");
            final RankReport.TokenReport token = null == task.explained() ? null : rank.beside(new TokenExplanation(
                rendezvous, engine.world(), calls.delivered().handle().explain(), task.explained())::ask);
            final Member self = rendezvous.member(place.rank());
            return report(self, input, engine, calls, figures, checks, allocated, used, memcpy, token);
        }
    }

    private static RankReport report(
        final Member self,
        final RunInput input,
        final Engine engine,
        final Calls calls,
        final EngineFigures figures,
        final RunChecks checks,
        final double allocated,
        final RankReport.ProcessorReport processor,
        final double memcpy,
        final RankReport.TokenReport token)
    {
        return new RankReport(
            self.rank(), self.processId(), self.host(), input.world().routing(self.rank()).tokens(),
            calls.delivered().rows(), engine.config().channels(), Expectation.isExpertMajor(engine.config()),
            checks.verified(), checks.failure(), calls.times().dispatchNs(), calls.times().combineNs(),
            calls.times().lapNs(), calls.times().interrupted(),
            figures.dispatchScaleOutBytes(), figures.dispatchScaleUpBytes(),
            figures.combineScaleOutBytes(), figures.combineScaleUpBytes(), allocated, processor,
            figures.roles(), figures.waitNsPerRank(), figures.waits(),
            engine.transports().stream().map(RankReport.TransportReport::of).toList(),
            engine.config().payloadKind().name(), engine.config().device(), memcpy, NOBODY, token);
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
        rank.beside(() -> rendezvous.allGather(topic, ByteBuffer.allocate(0), RunChecks.MEETING));
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
