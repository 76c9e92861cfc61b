/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/**
 * Whole worlds against the brute-force reference, on the transport that delays and reorders all that the rules allow.
 * {@code -Dtest.seeds=N} runs more seeds, {@code -Dtest.first-seed=S} begins at another one. The gate takes the three
 * kinds of memory in turn, seed by seed; with {@code -Dtest.all-kinds=true} each seed is run with each. Every world is
 * driven by one thread, so that a seed always gives the same run; as many worlds run side by side as there are cores.
 */
class EnginePropertyTest
{
    private static final boolean HAS_ALL_KINDS = Boolean.getBoolean("test.all-kinds");
    private static final int KINDS_OF_MEMORY = 3;

    @Test
    void shouldAgreeWithTheReferenceOnHostMemory()
    {
        runInTurn(Kind.HOST);
    }

    @Test
    void shouldAgreeWithTheReferenceOnMemoryThatTheJvmCannotSee()
    {
        runInTurn(Kind.DEVICE);
    }

    @Test
    void shouldAgreeWithTheReferenceWhereRowsAreStagedThroughHostMemory()
    {
        runInTurn(Kind.STAGED);
    }

    /** By the kinds of memory and of staging in turn. */
    @Test
    void shouldAgreeWithTheReferenceWhereNodesHaveAnyNumbersOfRanks()
    {
        // Of up to 25 ranks: a sixth of the worlds takes as long as half of the others.
        runAll(Kind.UNEVEN, (Seeds.COUNT + 5) / 6);
    }

    /** Signals are puts of totals: a network card without atomics. */
    @Test
    void shouldAgreeWithTheReferenceWithoutAtomics()
    {
        runAll(Kind.WITHOUT_ATOMICS, (Seeds.COUNT + 4) / 5);
    }

    /** Ranks that are left after others were lost: they keep their numbers and their experts. */
    @Test
    void shouldAgreeWithTheReferenceWithoutSomeRanks()
    {
        Seeds.runAll((Seeds.COUNT + 3) / 4, EnginePropertyTest::runWithoutSomeRanks);
    }

    static void runWithoutSomeRanks(final long seed)
    {
        final Scenario scenario = Scenario.randomAbsent(
            seed, 0 == seed / 2 % 3 ? MemoryKind.HOST : SteppingOptions.OPAQUE, 1 == seed / 2 % 3);
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyRepeated();
        }
        catch (final RuntimeException | Error ex)
        {
            throw new AssertionError(scenario.toString(), ex);
        }
    }

    /** Kinds of worlds, each drawn from a seed. */
    private enum Kind
    {
        HOST((seed) -> Scenario.random(seed, MemoryKind.HOST)),
        DEVICE((seed) -> Scenario.random(seed, SteppingOptions.OPAQUE)),
        STAGED((seed) -> Scenario.randomStaged(seed, SteppingOptions.OPAQUE)),
        UNEVEN((seed) -> Scenario.randomUneven(
            seed, 0 == seed % 3 ? MemoryKind.HOST : SteppingOptions.OPAQUE, 1 == seed % 3)),
        WITHOUT_ATOMICS(EnginePropertyTest::withoutAtomics);

        private final LongFunction<Scenario> scenario;

        Kind(final LongFunction<Scenario> scenario)
        {
            this.scenario = scenario;
        }
    }

    private static Scenario withoutAtomics(final long seed)
    {
        final Scenario scenario = 0 == seed % 3 ? Scenario.randomStaged(seed, SteppingOptions.OPAQUE) :
            Scenario.random(seed, 1 == seed % 3 ? MemoryKind.HOST : SteppingOptions.OPAQUE);
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

    static void runStaged(final long seed)
    {
        run(Kind.STAGED, seed);
    }

    private static void run(final Kind kind, final long seed)
    {
        final Scenario scenario = kind.scenario.apply(seed);
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyRepeated();
        }
        catch (final RuntimeException | Error ex)
        {
            throw new FailedWorld(scenario.toString(),
                NormalReplay.record(scenario, "EnginePropertyTest, " + kind + ", seed " + seed), ex);
        }
    }

    private static void runInTurn(final Kind kind)
    {
        Seeds.runAll(Seeds.COUNT, (seed) ->
        {
            if (HAS_ALL_KINDS || seed % KINDS_OF_MEMORY == kind.ordinal())
            {
                run(kind, seed);
            }
        });
    }

    private static void runAll(final Kind kind, final long seeds)
    {
        Seeds.runAll(seeds, (seed) -> run(kind, seed));
    }
}
