/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.settings.Settings;
import dev.transload.rendezvous.InMemoryRendezvous;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Ranks as threads of this JVM. */
public final class LocalThreads
{
    private final Progress progress;

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
        final List<InMemoryRendezvous> world = InMemoryRendezvous.world(worldSize);
        final JsonNode[] reports = new JsonNode[worldSize];
        final Outcome[] outcomes = new Outcome[worldSize];
        final List<Thread> threads = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++)
        {
            final int own = rank;
            final Thread thread = new Thread(() ->
            {
                try (InMemoryRendezvous rendezvous = world.get(own))
                {
                    reports[own] = task.run(new RankPlace(own, settings, () -> rendezvous, progress), description);
                    outcomes[own] = Outcome.DONE;
                }
                catch (final Exception | Error ex)
                {
                    outcomes[own] = Outcome.of(ex);
                }
            }, "transload-rank-" + rank);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }

        join(threads);
        final Outcome verdict = verdict(outcomes);
        return new RanksResult(verdict, ExitCodes.DONE == verdict.exitCode() ? Arrays.asList(reports) : List.of());
    }

    /** Each rank's waits have deadlines, so that each ends by itself. */
    private static void join(final List<Thread> threads)
    {
        try
        {
            for (final Thread thread : threads)
            {
                thread.join();
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCodes.FAILED, "interrupted while ranks were running", ex);
        }
    }

    private static Outcome verdict(final Outcome[] outcomes)
    {
        final List<Outcome> failures =
            Arrays.stream(outcomes).filter((outcome) -> ExitCodes.DONE != outcome.exitCode()).toList();
        return failures.isEmpty() ? Outcome.DONE :
            failures.stream().filter((failure) -> !failure.isEcho()).findFirst().orElse(failures.get(0));
    }
}
