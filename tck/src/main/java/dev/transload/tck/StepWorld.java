/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.StepStatus;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * All ranks of a world whose steps are tested, driven by one thread. The fixture's clock advances only when no rank can
 * continue; devices that run the steps by themselves use the machine's clock.
 */
public final class StepWorld implements AutoCloseable
{
    private static final int MAX_CYCLES = 400_000;
    /** Timeouts that a step takes at most, all of its waits together, and as much again. */
    private static final int MAX_TIMEOUTS = 64;
    private static final int IDLE_CYCLES = 60;
    private static final int CLOCK_SHARE = 16;
    private static final int MAX_CYCLES_BEFORE = 300;
    private static final int CYCLES_TO_BE_MASKED = 6_000;
    private static final int SECOND_GENERATION = 2;
    private static final int THIRD_GENERATION = 3;
    private static final int CALLS_BEHIND = 2;

    final StepsFixture fixture;
    final StepScenario scenario;
    final List<StepRank> ranks = new ArrayList<>();
    private final Random random;
    private final StepCoverage coverage;
    private final BitSet stopped = new BitSet();
    private final BitSet unwell = new BitSet();
    private final List<StepData> data = new ArrayList<>();
    private final Script[] scripts;
    private int calls;
    private int idleCycles;
    private int passes;

    /** Where a rank is in its calls. */
    private static final class Script
    {
        private int call;
        private boolean isCombining;
        private long lastPosition;
    }

    StepWorld(final StepsFixture fixture, final StepScenario scenario)
    {
        this(fixture, scenario, new StepCoverage());
    }

    private StepWorld(final StepsFixture fixture, final StepScenario scenario, final StepCoverage coverage)
    {
        this.coverage = coverage;
        this.fixture = fixture;
        this.scenario = scenario;
        this.random = new Random(new SplittableRandom(~scenario.seed).nextLong());
        for (int rank = 0; rank < scenario.ranks; rank++)
        {
            ranks.add(new StepRank(fixture, scenario, rank, 0));
        }

        ranks.forEach((rank) -> rank.open(ranks));
        this.calls = scenario.calls;
        this.scripts = new Script[scenario.ranks];
        for (int rank = 0; rank < scripts.length; rank++)
        {
            scripts[rank] = new Script();
        }
    }

    /**
     * Runs a random world and compares all results of its ranks with a brute-force computation. Some ranks are stopped
     * during steps, permanently or temporarily.
     *
     * @param seed     seed of the world.
     * @param fixtures creates a new fixture for a number of ranks.
     * @throws AssertionError if a result differs; the message names the seed and the scenario.
     */
    public static void run(final long seed, final IntFunction<StepsFixture> fixtures)
    {
        run(seed, fixtures, new StepCoverage());
    }

    /**
     * Runs a random world like {@link #run(long, IntFunction)} and counts the events that happen.
     *
     * @param seed     seed of the world.
     * @param fixtures creates a new fixture for a number of ranks.
     * @param coverage counters to update.
     * @throws AssertionError if a result differs; the message names the seed and the scenario.
     */
    public static void run(final long seed, final IntFunction<StepsFixture> fixtures, final StepCoverage coverage)
    {
        final StepsFixture probe = fixtures.apply(1);
        final StepScenario random = StepScenario.random(seed, probe.hasAllScales());
        final StepScenario scenario = probe.hasFar() && 0 == seed % 2 ? random.withFar(probe.canPush()) : random;
        probe.close();
        try (StepWorld world = new StepWorld(fixtures.apply(scenario.ranks), scenario, coverage))
        {
            scenario.countIn(coverage);
            world.runCalls();
        }
    }

    private void runCalls()
    {
        final int victims = fixture.canEnd() && scenario.ranks > 1 ? random.nextInt(3) : 0;
        stopSome(victims);
        await("all calls", this::isDone);
        if (victims > 0)
        {
            rejoin(SECOND_GENERATION);
            final boolean isRejoinedAgain = random.nextBoolean();
            stopSome(isRejoinedAgain ? 1 + random.nextInt(2) : 0);
            await("all calls after all have taken part again", this::isDone);
            if (isRejoinedAgain)
            {
                rejoin(THIRD_GENERATION);
                await("all calls after all have taken part a third time", this::isDone);
            }
        }
    }

    private void stopSome(final int victims)
    {
        for (int i = 0; i < victims; i++)
        {
            pump(random.nextInt(MAX_CYCLES_BEFORE));
            final int victim = random.nextInt(scenario.ranks);
            final boolean isInCalls = !isDone() && scripts[victim].call < calls && !stopped.get(victim);
            stop(victim);
            final boolean isGoingOn = random.nextBoolean();
            coverage.addIf(isInCalls, isGoingOn ? StepCoverage.Event.STALL : StepCoverage.Event.KILL);
            if (isGoingOn)
            {
                pump(0 == random.nextInt(3) ? CYCLES_TO_BE_MASKED : random.nextInt(2 * MAX_CYCLES_BEFORE));
                coverage.addIf(isInCalls && ranks.stream().anyMatch(
                    (rank) -> !rank.session.status().isActive(victim)), StepCoverage.Event.LATE_RANK);
                resume(victim);
            }
        }
    }

    /**
     * All take part again, those too that were stopped for good, as new processes: between the same two calls of all,
     * by another generation.
     */
    private void rejoin(final int generation)
    {
        for (int i = 0; i < MAX_CYCLES && fixture.pump(); i++)
        {
            // What is on its way arrives.
        }

        for (int i = 0; i < MAX_CYCLES && ranks.stream().filter((rank) -> rank.bring(ranks, random)).count() > 0; i++)
        {
            // And what was posted.
        }

        final BitSet begun = new BitSet();
        for (int rank = stopped.nextSetBit(0); rank >= 0; rank = stopped.nextSetBit(rank + 1))
        {
            fixture.end(rank);
            begun.set(rank);
            ranks.set(rank, new StepRank(fixture, scenario, rank, calls));
            scripts[rank] = new Script();
            scripts[rank].call = calls;
        }

        begun.stream().forEach((rank) -> ranks.get(rank).open(ranks));
        final List<int[]> rejoined = new ArrayList<>();
        for (final StepRank rank : ranks)
        {
            for (final StepRank other : ranks)
            {
                final boolean isLost = !rank.session.status().isActive(other.rank) ||
                    !other.session.status().isActive(rank.rank);
                if (rank != other && (begun.get(rank.rank) || begun.get(other.rank) || isLost))
                {
                    rejoined.add(new int[] {rank.rank, other.rank});
                }
            }
        }

        rejoined.forEach((pair) ->
        {
            ranks.get(pair[0]).rejoin(ranks.get(pair[1]), generation);
            coverage.add(SECOND_GENERATION == generation ? StepCoverage.Event.SECOND_GENERATION :
                StepCoverage.Event.THIRD_GENERATION);
        });
        stopped.clear();
        unwell.clear();
        for (final Script script : scripts)
        {
            script.lastPosition = 0;
        }

        calls += CALLS_BEHIND;
    }

    StepData data(final int call)
    {
        while (data.size() <= call)
        {
            data.add(new StepData(scenario, data.size()));
        }

        return data.get(call);
    }

    boolean isDone()
    {
        for (int rank = 0; rank < scripts.length; rank++)
        {
            if (scripts[rank].call < calls && !stopped.get(rank))
            {
                return false;
            }
        }

        return true;
    }

    void stop(final int rank)
    {
        unwell.set(rank);
        stopped.set(rank);
        fixture.stop(rank);
    }

    void stopIfPossible(final int rank)
    {
        if (fixture.canStop())
        {
            stop(rank);
        }
    }

    void resume(final int rank)
    {
        stopped.clear(rank);
        fixture.resume(rank);
    }

    /** Until a condition holds, while ranks go through their calls. */
    void await(final String what, final BooleanSupplier condition)
    {
        await(what, condition, true);
    }

    /** Until a condition holds, while nobody does anything but steps. */
    void settle(final String what, final BooleanSupplier condition)
    {
        await(what, condition, false);
    }

    private void await(final String what, final BooleanSupplier condition, final boolean isScripted)
    {
        passes = 0;
        for (int cycle = 0; cycle < MAX_CYCLES && passes < MAX_TIMEOUTS * CLOCK_SHARE; cycle++)
        {
            if (condition.getAsBoolean())
            {
                return;
            }

            pump(isScripted);
        }

        throw new AssertionError(what + ": not within " + passes / CLOCK_SHARE + " timeouts; " + scenario);
    }

    void awaitPosition(final StepRank rank, final long position)
    {
        settle("rank " + rank.rank + " ends step " + position, () -> rank.session.completedPosition() >= position);
    }

    /** A few events, and no more. */
    void move()
    {
        for (final StepRank rank : ranks)
        {
            fixture.pump();
            if (!stopped.get(rank.rank) && random.nextBoolean())
            {
                rank.session.progress();
            }
        }
    }

    /** In a world of far ranks: entries are taken as soon as they show. */
    void takePostsAtOnce()
    {
        ranks.forEach((rank) -> rank.posts().takeAtOnce());
    }

    /** In a world of far ranks: whether entries that were brought stay unreleased. */
    void keepPosts(final boolean isKept)
    {
        ranks.forEach((rank) -> rank.posts().keep(isKept));
    }

    /** How long the latest condition took to hold, where time passes as the kit says. */
    long passedNs()
    {
        return passes * fixture.timeoutNs() / CLOCK_SHARE;
    }

    /** One call of all ranks, held to brute force. */
    void call(final int call)
    {
        final StepData of = data(call);
        ranks.forEach((rank) -> rank.dispatch(of, call));
        for (final StepRank rank : ranks)
        {
            awaitPosition(rank, rank.session.position());
            rank.verifyRows(of, call, "call " + call + " of rank " + rank.rank);
            rank.answer(of, call);
        }

        ranks.forEach(StepRank::combine);
        for (final StepRank rank : ranks)
        {
            awaitPosition(rank, rank.session.position());
            rank.verifySums(of, "call " + call + " of rank " + rank.rank);
            verifyOthers(rank, "call " + call + " of rank " + rank.rank);
        }
    }

    private void pump(final int cycles)
    {
        for (int i = 0; i < cycles && !isDone(); i++)
        {
            pump(true);
        }
    }

    private void pump(final boolean isScripted)
    {
        boolean isMoving = false;
        for (int i = random.nextInt(24); i > 0; i--)
        {
            isMoving |= fixture.pump();
        }

        for (final StepRank rank : ranks)
        {
            isMoving |= rank.bring(ranks, random);
        }

        for (final StepRank rank : ranks)
        {
            if (!stopped.get(rank.rank) && random.nextInt(3) > 0)
            {
                isMoving |= rank.session.progress() > 0;
                isMoving |= isScripted && advance(rank, scripts[rank.rank]);
            }
        }

        idleCycles = isMoving ? 0 : idleCycles + 1;
        if (IDLE_CYCLES == idleCycles)
        {
            fixture.pass(fixture.timeoutNs() / CLOCK_SHARE);
            idleCycles = 0;
            passes++;
        }
    }

    /** Next step of a rank's script, where the one before has ended. */
    private boolean advance(final StepRank rank, final Script script)
    {
        if (script.call == calls || rank.session.completedPosition() < script.lastPosition)
        {
            return false;
        }

        final StepData of = data(script.call);
        final String where = scenario + ", call " + script.call + ", rank " + rank.rank;
        if (0 == script.lastPosition)
        {
            script.lastPosition = rank.dispatch(of, script.call);
        }
        else if (!script.isCombining)
        {
            verifyOthers(rank, where);
            rank.verifyRows(of, script.call, where);
            of.countIn(coverage, rank.rank, script.call);
            coverage.addIf(rank.hasLostRows(), StepCoverage.Event.LOST_ROWS);
            script.isCombining = true;
            if (!scenario.isReleased(script.call))
            {
                rank.answer(of, script.call);
                script.lastPosition = rank.combine();
            }
        }
        else
        {
            verifyOthers(rank, where);
            rank.verifyOutput(of, script.call, where + ", after the combine");
            if (!scenario.isReleased(script.call))
            {
                rank.verifySums(of, where);
                coverage.addIf(rank.session.status().leftOut() > 0, StepCoverage.Event.LEFT_OUT);
            }

            coverage.add(StepCoverage.Event.CALL);
            script.isCombining = false;
            script.call++;
            script.lastPosition = script.call < calls ? rank.dispatch(data(script.call), script.call) :
                script.lastPosition;
        }

        return true;
    }

    private void verifyOthers(final StepRank rank, final String where)
    {
        final StepStatus status = rank.session.status();
        for (int other = 0; other < scenario.ranks; other++)
        {
            final int one = other;
            assertTrue(status.isActive(other) || unwell.get(rank.rank) || unwell.get(other), () -> where +
                ": lost " + one + ", which is well: state " + status.state(one) + " in " + status.maskedIn(one));
        }
    }

    @Override
    public void close()
    {
        fixture.passAlways();
        for (final StepRank rank : ranks)
        {
            if (stopped.get(rank.rank))
            {
                resume(rank.rank);
            }

            rank.session.close();
        }

        fixture.close();
    }
}
