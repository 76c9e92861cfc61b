/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Operations of a channel, in nanoseconds each. All but {@link #flush} are submitted {@link #BATCH} at a time and then
 * flushed, so that a figure includes its share of the way to the peer.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ChannelBenchmark
{
    private static final int BATCH = 512;
    private static final int CHUNK = 64;

    private RankPair pair;
    private Channel channel;
    private MemoryRegion own;
    private RemoteRegion remote;
    private RowList rows;

    /**
     * Takes memory, and lists its rows.
     *
     * @param state with the ranks.
     */
    @Setup(Level.Trial)
    public void open(final PairState state)
    {
        pair = state.pair();
        channel = pair.first().channel();
        own = pair.first().allocate((long)RankPair.SLOTS * RankPair.ROW_BYTES);
        remote = pair.first().remote();
        rows = pair.first().transport().allocateRows(BATCH).rowLength(RankPair.ROW_BYTES);
        for (int i = 0; i < BATCH; i++)
        {
            rows.set(i, (long)i * RankPair.ROW_BYTES, (long)(BATCH - 1 - i) * RankPair.ROW_BYTES);
        }
    }

    /**
     * Put of one word.
     *
     * @param allocation of this thread.
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long putWord(final ThreadAllocation allocation)
    {
        allocation.call();
        for (int i = 0; i < BATCH; i++)
        {
            put(i, Long.BYTES);
        }

        return pair.flush();
    }

    /**
     * Put of a row, each to another place.
     *
     * @param allocation of this thread.
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long putRow(final ThreadAllocation allocation)
    {
        allocation.call();
        for (int i = 0; i < BATCH; i++)
        {
            put(i, RankPair.ROW_BYTES);
        }

        return pair.flush();
    }

    /**
     * Put of a row from a list, {@link #CHUNK} a call.
     *
     * @param allocation of this thread.
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long putRowOfList(final ThreadAllocation allocation)
    {
        allocation.call();
        int done = 0;
        while (done < BATCH)
        {
            final long before = channel.position();
            final long status = channel.putRows(own, remote, rows, done, Math.min(CHUNK - done % CHUNK, BATCH - done));
            if (status < 0)
            {
                pair.progress();
            }
            else
            {
                done += (int)(status - before);
            }
        }

        return pair.flush();
    }

    /**
     * Load of a row.
     *
     * @param allocation of this thread.
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long loadRow(final ThreadAllocation allocation)
    {
        allocation.call();
        for (int i = 0; i < BATCH; i++)
        {
            final long offset = (long)i * RankPair.ROW_BYTES;
            while (channel.load(remote, offset, own, offset, RankPair.ROW_BYTES) < 0)
            {
                pair.progress();
            }
        }

        return pair.flush();
    }

    /**
     * Add to a signal.
     *
     * @param allocation of this thread.
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long atomicAdd(final ThreadAllocation allocation)
    {
        allocation.call();
        for (int i = 0; i < BATCH; i++)
        {
            while (channel.atomicAdd(pair.first().remoteSignals(), 0, 1) < 0)
            {
                pair.progress();
            }
        }

        return pair.flush();
    }

    /**
     * Put of one word, and a fence that has something to order.
     *
     * @param allocation of this thread.
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long putWordAndFence(final ThreadAllocation allocation)
    {
        allocation.call();
        for (int i = 0; i < BATCH; i++)
        {
            put(i, Long.BYTES);
            while (channel.fence() < 0)
            {
                pair.progress();
            }
        }

        return pair.flush();
    }

    /**
     * Put of one word, with a wait for its remote completion.
     *
     * @param allocation of this thread.
     * @return position.
     */
    @Benchmark
    public long flush(final ThreadAllocation allocation)
    {
        allocation.call();
        put(0, Long.BYTES);
        return pair.flush();
    }

    private void put(final int slot, final int bytes)
    {
        final long offset = (long)slot * RankPair.ROW_BYTES;
        while (channel.put(own, offset, remote, offset, bytes) < 0)
        {
            pair.progress();
        }
    }
}
