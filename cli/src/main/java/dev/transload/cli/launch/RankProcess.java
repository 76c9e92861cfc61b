/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.program.Interrupts;
import dev.transload.cli.program.StandardStreams;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.CallFailedException;
import dev.transload.engine.GroupChangedException;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.PeerFailedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
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
        System.exit(run(rank, plan, stdin, events, events));
    }

    /**
     * Run the task of a plan, in each world that the launcher has this rank join.
     *
     * @param rank     of this process.
     * @param plan     of its launcher.
     * @param stdin    behind the plan: the launcher's orders, whose end ends this process.
     * @param events   to which the end is told.
     * @param progress of the task.
     * @return exit code.
     */
    public static int run(
        final int rank, final LaunchPlan plan, final BufferedReader stdin, final RankEvents events,
        final Progress progress)
    {
        final Orders orders = new Orders(plan.world());
        endWithLauncher(stdin, plan, events, orders);
        try
        {
            final RankTask task = task(plan.taskName());
            LaunchPlan next = plan;
            while (!isDone(rank, next, task, events, progress, orders))
            {
                final OptionalInt world = orders.awaitNext(next.world());
                if (world.isEmpty())
                {
                    break;
                }

                next = plan.with(world.getAsInt());
            }

            return ExitCodes.DONE;
        }
        catch (final Exception | Error ex)
        {
            final Outcome outcome = Outcome.of(ex);
            events.failed(outcome);
            System.err.print(outcome.trace());
            return outcome.exitCode();
        }
    }

    /**
     * Run the task in one world.
     *
     * @return whether this process may end: not where ranks are started again, before all are done.
     */
    private static boolean isDone(
        final int rank, final LaunchPlan plan, final RankTask task, final RankEvents events, final Progress progress,
        final Orders orders) throws Exception
    {
        final Settings settings = Settings.parse(plan.settings());
        final boolean isRestarting = PeerLoss.RESTART == plan.loss();
        final AtomicReference<Rendezvous> joined = new AtomicReference<>();
        final Supplier<Rendezvous> rendezvous = () ->
        {
            joined.set(orders.joining(plan.world(), () ->
                JGroupsRendezvous.join(JGroupsRendezvousConfig.from(settings.config())
                    .rank(rank).worldSize(plan.worldSize()).generation(plan.world()).build())));
            events.joined();
            return joined.get();
        };
        events.enter(plan.world());
        try
        {
            events.done(task.run(new RankPlace(rank, settings, rendezvous, progress, plan.world()), plan.task()));
            return !isRestarting;
        }
        catch (final CallFailedException | RendezvousException | PeerFailedException ex)
        {
            if (!isRestarting)
            {
                throw ex;
            }

            if (null == joined.get() && orders.isOver(plan.world()))
            {
                // The wait for this world ended because of a later one.
                return false;
            }

            if (!isLoss(ex))
            {
                throw ex;
            }

            events.lost(ex instanceof final GroupChangedException change ? change.dead() : List.of(), Outcome.of(ex));
            return false;
        }
        finally
        {
            if (null != joined.get())
            {
                joined.get().close();
            }
        }
    }

    /** Whether others may have the same to tell, as opposed to a deadline that passed, or bad input. */
    private static boolean isLoss(final RuntimeException failure)
    {
        if (failure instanceof final RendezvousException rendezvous)
        {
            return RendezvousException.Reason.MEMBER_LOST == rendezvous.reason() ||
                RendezvousException.Reason.CLOSED == rendezvous.reason();
        }

        if (failure instanceof final CallFailedException call)
        {
            return switch (call.reason())
            {
                case PEER_FAILED, ABORTED_BY_PEER, EVICTED -> true;
                default -> null != call.getCause() && call.getCause() instanceof final RuntimeException cause &&
                    isLoss(cause);
            };
        }

        return failure instanceof PeerFailedException;
    }

    /** By the name of its class, so that this package knows none of the commands. */
    private static RankTask task(final String name) throws ReflectiveOperationException
    {
        return Class.forName(name).asSubclass(RankTask.class).getConstructor().newInstance();
    }

    /** The launcher may ask for what this rank has; when its stream ends, it is gone. The last rank clears up. */
    private static void endWithLauncher(
        final BufferedReader stdin, final LaunchPlan plan, final RankEvents events, final Orders orders)
    {
        final Thread watch = new Thread(() ->
        {
            try
            {
                for (String line = stdin.readLine(); null != line; line = stdin.readLine())
                {
                    follow(line, events, orders);
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

    private static void follow(final String order, final RankEvents events, final Orders orders)
    {
        if (RankChild.ASK.equals(order))
        {
            events.partial();
        }
        else if (RankChild.END.equals(order))
        {
            orders.end();
        }
        else if (order.startsWith(RankChild.JOIN))
        {
            orders.join(Integer.parseInt(order.substring(RankChild.JOIN.length())));
        }
    }
}
