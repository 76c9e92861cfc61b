/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.launch.RanksResult.Restart;
import dev.transload.cli.outcome.Counted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Starts the processes of lost ranks again, and has all ranks meet in the next world. For the supervisor's thread. */
final class Restarts
{
    /** For runs that start no rank again. */
    static final Restarts NONE = new Restarts(0, 0, Duration.ZERO, (rank, world) ->
    {
        throw new IllegalStateException("no rank is started again");
    });

    private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    /** Starts a rank's process, which joins a world. */
    @FunctionalInterface
    interface Starter
    {
        /** Its news go where those of the others do. */
        RankChild start(int rank, int world);
    }

    private final int limit;
    private final Starter starter;
    private final Losses losses;
    private final Map<Integer, String> causes = new TreeMap<>();
    private final List<Restart> made = new ArrayList<>();
    private int pending;
    private int meetings;
    private long sinceNs;
    private int world;

    /**
     * Prepare.
     *
     * @param ranks   of the world.
     * @param limit   number of processes that are started again, of all ranks together.
     * @param grace   in which ranks tell of a loss; a rank that tells nothing is lost, too.
     * @param starter of processes.
     */
    Restarts(final int ranks, final int limit, final Duration grace, final Starter starter)
    {
        this.limit = limit;
        this.starter = starter;
        this.losses = new Losses(ranks, grace);
    }

    /** Whether an event is of an earlier world; not known of all. */
    boolean isOver(final RankEvents.Event event)
    {
        return event instanceof final RankEvents.Done done && done.world() != world ||
            event instanceof final RankEvents.Joined joined && joined.world() != world ||
            event instanceof final RankEvents.Lost lost && lost.world() != world;
    }

    /** Whether this is not the first world. */
    boolean isLater()
    {
        return world > 0;
    }

    void formed(final Progress progress)
    {
        losses.formed();
        if (pending > 0)
        {
            final double seconds = (System.nanoTime() - sinceNs) / NS_PER_S;
            for (int i = made.size() - pending; i < made.size(); i++)
            {
                made.set(i, new Restart(made.get(i).rank(), made.get(i).cause(), seconds));
            }

            pending = 0;
            progress.note(String.format("all ranks met again, %.1f s after the loss was noticed", seconds));
        }
    }

    /** A process ended. */
    void gone(final int rank, final String cause)
    {
        causes.put(rank, cause);
        losses.gone(rank, System.nanoTime());
    }

    /** A rank says that ranks were lost. */
    void told(final int rank, final RankEvents.Lost lost)
    {
        losses.told(rank, lost.lost(), System.nanoTime());
    }

    /** A rank's task is done. */
    void done(final int rank)
    {
        losses.done(rank);
    }

    long leftNs(final long nowNs)
    {
        return losses.leftNs(nowNs);
    }

    /** Ranks to start again, none if all only have to meet again; empty while there is no reason, or no certainty. */
    Optional<BitSet> due(final long nowNs)
    {
        return losses.verdict(nowNs);
    }

    /** Whether so many may still be started. A world in which none is counts as one, so that there is an end. */
    boolean mayStart(final int processes)
    {
        return made.size() + meetings + Math.max(1, processes) <= limit;
    }

    /** How those processes ended that are not started again yet. */
    Collection<String> causes()
    {
        return causes.values();
    }

    String allowed()
    {
        return Counted.of(limit, "restart") + (1 == limit ? " is" : " are") + " allowed";
    }

    /** Oldest first. */
    List<Restart> made()
    {
        return List.copyOf(made);
    }

    /**
     * Begin the next world. What is left of a lost process can reach nothing any more when this returns.
     *
     * @param children by rank, in which processes are replaced.
     * @param lost     ranks.
     * @param progress to tell.
     */
    void begin(final List<RankChild> children, final BitSet lost, final Progress progress)
    {
        sinceNs = 0 == pending ? losses.sinceNs() : sinceNs;
        world++;
        if (lost.isEmpty())
        {
            meetings++;
            progress.note("ranks lost each other, but no process ended: they meet again");
        }

        for (int rank = lost.nextSetBit(0); rank >= 0; rank = lost.nextSetBit(rank + 1))
        {
            final RankChild old = children.get(rank);
            old.kill();
            old.awaitEnd();
            final String cause = causes.getOrDefault(rank, old.describeSilence());
            children.set(rank, starter.start(rank, world));
            made.add(new Restart(rank, cause, Double.NaN));
            pending++;
            progress.note(cause + "; it is started again (pid " + children.get(rank).pid() + ")");
        }

        for (int rank = 0; rank < children.size(); rank++)
        {
            if (!lost.get(rank))
            {
                children.get(rank).tell(RankChild.JOIN + world);
            }
        }

        causes.clear();
        losses.begin();
    }
}
