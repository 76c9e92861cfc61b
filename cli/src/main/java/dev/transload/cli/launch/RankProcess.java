/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.program.Interrupts;
import dev.transload.cli.program.StandardStreams;
import dev.transload.cli.settings.Settings;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Entry of a rank's process. It reads its plan from standard input, tells of its progress and its end on standard
 * output, and ends at once when standard input does, since then its launcher is gone.
 */
public final class RankProcess
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int DELETE_ROUNDS = 3;
    private static final long ROUND_NS = TimeUnit.MILLISECONDS.toNanos(300);

    private RankProcess()
    {
    }

    /**
     * Entry.
     *
     * @param args none.
     * @throws IOException when there is no plan to read.
     */
    public static void main(final String[] args) throws IOException
    {
        StandardStreams.claim();
        Interrupts.ignoreKeyboard();
        final int rank = Integer.getInteger(Settings.RANK_PROPERTY);
        final BufferedReader stdin = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final LaunchPlan plan = JSON.readValue(stdin.readLine(), LaunchPlan.class);
        final RankEvents events = new RankEvents(StandardStreams.result());
        endWithLauncher(stdin, plan, events);
        System.exit(run(rank, plan, events, events));
    }

    /**
     * Run the task of a plan.
     *
     * @param rank     of this process.
     * @param plan     of its launcher.
     * @param events   to which the end is told.
     * @param progress of the task.
     * @return exit code.
     */
    public static int run(final int rank, final LaunchPlan plan, final RankEvents events, final Progress progress)
    {
        final Settings settings = Settings.parse(plan.settings());
        final AtomicReference<Rendezvous> joined = new AtomicReference<>();
        final Supplier<Rendezvous> rendezvous = () ->
        {
            joined.set(JGroupsRendezvous.join(JGroupsRendezvousConfig.from(settings.config())
                .rank(rank).worldSize(plan.worldSize()).build()));
            events.joined();
            return joined.get();
        };
        try
        {
            events.done(task(plan.taskName()).run(
                new RankPlace(rank, settings, rendezvous, progress), plan.task()));
            return ExitCodes.DONE;
        }
        catch (final Exception | Error ex)
        {
            final Outcome outcome = Outcome.of(ex);
            events.failed(outcome);
            System.err.print(outcome.trace());
            return outcome.exitCode();
        }
        finally
        {
            if (null != joined.get())
            {
                joined.get().close();
            }
        }
    }

    /** By the name of its class, so that this package knows none of the commands. */
    private static RankTask task(final String name) throws ReflectiveOperationException
    {
        return Class.forName(name).asSubclass(RankTask.class).getConstructor().newInstance();
    }

    /**
     * The launcher may ask for what this rank has; whatever the end of its stream, it is gone. The last rank clears up.
     *
     * @param stdin  behind the plan.
     * @param plan   of the launcher.
     * @param events to tell what it asks for.
     */
    public static void endWithLauncher(final BufferedReader stdin, final LaunchPlan plan, final RankEvents events)
    {
        final Thread watch = new Thread(() ->
        {
            try
            {
                while (RankChild.ASK.equals(stdin.readLine()))
                {
                    events.partial();
                }
            }
            catch (final IOException ex)
            {
                System.err.println("the launcher's stream broke: " + ex.getMessage());
            }

            // This rank's other threads still run and may make a folder anew: once more, when they have failed.
            for (int round = 0; round < DELETE_ROUNDS; round++)
            {
                for (final String folder : plan.folders())
                {
                    PrivateFolder.delete(Path.of(folder));
                }

                LockSupport.parkNanos(ROUND_NS);
            }

            Runtime.getRuntime().halt(ExitCodes.PEER_FAILED);
        }, "transload-launcher-watch");
        watch.setDaemon(true);
        watch.start();
    }
}
