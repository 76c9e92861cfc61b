/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Watches ranks' processes until all are gone. Once one failed, the others have a grace to say what they saw of it;
 * then they are ended, unless they can go on without it. What is reported is the cause, not its echoes in other ranks.
 */
final class Supervisor
{
    /** For the others to end by themselves once a rank failed, and to obey SIGTERM after that. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long OBEY_NS = TimeUnit.SECONDS.toNanos(2);

    private final List<RankChild> children;
    private final BlockingQueue<RankChild.News> queue;
    private final long silenceNs;
    private final Progress progress;
    private final JsonNode[] reports;
    private final Outcome[] outcomes;
    private final boolean[] hasExited;
    private final boolean[] isTerminated;
    private final boolean[] isMasked;
    private final PeerLoss loss;
    private String dead;
    private boolean isEnding;
    private boolean isStuck;
    private long endAtNs;

    /**
     * Watch.
     *
     * @param children by rank, listened to through the queue.
     * @param queue    of their news.
     * @param silence  after which ranks that tell of no step count as stuck.
     * @param progress to tell of their steps.
     * @param loss     what becomes of the others when a rank is lost.
     */
    Supervisor(
        final List<RankChild> children,
        final BlockingQueue<RankChild.News> queue,
        final Duration silence,
        final Progress progress,
        final PeerLoss loss)
    {
        this.loss = loss;
        this.isMasked = new boolean[children.size()];
        this.children = children;
        this.queue = queue;
        this.silenceNs = silence.toNanos();
        this.progress = progress;
        this.reports = new JsonNode[children.size()];
        this.outcomes = new Outcome[children.size()];
        this.hasExited = new boolean[children.size()];
        this.isTerminated = new boolean[children.size()];
    }

    RanksResult watch() throws InterruptedException
    {
        endAtNs = System.nanoTime() + silenceNs;
        boolean isObeying = false;
        while (!haveAllExited())
        {
            final long leftNs = endAtNs - System.nanoTime();
            final RankChild.News news = queue.poll(Math.max(0, leftNs), TimeUnit.NANOSECONDS);
            if (null != news)
            {
                take(news);
            }
            else if (isObeying)
            {
                children.forEach(RankChild::kill);
                endAtNs = System.nanoTime() + OBEY_NS;
            }
            else
            {
                isStuck = !isEnding;
                isEnding = true;
                isObeying = true;
                terminate();
                endAtNs = System.nanoTime() + OBEY_NS;
            }
        }

        return new RanksResult(verdict(), hasReports() ? Arrays.asList(reports) : List.of());
    }

    private void take(final RankChild.News news)
    {
        final int rank = news.child().rank();
        if (news.isExit())
        {
            takeExit(news);
        }
        else if (news.event() instanceof final RankEvents.Done done)
        {
            reports[rank] = done.report();
            outcomes[rank] = Outcome.DONE;
            done.report().path("masked").forEach((masked) -> isMasked[masked.asInt()] = true);
        }
        else if (news.event() instanceof final RankEvents.Failed failed)
        {
            // What a rank says once it was told to end is no cause: the files of the run are going already.
            outcomes[rank] = isTerminated[rank] ? outcomes[rank] : failed.outcome();
            beginEnd();
        }
        else if (news.event() instanceof final RankEvents.Found found)
        {
            progress.found(found.finding());
        }
        else if (news.event() instanceof final RankEvents.Step step && !isEnding)
        {
            endAtNs = System.nanoTime() + silenceNs;
            progress.step(step.stage(), step.done(), step.all());
        }
        else if (news.event() instanceof final RankEvents.Note note)
        {
            progress.note(note.line());
        }
    }

    private void takeExit(final RankChild.News news)
    {
        final int rank = news.child().rank();
        hasExited[rank] = true;
        final boolean isSudden = null == outcomes[rank];
        if (isSudden && !isTerminated[rank] && (null == dead || PeerLoss.MASK == loss))
        {
            tellDead(news.child().describe() + " " + Signals.describe(news.exitCode()));
        }

        if (isSudden && PeerLoss.END == loss)
        {
            beginEnd();
        }

        endMasked();
    }

    private void tellDead(final String sentence)
    {
        dead = null == dead ? sentence : dead + ", " + sentence;
    }

    /** A rank that all others went on and ended without has nobody left to work with; it may well be stopped. */
    private void endMasked()
    {
        for (final RankChild child : children)
        {
            if (!hasExited[child.rank()] && !isMasked[child.rank()])
            {
                return;
            }
        }

        for (final RankChild child : children)
        {
            // Of one that is dead already, the news is yet to come.
            if (!hasExited[child.rank()] && !isTerminated[child.rank()] && child.isAlive())
            {
                isTerminated[child.rank()] = true;
                tellDead(child.describe() + " did not answer");
                child.kill();
            }
        }
    }

    private void terminate()
    {
        for (final RankChild child : children)
        {
            if (child.isAlive())
            {
                isTerminated[child.rank()] = true;
                child.terminate();
            }
        }
    }

    private void beginEnd()
    {
        if (!isEnding)
        {
            isEnding = true;
            endAtNs = System.nanoTime() + GRACE_NS;
        }
    }

    private boolean haveAllExited()
    {
        for (final boolean exited : hasExited)
        {
            if (!exited)
            {
                return false;
            }
        }

        return true;
    }

    /** Where ranks go on without others, those of one of them will do. */
    private boolean hasReports()
    {
        return PeerLoss.END == loss ? null != reports[0] :
            failures().isEmpty() && Arrays.stream(reports).anyMatch(Objects::nonNull);
    }

    private Outcome verdict()
    {
        if (null != dead && hasReports() && PeerLoss.MASK == loss)
        {
            return Outcome.of(ExitCodes.PEER_FAILED, dead + "; the other ranks went on without it");
        }

        if (null != dead)
        {
            return Outcome.of(ExitCodes.PEER_FAILED, dead + "; the other ranks were ended");
        }

        final List<Outcome> failures = failures();
        if (failures.isEmpty())
        {
            return isStuck ? Outcome.of(ExitCodes.PEER_FAILED, "no rank made a step for " +
                TimeUnit.NANOSECONDS.toSeconds(silenceNs) + " s; all were ended") : Outcome.DONE;
        }

        return failures.stream().filter((failure) -> !failure.isEcho()).findFirst().orElse(failures.get(0));
    }

    private List<Outcome> failures()
    {
        return Arrays.stream(outcomes)
            .filter((outcome) -> null != outcome && ExitCodes.DONE != outcome.exitCode()).toList();
    }
}
