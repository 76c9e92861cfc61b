/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.Channel;
import dev.transload.spi.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs several parts of a test at the same time: the first on the test's thread, which also drives the world's workers,
 * and each other part on a thread of its own. Where the fixture wants one thread, the parts take turns instead.
 */
final class Race
{
    private static final int STEPS_PER_CHECK = 64;

    private final World world;
    private final long deadline;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** A part, driven by one thread from its first step to its last. */
    @FunctionalInterface
    interface Part
    {
        /**
         * Does a little, and never waits.
         *
         * @return true when the part is done.
         */
        boolean step();
    }

    private Race(final World world)
    {
        this.world = world;
        this.deadline = System.nanoTime() + world.fixture().deadlineNs();
    }

    /**
     * Runs all parts to their end.
     *
     * @param world  of the test.
     * @param first  part of the test's thread.
     * @param others parts of other threads.
     */
    static void run(final World world, final Part first, final List<? extends Part> others)
    {
        final Race race = new Race(world);
        if (world.fixture().isThreaded())
        {
            race.onThreads(first, others);
        }
        else
        {
            race.interleaved(first, others);
        }
    }

    /** Whether an operation has a position; false when it must be tried again, and an error for any other status. */
    static boolean isAccepted(final String what, final long result)
    {
        if (result < 0 && Channel.BACK_PRESSURED != result)
        {
            throw new AssertionError(what + " was answered by status " + result + ", expected a position");
        }

        return result >= 0;
    }

    /** There may be more threads than cores: without work a part gives up the rest of its time. */
    static void progress(final Worker worker)
    {
        if (0 == worker.progress())
        {
            Thread.yield();
        }
    }

    private void interleaved(final Part first, final List<? extends Part> others)
    {
        final List<Part> running = new ArrayList<>(others);
        running.add(0, first);
        while (!running.isEmpty())
        {
            running.removeIf(Part::step);
            world.move();
            checkDeadline();
        }
    }

    private void onThreads(final Part first, final List<? extends Part> others)
    {
        final List<Thread> threads = new ArrayList<>();
        for (final Part part : others)
        {
            final Thread thread = new Thread(() -> run(part), "conformance-race-" + threads.size());
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }

        try
        {
            boolean isDone = false;
            while (null == failure.get() && (!isDone || threads.stream().anyMatch(Thread::isAlive)))
            {
                isDone = isDone || first.step();
                world.move();
                checkDeadline();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            failure.compareAndSet(null, ex);
        }

        threads.forEach(this::join);
        final Throwable thrown = failure.get();
        if (thrown instanceof final Error error)
        {
            throw error;
        }

        if (thrown instanceof final RuntimeException exception)
        {
            throw exception;
        }
    }

    private void run(final Part part)
    {
        try
        {
            boolean isDone = false;
            while (!isDone && null == failure.get())
            {
                for (int i = 0; i < STEPS_PER_CHECK && !isDone; i++)
                {
                    isDone = part.step();
                }

                checkDeadline();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            failure.compareAndSet(null, ex);
        }
    }

    /** A thread that hangs in the transport is left behind: it is a daemon, and the test has failed. */
    private void join(final Thread thread)
    {
        try
        {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(world.fixture().deadlineNs())));
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }

        if (thread.isAlive())
        {
            failure.compareAndSet(null, new AssertionError("an operation did not return within " +
                world.fixture().deadlineNs() + " ns on thread " + thread.getName()));
        }
    }

    private void checkDeadline()
    {
        if (System.nanoTime() - deadline > 0)
        {
            throw new AssertionError("operations at the same time did not end within " +
                world.fixture().deadlineNs() + " ns");
        }
    }
}
