/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import com.sun.management.OperatingSystemMXBean;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.rank.Calls;
import dev.transload.cli.rank.RankEngine;
import dev.transload.cli.rank.RankTensors;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import java.lang.management.ManagementFactory;
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
    private static final int WARM_CALLS = 2;
    private static final int LEAST_CALLS = 3;
    private static final int MOST_CALLS = 200;

    /** Calls of a trial take about so much of the budget. */
    private static final int TRIALS_IN_A_BUDGET = 200;
    private static final long LEAST_CALLS_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MOST_CALLS_NS = TimeUnit.SECONDS.toNanos(1);

    /** A candidate that one rank alone has no memory for holds up the others for so long. */
    private static final Duration OPENING = Duration.ofSeconds(10);
    private static final Duration MEETING = Duration.ofMinutes(2);

    private final OperatingSystemMXBean system =
        (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
    private final RankPlace place;
    private final RunInput input;
    private final Rendezvous rendezvous;
    private final long budgetNs;
    private final long mostRingBytes;
    private final long beginNs = System.nanoTime();
    private long elapsedNs;
    private int number;
    private int calls = LEAST_CALLS;

    /**
     * Of a rank.
     *
     * @param place         of this rank.
     * @param input         of all ranks.
     * @param rendezvous    of the world.
     * @param budgetNs      for all trials together, in nanoseconds.
     * @param mostRingBytes that rings of a rank may take.
     */
    Trials(
        final RankPlace place,
        final RunInput input,
        final Rendezvous rendezvous,
        final long budgetNs,
        final long mostRingBytes)
    {
        this.place = place;
        this.input = input;
        this.rendezvous = rendezvous;
        this.budgetNs = budgetNs;
        this.mostRingBytes = mostRingBytes;
    }

    /** As rank 0 sees it after the last trial, so that all ranks decide alike. */
    long elapsedNs()
    {
        return elapsedNs;
    }

    EngineConfig config(final Candidate candidate)
    {
        return place.settings().with(candidate.keys()).engine();
    }

    /** The first trial is the default's, which must run; after that any may fail. */
    Trial measure(final Candidate candidate)
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
        final Candidate bounded = candidate.isDefault() ? candidate :
            candidate.with("timeouts.open", Math.min(OPENING.toMillis(), config(candidate).openTimeout().toMillis()) +
            " ms");
        final EngineConfig config = config(bounded);
        final long ringBytes = Engine.ringBytes(config);
        if (!candidate.isDefault() && ringBytes > mostRingBytes)
        {
            return Sample.failed("its rings need " + (ringBytes >> 20) + " MiB a rank, of which there are " +
                (mostRingBytes >> 20));
        }

        try (RankEngine rank = RankEngine.open(config, scope);
            Calls exchange = new Calls(rank, input, tensors(rank), WARM_CALLS, calls, false, false))
        {
            for (int call = 0; call < WARM_CALLS; call++)
            {
                exchange.run();
            }

            final long cpuBeforeNs = system.getProcessCpuTime();
            for (int call = 0; call < calls; call++)
            {
                exchange.run();
            }

            final long cpuNs = system.getProcessCpuTime() - cpuBeforeNs;
            final long[] callNs = new long[calls];
            Arrays.setAll(callNs, (call) ->
                exchange.times().dispatchNs()[call] + exchange.times().combineNs()[call]);
            return new Sample(cpuNs / calls, callNs, null);
        }
    }

    private RankTensors tensors(final RankEngine rank)
    {
        return rank.beside(() -> new RankTensors(rank.engine(), input, place.rank(), false));
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

        for (int rank = 0; rank < samples.size(); rank++)
        {
            if (null != samples.get(rank).failure())
            {
                return Trial.failed("rank " + rank + ": " + samples.get(rank).failure());
            }
        }

        final long[] slowestNs = new long[calls];
        Arrays.setAll(slowestNs,
            (call) -> samples.stream().mapToLong((sample) -> sample.callNs()[call]).max().orElseThrow());
        Arrays.sort(slowestNs);
        final Trial trial = new Trial(slowestNs[calls / 2], cpuNs(samples), null);
        if (1 == number)
        {
            final long callsNs =
                Math.max(LEAST_CALLS_NS, Math.min(MOST_CALLS_NS, budgetNs / TRIALS_IN_A_BUDGET));
            calls = (int)Math.max(LEAST_CALLS, Math.min(MOST_CALLS, callsNs / Math.max(1, slowestNs[0])));
        }

        return trial;
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
