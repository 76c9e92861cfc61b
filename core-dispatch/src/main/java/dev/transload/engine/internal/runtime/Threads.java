/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.IdleMode;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.cores.Affinity;
import dev.transload.engine.cores.CoreSet;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.internal.connect.Bootstrap;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.plan.PlanWorkers;
import dev.transload.engine.internal.plan.TopkReader;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** The engine's threads, and which role runs on which. Without threads of its own there is one share to be driven. */
public final class Threads
{
    private static final long MAX_SPINS = 20;
    private static final long MAX_YIELDS = 50;

    /** Rounds of all roles of a thread, without work; tens of milliseconds. */
    private static final long ROUNDS_BEFORE_REST = 100_000;

    private static final long MIN_PARK_NS = 1_000;
    private static final long MAX_PARK_NS = 1_000_000;

    /** Longer than most calls take where threads spin, shorter than anybody minds a core being busy. */
    private static final long CALLER_SPIN_NS = 2_000_000;

    private static final long CROWDED_MIN_PARK_NS = 20_000;
    private static final long CROWDED_MAX_PARK_NS = 200_000;

    private static final long READY_POLL_NS = 200_000;
    private static final int STOP_RETRY_MS = 1_000;
    private static final long STOP_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private final EngineConfig config;
    private final HostShare host;
    private final Board board;
    private final int engine;
    private final PlanWorkers planWorkers;
    private final List<ProgressThread> shares = new ArrayList<>();
    private final List<AgentRunner> runners = new ArrayList<>();
    private Driver driver;

    /**
     * Not yet made.
     *
     * @param engine number of the engine, by which its threads are named.
     */
    public Threads(final EngineConfig config, final HostShare host, final Board board, final int engine)
    {
        this.engine = engine;
        this.config = config;
        this.host = host;
        this.board = board;
        this.planWorkers = new PlanWorkers(isSpinning());
    }

    /**
     * How long a caller looks for the end of its call before it rests: being woken takes tens of microseconds. Only
     * where it has a core that no thread of the engine needs.
     *
     * @return nanoseconds, 0 to rest at once.
     */
    long callerSpinNs()
    {
        return isSpinning() ? CALLER_SPIN_NS : 0;
    }

    /** Whether threads look around all the time while calls follow each other, and leave the caller a core. */
    private boolean isSpinning()
    {
        return config.threads() > 0 && IdleMode.SPIN == config.threading().idle() &&
            host.coresPerRank() > config.threads();
    }

    /** Make the shares; workers are opened, roles come later. */
    void make(
        final Transports stages, final Bootstrap directory, final KernelRegistry kernels, final Geometry geometry)
    {
        board.wakeBy(this::wake);
        for (int i = 0; i < Math.max(1, config.threads()); i++)
        {
            shares.add(new ProgressThread(engine, i, board, stages, directory, kernels.open(config), planWorkers,
                new TopkReader(geometry), new ThreadCounters(config.worldSize())));
        }

        driver = config.threads() > 0 ? null : new Driver(shares.get(0)::doWork, idle());
    }

    /**
     * Shares out the routing of dispatches.
     *
     * @return all threads, if they spin; else the caller works alone.
     */
    PlanWorkers planWorkers()
    {
        return planWorkers;
    }

    /** Share that runs a role. */
    ProgressThread of(final int channel, final int kind)
    {
        final List<Integer> roles = config.threading().roles();
        if (!roles.isEmpty())
        {
            final int first = roles.subList(0, kind).stream().mapToInt(Integer::intValue).sum();
            return shares.get(first + channel % roles.get(kind));
        }

        return shares.get((config.threads() > config.channels() ? kind : channel) % shares.size());
    }

    /** All shares; the first one also runs the conductor. */
    public List<ProgressThread> all()
    {
        return shares;
    }

    /** Workers by stage of each share, which peers connect to. */
    List<Function<Stage, Worker>> workers()
    {
        return shares.stream().map((share) -> (Function<Stage, Worker>)share::worker).toList();
    }

    /** Has the caller run the only share of an engine without threads; null where it has some. */
    Driver driver()
    {
        return driver;
    }

    /** Start the threads, if there are to be any. */
    void start()
    {
        for (int i = 0; i < config.threads(); i++)
        {
            final AgentRunner runner = new AgentRunner(
                idle(), (error) -> shares.get(0).fail(error), null, shares.get(i));
            runners.add(runner);
            final CoreSet cores = config.threading().cores().of(host, i, config.threads());
            AgentRunner.startOnThread(runner, (task) ->
            {
                final Thread thread = new Thread(cores.isEmpty() ? task : () -> runOn(cores, task));
                thread.setDaemon(true);
                return thread;
            });
        }
    }

    private static void runOn(final CoreSet cores, final Runnable task)
    {
        Affinity.tie(cores);
        task.run();
    }

    /** Whether all peers are connected. */
    boolean isReady()
    {
        for (final ProgressThread share : shares)
        {
            if (!share.isReady())
            {
                return false;
            }
        }

        return true;
    }

    /** Wait until all peers are connected. */
    void awaitReady(final int rank)
    {
        final long deadlineNs = System.nanoTime() + config.openTimeout().toNanos();
        while (!isReady())
        {
            final CallFailedException failure = board.failure();
            if (null != failure)
            {
                throw failure.again();
            }

            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new CallFailedException(CallFailedException.Reason.DEADLINE, -1, "rank " + rank +
                    " was not connected within transload.timeouts.open = " + config.openTimeout().toMillis() + " ms: " +
                    ProgressThread.unconnected(shares), null);
            }

            if (null == driver)
            {
                LockSupport.parkNanos(READY_POLL_NS);
            }
            else
            {
                driver.run();
            }
        }
    }

    /** A call was submitted, or became active: threads that rest between calls begin at once. */
    void wake()
    {
        for (int i = 0, size = runners.size(); i < size; i++)
        {
            LockSupport.unpark(runners.get(i).thread());
        }
    }

    /** Close the row kernels and workers of threads that never came to run. */
    void abandon()
    {
        shares.forEach(ProgressThread::abandon);
    }

    /**
     * Stop the threads.
     *
     * @return null once all have ended; else those that do not, as when a call of a driver never returns.
     */
    String stop()
    {
        final long deadlineNs = System.nanoTime() + STOP_TIMEOUT_NS;
        final StringBuilder stuck = new StringBuilder();
        for (final AgentRunner runner : runners)
        {
            final Thread thread = runner.thread();
            try
            {
                runner.close(STOP_RETRY_MS, (ignored) -> requireTime(deadlineNs));
                awaitEnd(thread, deadlineNs);
            }
            catch (final IllegalStateException ex)
            {
                final StackTraceElement[] frames = thread.getStackTrace();
                stuck.append(stuck.isEmpty() ? "" : "; ").append(thread.getName()).append(" does not end")
                    .append(0 == frames.length ? "" : ", it stands at " + frames[0]);
            }
        }

        return stuck.isEmpty() ? null : stuck.toString();
    }

    /** Where the closing thread was interrupted, the runner has not waited. */
    private static void awaitEnd(final Thread thread, final long deadlineNs)
    {
        while (null != thread && thread.isAlive())
        {
            requireTime(deadlineNs);
            LockSupport.parkNanos(MAX_PARK_NS);
        }
    }

    /** Its exception is what ends the runner's wait for its thread. */
    private static void requireTime(final long deadlineNs)
    {
        if (System.nanoTime() - deadlineNs > 0)
        {
            throw new IllegalStateException("out of time");
        }
    }

    /** All of them rest in the end, or an engine between calls would keep its cores for nothing. */
    private IdleStrategy idle()
    {
        return switch (config.threading().idle())
        {
            case SPIN -> new BackoffIdleStrategy(ROUNDS_BEFORE_REST, 0, MIN_PARK_NS, MAX_PARK_NS);
            case YIELD -> new BackoffIdleStrategy(0, ROUNDS_BEFORE_REST, MIN_PARK_NS, MAX_PARK_NS);
            default -> 0 == host.coresPerRank() ? crowdedIdle() :
                new BackoffIdleStrategy(MAX_SPINS, MAX_YIELDS, MIN_PARK_NS, MAX_PARK_NS);
        };
    }

    /** Whom a rank waits for has its turn on a core after others: looking before that only takes time from them. */
    private IdleStrategy crowdedIdle()
    {
        final long others = Math.max(1, host.ranks() / host.cores() - 1);
        return new CrowdedIdle(others * CROWDED_MIN_PARK_NS, others * CROWDED_MAX_PARK_NS);
    }
}
