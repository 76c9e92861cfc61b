/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.spi.Channel;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Signals, in nanoseconds: how long one add takes to be seen, and what a look costs that finds nothing new. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SignalBenchmark
{
    private RankPair pair;
    private Channel channel;
    private RemoteSignals there;
    private SignalRegion seen;
    private long count;

    /**
     * Takes the signals.
     *
     * @param state with the ranks.
     */
    @Setup(Level.Trial)
    public void open(final PairState state)
    {
        pair = state.pair();
        channel = pair.first().channel();
        there = pair.first().remoteSignals();
        seen = pair.second().signals();
        count = seen.getAcquire(0);
    }

    /**
     * Add, and look until the peer sees it.
     *
     * @param allocation of this thread.
     * @return value that was seen.
     */
    @Benchmark
    public long addUntilSeen(final ThreadAllocation allocation)
    {
        allocation.call();
        count++;
        while (channel.atomicAdd(there, 0, 1) < 0)
        {
            pair.progress();
        }

        long value = seen.getAcquire(0);
        while (value < count)
        {
            pair.progress();
            value = seen.getAcquire(0);
        }

        return value;
    }

    /**
     * A look.
     *
     * @param allocation of this thread.
     * @return value.
     */
    @Benchmark
    public long getAcquire(final ThreadAllocation allocation)
    {
        allocation.call();
        return seen.getAcquire(0);
    }
}
