/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.settings.Settings;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Trials on one rank of a world. All ranks make the same ones, and each has the figures of all. */
final class Trials
{
    private static final int LEAST_CALLS = 3;

    /** Calls of a trial take about so much of the budget. */
    private static final int TRIALS_IN_A_BUDGET = 200;
    private static final long LEAST_CALLS_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MOST_CALLS_NS = TimeUnit.SECONDS.toNanos(1);

    /** A candidate that is slower by so much gets fewer calls, which show it, too. */
    private static final int SLOWER = 2;

    /** The first trial is made again with more calls, in at most such a part of the budget. */
    private static final int WARM_PART = 10;

    /** A candidate that one rank alone has no memory for holds up the others for so long. */
    private static final Duration OPENING = Duration.ofSeconds(10);
    private static final Duration MEETING = Duration.ofMinutes(2);

    private final RankPlace place;
    private final TrialCalls mode;
    private final Rendezvous rendezvous;
    private final long budgetNs;
    private final long callsNs;
    private final long beginNs = System.nanoTime();
    private long elapsedNs;
    private int number;
    private int calls = LEAST_CALLS;
    private boolean isWarm;
    private long leastCallNs;
    private int reach;

    /**
     * Of a rank.
     *
     * @param place      of this rank, with the default settings.
     * @param mode       makes the calls.
     * @param rendezvous of the world.
     * @param budgetNs   for all trials together, in nanoseconds.
     */
    Trials(final RankPlace place, final TrialCalls mode, final Rendezvous rendezvous, final long budgetNs)
    {
        this.place = place;
        this.mode = mode;
        this.rendezvous = rendezvous;
        this.budgetNs = budgetNs;
        this.callsNs = Math.max(LEAST_CALLS_NS, Math.min(MOST_CALLS_NS, budgetNs / TRIALS_IN_A_BUDGET));
    }

    /** As rank 0 sees it after the last trial, so that all ranks decide alike. */
    long elapsedNs()
    {
        return elapsedNs;
    }

    /** How any rank reaches others by default, by bits of {@link LowLatencySpace}. */
    int reach()
    {
        return reach;
    }

    Settings settings(final Candidate candidate)
    {
        return place.settings().with(candidate.keys());
    }

    /**
     * The first trial is the default's, which must run; after that any may fail. Its calls are slow, and tell of too
     * few calls for a trial. So it is made again, with more of them, until that number hardly grows.
     */
    Trial measure(final Candidate candidate)
    {
        Trial trial = once(candidate);
        while (!isWarm)
        {
            final int made = calls;
            calls = (int)Math.max(LEAST_CALLS, Math.min(mode.most(), callsNs / Math.max(1, leastCallNs)));
            isWarm = calls < 2 * made || elapsedNs >= budgetNs / WARM_PART;
            trial = isWarm ? trial : once(candidate);
        }

        return trial;
    }

    private Trial once(final Candidate candidate)
    {
        number++;
        place.progress().step("trial " + number + ": " + candidate, TimeUnit.NANOSECONDS.toMillis(elapsedNs),
            TimeUnit.NANOSECONDS.toMillis(budgetNs));
        Sample own;
        try (ScopedRendezvous scope = new ScopedRendezvous(rendezvous, number))
        {
            own = exchange(candidate, scope);
        }
        catch (final RuntimeException | OutOfMemoryError ex)
        {
            if (1 == number)
            {
                throw ex;
            }

            own = Sample.failed(Outcome.of(ex).sentence());
        }

        return gather(own);
    }

    private Sample exchange(final Candidate candidate, final Rendezvous scope)
    {
        if (candidate.isDefault())
        {
            return mode.measure(settings(candidate), scope, calls, SLOWER * callsNs);
        }

        final Settings settings = settings(candidate.with("timeouts.open",
            Math.min(OPENING.toMillis(), settings(candidate).engine().openTimeout().toMillis()) + " ms"));
        final String refusal = mode.refusal(settings);
        return null == refusal ? mode.measure(settings, scope, calls, SLOWER * callsNs) :
            Sample.failed(refusal);
    }

    private Trial gather(final Sample own)
    {
        final List<Sample> samples = new ArrayList<>();
        for (final ByteBuffer theirs : rendezvous.allGather(
            "tune.trial." + number, own.toBuffer(System.nanoTime() - beginNs), MEETING))
        {
            final ByteBuffer buffer = theirs.duplicate();
            final long theirElapsedNs = buffer.getLong();
            elapsedNs = samples.isEmpty() ? theirElapsedNs : elapsedNs;
            samples.add(Sample.read(buffer));
        }

        reach = 1 == number ? samples.stream().mapToInt(Sample::reach).reduce(0, (all, one) -> all | one) : reach;
        for (int rank = 0; rank < samples.size(); rank++)
        {
            if (null != samples.get(rank).failure())
            {
                return Trial.failed("rank " + rank + ": " + samples.get(rank).failure());
            }
        }

        final long[] slowestNs = new long[samples.get(0).callNs().length];
        Arrays.setAll(slowestNs,
            (call) -> samples.stream().mapToLong((sample) -> sample.callNs()[call]).max().orElseThrow());
        Arrays.sort(slowestNs);
        leastCallNs = slowestNs[0];
        return new Trial(slowestNs[slowestNs.length / 2], cpuNs(samples), null);
    }

    /** Ranks of one process have its time in common. */
    private long cpuNs(final List<Sample> samples)
    {
        final Set<String> processes = new HashSet<>();
        long sumNs = 0;
        for (int rank = 0; rank < samples.size(); rank++)
        {
            final Member member = rendezvous.member(rank);
            sumNs += processes.add(member.host() + "/" + member.processId()) ? samples.get(rank).cpuNs() : 0;
        }

        return sumNs;
    }
}
