/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.program.Interrupts;
import dev.transload.cli.settings.Settings;
import dev.transload.rendezvous.InMemoryRendezvous;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ranks as threads of this JVM. */
public final class LocalThreads
{
    private static final Logger LOG = LoggerFactory.getLogger(LocalThreads.class);
    private static final long LOOK_MS = 50;

    private final Progress progress;

    /** Steps of a rank go on to all ranks' progress; its checkpoint is its own. */
    private static final class RankProgress implements Progress
    {
        private final Progress all;
        private volatile Supplier<JsonNode> checkpoint = () -> null;

        private RankProgress(final Progress all)
        {
            this.all = all;
        }

        @Override
        public void step(final String stage, final long done, final long count)
        {
            all.step(stage, done, count);
        }

        @Override
        public void found(final JsonNode finding)
        {
            all.found(finding);
        }

        @Override
        public void note(final String line)
        {
            all.note(line);
        }

        @Override
        public void checkpoint(final Supplier<JsonNode> report)
        {
            checkpoint = report;
        }

        private JsonNode partial()
        {
            return checkpoint.get();
        }
    }

    /**
     * Prepare.
     *
     * @param progress to tell of the ranks' steps.
     */
    public LocalThreads(final Progress progress)
    {
        this.progress = progress;
    }

    /**
     * Run a task on all ranks.
     *
     * @param task        of each rank.
     * @param description of the task.
     * @param settings    equal on all ranks.
     * @param worldSize   number of ranks.
     * @return result once no thread is left.
     */
    public RanksResult run(
        final RankTask task, final JsonNode description, final Settings settings, final int worldSize)
    {
        final CompletableFuture<Integer> signal = new CompletableFuture<>();
        final Interrupts.Watch watch = Interrupts.tell(signal::complete);
        try
        {
            return run(task, description, settings, worldSize, signal);
        }
        finally
        {
            watch.close();
        }
    }

    private RanksResult run(
        final RankTask task,
        final JsonNode description,
        final Settings settings,
        final int worldSize,
        final CompletableFuture<Integer> signal)
    {
        final List<InMemoryRendezvous> world = InMemoryRendezvous.world(worldSize);
        final JsonNode[] reports = new JsonNode[worldSize];
        final Outcome[] outcomes = new Outcome[worldSize];
        final List<RankProgress> steps = Stream.generate(() -> new RankProgress(progress)).limit(worldSize).toList();
        final CountDownLatch running = new CountDownLatch(worldSize);
        for (int rank = 0; rank < worldSize; rank++)
        {
            final int own = rank;
            final Thread thread = new Thread(() ->
            {
                try (InMemoryRendezvous rendezvous = world.get(own))
                {
                    reports[own] =
                        task.run(new RankPlace(own, settings, () -> rendezvous, steps.get(own)), description);
                    outcomes[own] = Outcome.DONE;
                }
                catch (final Exception | Error ex)
                {
                    outcomes[own] = Outcome.of(ex);
                }

                running.countDown();
            }, "transload-rank-" + rank);
            thread.setDaemon(true);
            thread.start();
        }

        awaitEndOrSignal(running, signal);
        if (running.getCount() > 0)
        {
            return RanksResult.interrupted(signal.join(), partials(reports, steps), List.of());
        }

        final Outcome verdict = verdict(outcomes);
        return new RanksResult(verdict, ExitCodes.DONE == verdict.exitCode() ? Arrays.asList(reports) : List.of());
    }

    /** Each rank's waits have deadlines, so that each ends by itself; after a signal, threads end with the JVM. */
    private static void awaitEndOrSignal(final CountDownLatch running, final CompletableFuture<Integer> signal)
    {
        try
        {
            while (!running.await(LOOK_MS, TimeUnit.MILLISECONDS) && !signal.isDone())
            {
                LOG.trace("{} ranks are running", running.getCount());
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCodes.FAILED, "interrupted while ranks were running", ex);
        }
    }

    private static List<JsonNode> partials(final JsonNode[] reports, final List<RankProgress> steps)
    {
        final List<JsonNode> partials = new ArrayList<>();
        for (int rank = 0; rank < reports.length; rank++)
        {
            partials.add(null != reports[rank] ? reports[rank] : steps.get(rank).partial());
        }

        return partials;
    }

    private static Outcome verdict(final Outcome[] outcomes)
    {
        final List<Outcome> failures =
            Arrays.stream(outcomes).filter((outcome) -> ExitCodes.DONE != outcome.exitCode()).toList();
        return failures.isEmpty() ? Outcome.DONE :
            failures.stream().filter((failure) -> !failure.isEcho()).findFirst().orElse(failures.get(0));
    }
}
