/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/** Drawn worlds by their seeds, as many side by side as there are cores. */
public final class Seeds
{
    /** As many as {@code -Dtest.seeds} says. */
    public static final long COUNT = Long.getLong("test.seeds", 300);

    private static final long FIRST = Long.getLong("test.first-seed", 1);

    private Seeds()
    {
    }

    /**
     * Run the worlds of the first seeds; the first that fails ends this, and is recorded if it can be.
     *
     * @param count of the seeds.
     * @param world by its seed; it fails with {@link FailedWorld} if it can be recorded.
     */
    public static void runAll(final long count, final LongConsumer world)
    {
        runAll(count, Runtime.getRuntime().availableProcessors(), world);
    }

    /**
     * As above, but not as many side by side as there are cores.
     *
     * @param atOnce worlds that run side by side.
     */
    static void runAll(final long count, final int atOnce, final LongConsumer world)
    {
        final AtomicLong nextSeed = new AtomicLong(FIRST);
        final ExecutorService executor = Executors.newFixedThreadPool(atOnce);
        try
        {
            final List<CompletableFuture<Void>> running = IntStream.range(0, atOnce).mapToObj(
                (each) -> CompletableFuture.runAsync(() -> runSome(nextSeed, FIRST + count, world), executor)).toList();
            running.forEach(CompletableFuture::join);
        }
        finally
        {
            executor.shutdown();
        }
    }

    private static void runSome(final AtomicLong nextSeed, final long end, final LongConsumer world)
    {
        for (long seed = nextSeed.getAndIncrement(); seed < end; seed = nextSeed.getAndIncrement())
        {
            try
            {
                world.accept(seed);
            }
            catch (final FailedWorld ex)
            {
                nextSeed.set(end);
                throw ex.recorded();
            }
            catch (final RuntimeException | Error ex)
            {
                nextSeed.set(end);
                throw ex;
            }
        }
    }
}
