/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Watches ranks' processes until all are gone. Once one failed, the others have a grace to say what they saw of it;
 * then they are ended, unless they can go on without it. What is reported is the cause, not its echoes in other ranks.
 * Before the world is formed, no rank can continue without the others, and waiting ranks know nothing of them: a rank
 * that is lost, or does nothing, as a stopped process, then ends the run at once.
 */
final class Supervisor
{
    /** To obey SIGTERM. */
    private static final long OBEY_NS = TimeUnit.SECONDS.toNanos(2);

    /**
     * How long the ranks may take.
     *
     * @param meeting until the world is formed.
     * @param step    for a step after that; a rank that reports none counts as stuck.
     * @param idle    without processor time and without a word, before the world is formed. A JVM that waits for others
     *                needs some processor time, too.
     * @param grace   for the others to end by themselves once a rank failed.
     */
    record Timeouts(Duration meeting, Duration step, Duration idle, Duration grace)
    {
        private static final Duration GRACE = Duration.ofSeconds(5);
        private static final Duration IDLE = Duration.ofMinutes(1);
        private static final int LOOKS = 60;

        Timeouts(final Duration meeting, final Duration step)
        {
            this(meeting, step, IDLE, GRACE);
        }

        private long lookNs()
        {
            return idle.toNanos() / LOOKS;
        }
    }

    private final List<RankChild> children;
    private final BlockingQueue<RankChild.News> queue;
    private final Timeouts timeouts;
    private final Progress progress;
    private final JsonNode[] reports;
    private final JsonNode[] partials;
    private final boolean[] hasAnswered;
    private final Outcome[] outcomes;
    private final boolean[] hasExited;
    private final boolean[] isTerminated;
    private final boolean[] isMasked;
    private final PeerLoss loss;
    private final CrashReport crashes;
    private final Restarts restarts;
    private final Duration[] processorTime;
    private final long[] seenNs;
    private String dead;
    private boolean isFormed;
    private boolean isAllDone;
    private boolean isEnding;
    private boolean isStuck;
    private int signalled;
    private long endAtNs;

    /**
     * Watch.
     *
     * @param children by rank, listened to through the queue.
     * @param queue    of their news.
     * @param timeouts of the ranks.
     * @param progress to tell of their steps.
     * @param loss     what becomes of the others when a rank is lost.
     * @param crashes  keeps what is left of a rank that crashed.
     * @param restarts starts lost ranks again, where that is what becomes of them.
     */
    Supervisor(
        final List<RankChild> children,
        final BlockingQueue<RankChild.News> queue,
        final Timeouts timeouts,
        final Progress progress,
        final PeerLoss loss,
        final CrashReport crashes,
        final Restarts restarts)
    {
        this.loss = loss;
        this.crashes = crashes;
        this.restarts = restarts;
        this.processorTime = new Duration[children.size()];
        this.seenNs = new long[children.size()];
        this.isMasked = new boolean[children.size()];
        this.children = new ArrayList<>(children);
        this.queue = queue;
        this.timeouts = timeouts;
        this.progress = progress;
        this.reports = new JsonNode[children.size()];
        this.partials = new JsonNode[children.size()];
        this.hasAnswered = new boolean[children.size()];
        this.outcomes = new Outcome[children.size()];
        this.hasExited = new boolean[children.size()];
        this.isTerminated = new boolean[children.size()];
    }

    RanksResult watch() throws InterruptedException
    {
        Arrays.fill(seenNs, System.nanoTime());
        expectStep();
        boolean isObeying = false;
        while (!haveAllExited())
        {
            final long leftNs = leftNs();
            final boolean isLooking = !isFormed && !isEnding && leftNs > timeouts.lookNs();
            final RankChild.News news = queue.poll(isLooking ? timeouts.lookNs() : leftNs, TimeUnit.NANOSECONDS);
            if (null != news && news.isSignal())
            {
                ask(news.exitCode());
            }
            else if (null != news)
            {
                seenNs[news.child().rank()] = System.nanoTime();
                take(news);
            }

            if (signalled > 0)
            {
                if (null == news || haveAllAnswered())
                {
                    return RanksResult.interrupted(signalled, partials(), restarts.made());
                }
            }
            else if (isRestarting() && restart())
            {
                expectStep();
            }
            else if (isLooking)
            {
                endIdle();
            }
            else if (null == news && endAtNs - System.nanoTime() > 0)
            {
                // Somebody may be lost, or not.
                continue;
            }
            else if (null == news && isObeying)
            {
                children.forEach(RankChild::kill);
                endAtNs = System.nanoTime() + OBEY_NS;
            }
            else if (null == news)
            {
                isStuck = !isEnding;
                isEnding = true;
                isObeying = true;
                terminate();
                endAtNs = System.nanoTime() + OBEY_NS;
            }
        }

        return signalled > 0 ? RanksResult.interrupted(signalled, partials(), restarts.made()) :
            new RanksResult(verdict(), hasReports() ? Arrays.asList(reports) : List.of(), false, restarts.made());
    }

    private long leftNs()
    {
        final long nowNs = System.nanoTime();
        final long leftNs = Math.max(0, endAtNs - nowNs);
        return isRestarting() ? Math.min(leftNs, restarts.leftNs(nowNs)) : leftNs;
    }

    private boolean isRestarting()
    {
        return PeerLoss.RESTART == loss && !isEnding && !isAllDone;
    }

    /** Starts lost ranks again, once it is certain which these are. */
    private boolean restart()
    {
        final BitSet lost = restarts.due(System.nanoTime()).orElse(null);
        // The end of a process that is not alive will be told next, and how it ended.
        if (null == lost || lost.stream().anyMatch((rank) -> !hasExited[rank] && !children.get(rank).isAlive()))
        {
            return false;
        }

        if (!restarts.mayStart(lost.cardinality()))
        {
            restarts.causes().forEach(this::tellDead);
            lost.stream().filter((rank) -> !hasExited[rank])
                .forEach((rank) -> tellDead(children.get(rank).describeSilence()));
            dead = (null == dead ? "ranks lost each other" : dead) + ", and " + restarts.allowed();
            endAtOnce();
            return false;
        }

        restarts.begin(children, lost, progress);
        for (int rank = 0; rank < children.size(); rank++)
        {
            reports[rank] = null;
            partials[rank] = null;
            outcomes[rank] = null;
            hasExited[rank] = false;
            processorTime[rank] = null;
            seenNs[rank] = System.nanoTime();
        }

        isFormed = false;
        return true;
    }

    /** Asks ranks for what they have, which is nothing before they met. Their owner then ends them. */
    private void ask(final int exitCode)
    {
        signalled = exitCode;
        isEnding = true;
        children.forEach((child) -> child.tell(RankChild.ASK));
        endAtNs = System.nanoTime() + (isFormed ? timeouts.grace().toNanos() : 0);
    }

    private boolean haveAllAnswered()
    {
        for (int rank = 0; rank < hasAnswered.length; rank++)
        {
            if (!hasAnswered[rank] && !hasExited[rank])
            {
                return false;
            }
        }

        return true;
    }

    /** A rank that was done already has said all. */
    private List<JsonNode> partials()
    {
        final List<JsonNode> all = new ArrayList<>();
        for (int rank = 0; rank < partials.length; rank++)
        {
            all.add(null != reports[rank] ? reports[rank] : partials[rank]);
        }

        return all;
    }

    private void take(final RankChild.News news)
    {
        final int rank = news.child().rank();
        if (news.child() != children.get(rank) || restarts.isOver(news.event()))
        {
            // Of a process that was started again since, or of a world that is over.
            return;
        }

        if (news.isExit())
        {
            takeExit(news);
        }
        else if (news.event() instanceof final RankEvents.Lost lost)
        {
            restarts.told(rank, lost);
        }
        else if (news.event() instanceof final RankEvents.Done done)
        {
            reports[rank] = done.report();
            outcomes[rank] = Outcome.DONE;
            endDone(rank);
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
        else if (news.event() instanceof final RankEvents.Partial partial)
        {
            partials[rank] = partial.report();
            hasAnswered[rank] = true;
        }
        else if (news.event() instanceof RankEvents.Joined && !isEnding)
        {
            isFormed = true;
            restarts.formed(progress);
            expectStep();
        }
        else if (news.event() instanceof final RankEvents.Step step && !isEnding)
        {
            expectStep();
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
        final boolean isSudden = null == outcomes[rank] && 0 == signalled;
        if (isRestarting() && (isFormed || restarts.isLater()))
        {
            restarts.gone(rank, news.child().describe() + " " + Signals.describe(news.exitCode()) + evidence(news));
            return;
        }

        if (isSudden && !isTerminated[rank] && (null == dead || PeerLoss.MASK == loss))
        {
            tellDead(news.child().describe() + " " + Signals.describe(news.exitCode()) + evidence(news));
        }

        if (isSudden && !isFormed)
        {
            endAtOnce();
        }
        else if (isSudden && PeerLoss.END == loss)
        {
            beginEnd();
        }

        endMasked();
    }

    /** Ranks that may be started again wait for each other when they are done. */
    private void endDone(final int rank)
    {
        restarts.done(rank);
        if (PeerLoss.RESTART == loss && Arrays.stream(outcomes).allMatch((outcome) -> Outcome.DONE == outcome))
        {
            isAllDone = true;
            children.forEach((child) -> child.tell(RankChild.END));
        }
    }

    /** What a crashed rank said last is kept, as nobody can ask it again. */
    private String evidence(final RankChild.News news)
    {
        if (!Signals.isCrash(news.exitCode()))
        {
            return "";
        }

        news.child().lastLines().forEach((line) -> progress.note("rank " + news.child().rank() + ": " + line));
        return crashes.keep(news.child()).map((file) -> " (its last lines and crash report are in " + file + ")")
            .orElse("");
    }

    private void expectStep()
    {
        endAtNs = System.nanoTime() + timeOfStep().toNanos();
    }

    private Duration timeOfStep()
    {
        return isFormed ? timeouts.step() : timeouts.step().plus(timeouts.meeting());
    }

    /** A rank that starts, or waits for another that does, needs processor time; one that is stopped needs none. */
    private void endIdle()
    {
        final long nowNs = System.nanoTime();
        for (final RankChild child : isFormed || isEnding ? List.<RankChild>of() : children)
        {
            final Duration time = child.processorTime().orElse(null);
            if (null == time || !time.equals(processorTime[child.rank()]))
            {
                processorTime[child.rank()] = time;
                seenNs[child.rank()] = nowNs;
            }

            if (nowNs - seenNs[child.rank()] > timeouts.idle().toNanos() && child.isAlive())
            {
                isTerminated[child.rank()] = true;
                tellDead(child.describe() + " did nothing for " + timeouts.idle().toSeconds() +
                    " s before it met the others: it is stopped, or hangs");
                endAtOnce();
            }
        }
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
                tellDead(child.describeSilence());
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

    /** Nobody has anything to say that the launcher does not know. */
    private void endAtOnce()
    {
        isEnding = true;
        endAtNs = System.nanoTime();
    }

    private void beginEnd()
    {
        if (!isEnding)
        {
            isEnding = true;
            endAtNs = System.nanoTime() + timeouts.grace().toNanos();
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
        return PeerLoss.MASK != loss ? null != reports[0] :
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
                timeOfStep().toSeconds() + " s; all were ended") : Outcome.DONE;
        }

        return failures.stream().filter((failure) -> !failure.isEcho()).findFirst().orElse(failures.get(0));
    }

    private List<Outcome> failures()
    {
        return Arrays.stream(outcomes)
            .filter((outcome) -> null != outcome && ExitCodes.DONE != outcome.exitCode()).toList();
    }
}
