/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Whole worlds against brute force, on the transport that delays and reorders all that the rules allow, with ranks that
 * are killed, or stopped and later go on. {@code -Dtest.seeds=N} runs more seeds, {@code -Dtest.first-seed=S} begins at
 * another one. Every world is driven by one thread; only in what order its ranks open is not the seed's.
 */
class LowLatencyPropertyTest
{
    private static final long SEEDS = Long.getLong("test.seeds", 300);
    private static final long FIRST_SEED = Long.getLong("test.first-seed", 1);
    private static final long OF_A_RANK_THAT_KEEPS_ITS_SOURCES = 2226;
    private static final int MAX_CYCLES_BEFORE = 150;
    private static final int CYCLES_TO_BE_MASKED = 4_000;

    @Test
    void shouldAgreeWithBruteForceOnHostMemory()
    {
        runAll(LowLatencyPropertyTest::runOnHost);
    }

    @Test
    void shouldAgreeWithBruteForceOnMemoryThatTheJvmCannotSee()
    {
        runAll(LowLatencyPropertyTest::runOnDevice);
    }

    @Test
    void shouldAgreeWithBruteForceWhereNodesHaveAnyNumbersOfRanks()
    {
        runAll(LowLatencyPropertyTest::runUneven);
    }

    /** Signals are puts of totals: a network card without atomics. */
    @Test
    void shouldAgreeWithBruteForceWithoutAtomics()
    {
        runAll(LowLatencyPropertyTest::runWithoutAtomics);
    }

    @Test
    void shouldGoOnWithoutRanksThatDieOnHostMemory()
    {
        runAll(LowLatencyPropertyTest::runWithDeathsOnHost);
    }

    @Test
    void shouldGoOnWithoutRanksThatDieOnMemoryThatTheJvmCannotSee()
    {
        runAll(LowLatencyPropertyTest::runWithDeathsOnDevice);
    }

    @Test
    void shouldGoOnThoughALostRankKeepsWhatWasSentToIt()
    {
        runWithDeathsOnDevice(OF_A_RANK_THAT_KEEPS_ITS_SOURCES);
    }

    /** One world, as mutants of the engine are run in it, too. */
    static void runOnHost(final long seed)
    {
        run(seed, MemoryKind.HOST);
    }

    static void runOnDevice(final long seed)
    {
        run(seed, SteppingOptions.OPAQUE);
    }

    static void runWithDeathsOnHost(final long seed)
    {
        runWithDeaths(seed, MemoryKind.HOST);
    }

    static void runWithDeathsOnDevice(final long seed)
    {
        runWithDeaths(seed, SteppingOptions.OPAQUE);
    }

    static void runWithoutAtomics(final long seed)
    {
        final Scenario scenario = Scenario.random(seed, 0 == seed % 2 ? MemoryKind.HOST : SteppingOptions.OPAQUE);
        scenario.hasAtomics = false;
        run(scenario);
    }

    static void runUneven(final long seed)
    {
        run(Scenario.random(seed, 0 == seed % 2 ? MemoryKind.HOST : SteppingOptions.OPAQUE).uneven());
    }

    private static void run(final long seed, final MemoryKind kind)
    {
        run(Scenario.random(seed, kind));
    }

    private static void run(final Scenario scenario)
    {
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.run();
        }
    }

    private static void runWithDeaths(final long seed, final MemoryKind kind)
    {
        // Mixed first: of small seeds by themselves, the first number is the same for almost all.
        final Random random = new Random(new SplittableRandom(seed).nextLong());
        try (SteppingWorld world = new SteppingWorld(Scenario.random(seed, kind)))
        {
            world.scripts.forEach((script) -> script.calls(0, world.scenario.calls));
            final int victims = 1 + random.nextInt(2);
            for (int i = 0; i < victims && world.scenario.ranks() > 1; i++)
            {
                world.pump(random.nextInt(MAX_CYCLES_BEFORE));
                final int rank = random.nextInt(world.scenario.ranks());
                if (random.nextBoolean())
                {
                    world.kill(rank);
                }
                else
                {
                    world.pause(rank);
                    world.pump(
                        0 == random.nextInt(4) ? CYCLES_TO_BE_MASKED : random.nextInt(2 * MAX_CYCLES_BEFORE));
                    world.resume(rank);
                }
            }

            world.await(world::isDone);
        }
    }

    private static void runAll(final LongConsumer test)
    {
        final int cores = Runtime.getRuntime().availableProcessors();
        final AtomicLong nextSeed = new AtomicLong(FIRST_SEED);
        final ExecutorService executor = Executors.newFixedThreadPool(cores);
        try
        {
            final List<CompletableFuture<Void>> running = IntStream.range(0, cores).mapToObj(
                (core) -> CompletableFuture.runAsync(() -> runSome(nextSeed, test), executor)).toList();
            running.forEach(CompletableFuture::join);
        }
        finally
        {
            executor.shutdown();
        }
    }

    private static void runSome(final AtomicLong nextSeed, final LongConsumer test)
    {
        for (long seed = nextSeed.getAndIncrement(); seed < FIRST_SEED + SEEDS; seed = nextSeed.getAndIncrement())
        {
            try
            {
                test.accept(seed);
            }
            catch (final RuntimeException | Error ex)
            {
                nextSeed.set(FIRST_SEED + SEEDS);
                throw new AssertionError("seed " + seed + ": " + ex, ex);
            }
        }
    }
}
