/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Whole worlds against the brute-force reference, on the transport that delays and reorders all that the rules allow.
 * {@code -Dtest.seeds=N} runs more seeds, {@code -Dtest.first-seed=S} begins at another one. Every world is
 * driven by one thread, so that a seed always gives the same run; as many worlds run side by side as there are cores.
 */
class EnginePropertyTest
{
    private static final long SEEDS = Long.getLong("test.seeds", 300);
    private static final long FIRST_SEED = Long.getLong("test.first-seed", 1);

    @Test
    void shouldAgreeWithTheReferenceOnHostMemory()
    {
        runAll(Kind.HOST, SEEDS);
    }

    @Test
    void shouldAgreeWithTheReferenceOnMemoryThatTheJvmCannotSee()
    {
        runAll(Kind.DEVICE, SEEDS);
    }

    @Test
    void shouldAgreeWithTheReferenceWhereRowsAreStagedThroughHostMemory()
    {
        runAll(Kind.STAGED, SEEDS);
    }

    /** By the kinds of memory and of staging in turn. */
    @Test
    void shouldAgreeWithTheReferenceWhereNodesHaveAnyNumbersOfRanks()
    {
        // Of up to 25 ranks: a third of the worlds takes as long.
        runAll(Kind.UNEVEN, (SEEDS + 2) / 3);
    }

    /** Signals are puts of totals: a network card without atomics. */
    @Test
    void shouldAgreeWithTheReferenceWithoutAtomics()
    {
        runAll(Kind.WITHOUT_ATOMICS, (SEEDS + 4) / 5);
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

    private static void runAll(final Kind kind, final long seeds)
    {
        final int cores = Runtime.getRuntime().availableProcessors();
        final AtomicLong nextSeed = new AtomicLong(FIRST_SEED);
        final ExecutorService executor = Executors.newFixedThreadPool(cores);
        try
        {
            final List<CompletableFuture<Void>> running = IntStream.range(0, cores).mapToObj(
                (core) -> CompletableFuture.runAsync(
                () -> runSome(nextSeed, kind, FIRST_SEED + seeds), executor)).toList();
            running.forEach(CompletableFuture::join);
        }
        finally
        {
            executor.shutdown();
        }
    }

    private static void runSome(final AtomicLong nextSeed, final Kind kind, final long end)
    {
        for (long seed = nextSeed.getAndIncrement(); seed < end; seed = nextSeed.getAndIncrement())
        {
            try
            {
                run(kind, seed);
            }
            catch (final FailedWorld ex)
            {
                nextSeed.set(end);
                throw ex.recorded();
            }
        }
    }
}
