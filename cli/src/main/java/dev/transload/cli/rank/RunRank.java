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
import dev.transload.engine.CallFailedException;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.ConfigurationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/** The main job of one rank. */
public final class RunRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = RunRank.class.getName();

    private static final int[] NOBODY = {};
    private static final int UNKNOWN = Integer.MAX_VALUE;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final RunChecks.Observer observer;

    /** By rank, as threads of one process may share this task. */
    private final Map<Integer, Made> ranks = new ConcurrentHashMap<>();

    /** What a rank has done in all worlds so far. */
    private static final class Made
    {
        /** Unknown to a process that was started after the first world. */
        private int iterations = UNKNOWN;
        private String failure;

        /** What was found first. */
        private String orElse(final String found)
        {
            return null == failure ? found : failure;
        }
    }

    /**
     * What the iterations came to, all of them or those until a checkpoint.
     *
     * @param times     of calls; of a checkpoint's, more may be added to them.
     * @param figures   of the engine.
     * @param rows      received in each iteration.
     * @param verified  iterations.
     * @param failure   what verification found, null when all is as expected.
     * @param allocated bytes, an iteration once warm.
     * @param processor time, an iteration once warm.
     */
    private record Measured(
        CallTimes times, EngineFigures figures, int rows, int verified, String failure, double allocated,
        RankReport.ProcessorReport processor)
    {
        private Measured first(final int iterations)
        {
            return new Measured(times.first(iterations), figures, rows, verified, failure, allocated, processor);
        }
    }

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
                final Made made = ranks.computeIfAbsent(place.rank(), (rank) -> new Made());
                resume(made, task.warmup() + task.iterations(), place, engine, rendezvous);
                return JSON.valueToTree(run(place, task.after(made.iterations), input, engine, rendezvous, made));
            }
        }
    }

    /**
     * All go on after the last iteration that all ranks have made which know: one may be ahead of the others. The last
     * one of all is made again, so that each rank has a report.
     */
    private static void resume(
        final Made made, final int all, final RankPlace place, final RankEngine rank, final Rendezvous rendezvous)
    {
        if (0 == place.world())
        {
            made.iterations = 0;
            made.failure = null;
            return;
        }

        final ByteBuffer own = ByteBuffer.allocate(Integer.BYTES).putInt(0, made.iterations);
        int least = UNKNOWN;
        for (final ByteBuffer one : rank.beside(() -> rendezvous.allGather("cli.made", own, RunChecks.MEETING)))
        {
            least = Math.min(least, one.getInt(one.position()));
        }

        made.iterations = UNKNOWN == least ? 0 : Math.min(least, all - 1);
    }

    private RankReport run(
        final RankPlace place,
        final RunTask task,
        final RunInput input,
        final RankEngine rank,
        final Rendezvous rendezvous,
        final Made made) throws IOException
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
            final int resumedAt = made.iterations;
            final Member self = rendezvous.member(place.rank());
            final IntConsumer checkpoints = (iteration) ->
            {
                if (iteration >= task.warmup())
                {
                    final Measured measured = measured(calls, meters, checks, made, iteration + 1, warm);
                    place.progress().checkpoint(() -> JSON.valueToTree(report(self, input, engine,
                        measured.first(iteration + 1 - task.warmup()), Double.NaN, null, resumedAt)));
                }
            };
            try
            {
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
                    checks.after(iteration, rendezvous, checkpoints);
                    made.iterations++;
                }

                final Measured measured = new Measured(calls.times(), meters.figures(), calls.delivered().rows(),
                    checks.verified(), made.orElse(checks.failure()), meters.allocatedBytes(all - warm),
                    meters.used(all - warm));
                meet(rank, rendezvous, "cli.exchanged");
                // The others are quiet until it is measured.
                final double memcpy = 0 == place.rank() ? rank.beside(MemoryCopy::bytesPerSecond) : 0.0;
                meet(rank, rendezvous, "cli.measured");
                final RankReport.TokenReport token =
                    null == task.explained() ? null : rank.beside(new TokenExplanation(
                        rendezvous, engine.world(), calls.delivered().handle().explain(), task.explained())::ask);
                return report(self, input, engine, measured, memcpy, token, resumedAt);
            }
            catch (final RendezvousException ex)
            {
                throw RendezvousException.Reason.MEMBER_LOST == ex.reason() ? afterAgreement(calls, ex) : ex;
            }
            finally
            {
                // The rows of an iteration that a loss interrupts may have been verified already.
                made.failure = made.orElse(checks.failure());
            }
        }
    }

    /** Ranks agree within calls on the remaining ones: a rank that learns of a loss elsewhere makes a call, too. */
    private static RuntimeException afterAgreement(final Calls calls, final RendezvousException loss)
    {
        try
        {
            calls.comeTogether();
            return loss;
        }
        catch (final CallFailedException ex)
        {
            ex.addSuppressed(loss);
            return switch (ex.reason())
            {
                case PEER_FAILED, ABORTED_BY_PEER, EVICTED -> ex;
                default -> loss;
            };
        }
    }

    /** In the pause after so many iterations. */
    private static Measured measured(
        final Calls calls, final RunMeters meters, final RunChecks checks, final Made before, final int made,
        final int warm)
    {
        return new Measured(calls.times(), meters.figuresAtPause(), calls.delivered().rows(), checks.verified(),
            before.orElse(checks.failure()), meters.allocatedBytesAtPause(made - warm),
            meters.usedAtPause(made - warm));
    }

    private static RankReport report(
        final Member self,
        final RunInput input,
        final Engine engine,
        final Measured measured,
        final double memcpy,
        final RankReport.TokenReport token,
        final int resumedAt)
    {
        final CallTimes times = measured.times();
        final EngineFigures figures = measured.figures();
        return new RankReport(
            self.rank(), self.processId(), self.host(), input.world().routing(self.rank()).tokens(),
            measured.rows(), engine.config().channels(), Expectation.isExpertMajor(engine.config()),
            measured.verified(), measured.failure(), times.dispatchNs(), times.combineNs(), times.lapNs(),
            times.interrupted(),
            figures.dispatchScaleOutBytes(), figures.dispatchScaleUpBytes(),
            figures.combineScaleOutBytes(), figures.combineScaleUpBytes(), measured.allocated(),
            measured.processor(),
            figures.roles(), figures.waitNsPerRank(), figures.waits(),
            RankReport.TransportReport.of(engine.transports(), engine.config()),
            engine.config().payloadKind().name(), engine.config().device(), memcpy, NOBODY, NOBODY, null,
            token, resumedAt);
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
