/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.FailedWorld;
import dev.transload.engine.Seeds;
import dev.transload.engine.recording.Fault;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/**
 * Whole worlds against brute force, on the transport that delays and reorders all that the rules allow, with ranks that
 * are killed, or stopped and later go on. {@code -Dtest.seeds=N} runs more seeds, {@code -Dtest.first-seed=S} begins at
 * another one. Every world is driven by one thread, so that a seed always gives the same run.
 */
class LowLatencyPropertyTest
{
    private static final long OF_A_RANK_THAT_KEEPS_ITS_SOURCES = 2226;
    private static final int MAX_CYCLES_BEFORE = 150;
    private static final int CYCLES_TO_BE_MASKED = 4_000;

    @Test
    void shouldAgreeWithBruteForceOnHostMemory()
    {
        runAll(Kind.HOST);
    }

    @Test
    void shouldAgreeWithBruteForceOnMemoryThatTheJvmCannotSee()
    {
        runAll(Kind.DEVICE);
    }

    @Test
    void shouldAgreeWithBruteForceWhereNodesHaveAnyNumbersOfRanks()
    {
        runAll(Kind.UNEVEN);
    }

    /** Signals are puts of totals: a network card without atomics. */
    @Test
    void shouldAgreeWithBruteForceWithoutAtomics()
    {
        runAll(Kind.WITHOUT_ATOMICS);
    }

    @Test
    void shouldGoOnWithoutRanksThatDieOnHostMemory()
    {
        runAll(Kind.DEATHS_ON_HOST);
    }

    @Test
    void shouldGoOnWithoutRanksThatDieOnMemoryThatTheJvmCannotSee()
    {
        runAll(Kind.DEATHS_ON_DEVICE);
    }

    @Test
    void shouldGoOnThoughALostRankKeepsWhatWasSentToIt()
    {
        runWithDeathsOnDevice(OF_A_RANK_THAT_KEEPS_ITS_SOURCES);
    }

    /** Kinds of worlds, each drawn from a seed. */
    private enum Kind
    {
        HOST((seed) -> Scenario.random(seed, MemoryKind.HOST), false),
        DEVICE((seed) -> Scenario.random(seed, SteppingOptions.OPAQUE), false),
        UNEVEN((seed) -> ofEitherMemory(seed).uneven(), false),
        WITHOUT_ATOMICS(LowLatencyPropertyTest::withoutAtomics, false),
        DEATHS_ON_HOST(HOST.scenario, true),
        DEATHS_ON_DEVICE(DEVICE.scenario, true);

        private final LongFunction<Scenario> scenario;
        private final boolean hasDeaths;

        Kind(final LongFunction<Scenario> scenario, final boolean hasDeaths)
        {
            this.scenario = scenario;
            this.hasDeaths = hasDeaths;
        }
    }

    private static Scenario ofEitherMemory(final long seed)
    {
        return Scenario.random(seed, 0 == seed % 2 ? MemoryKind.HOST : SteppingOptions.OPAQUE);
    }

    private static Scenario withoutAtomics(final long seed)
    {
        final Scenario scenario = ofEitherMemory(seed);
        scenario.hasAtomics = false;
        return scenario;
    }

    /** One world, as mutants of the engine are run in it, too. */
    static void runOnHost(final long seed)
    {
        run(Kind.HOST, seed);
    }

    static void runOnDevice(final long seed)
    {
        run(Kind.DEVICE, seed);
    }

    static void runWithDeathsOnHost(final long seed)
    {
        run(Kind.DEATHS_ON_HOST, seed);
    }

    static void runWithDeathsOnDevice(final long seed)
    {
        run(Kind.DEATHS_ON_DEVICE, seed);
    }

    private static void run(final Kind kind, final long seed)
    {
        final Scenario scenario = kind.scenario.apply(seed);
        final List<Fault> faults = kind.hasDeaths ? deaths(seed, scenario.ranks()) : List.of();
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.run(faults);
        }
        catch (final RuntimeException | Error ex)
        {
            throw new FailedWorld(scenario.toString(), LowLatencyReplay.record(
                scenario, faults, "LowLatencyPropertyTest, " + kind + ", seed " + seed), ex);
        }
    }

    private static List<Fault> deaths(final long seed, final int ranks)
    {
        // Mixed first: of small seeds by themselves, the first number is the same for almost all.
        final Random random = new Random(new SplittableRandom(seed).nextLong());
        final List<Fault> faults = new ArrayList<>();
        final int victims = ranks > 1 ? 1 + random.nextInt(2) : 0;
        for (int i = 0; i < victims; i++)
        {
            final int before = random.nextInt(MAX_CYCLES_BEFORE);
            final int rank = random.nextInt(ranks);
            if (random.nextBoolean())
            {
                faults.add(new Fault(rank, Fault.KILL, before, null));
            }
            else
            {
                faults.add(new Fault(rank, Fault.PAUSE, before, null));
                faults.add(new Fault(rank, Fault.RESUME, 0 == random.nextInt(4) ?
                    CYCLES_TO_BE_MASKED : random.nextInt(2 * MAX_CYCLES_BEFORE), null));
            }
        }

        return faults;
    }

    private static void runAll(final Kind kind)
    {
        Seeds.runAll(Seeds.COUNT, (seed) -> run(kind, seed));
    }
}
