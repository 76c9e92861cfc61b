/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.ring.PushedCredit;
import dev.transload.engine.internal.ring.PushingReturn;
import dev.transload.engine.internal.ring.RingPuts;
import dev.transload.engine.internal.ring.RingReader;
import dev.transload.engine.internal.ring.RingWriter;
import dev.transload.spi.MemoryRegion;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A chunk through a ring, in microseconds: credit is looked for, slots are put, the tail is seen by the consumer, whose
 * head goes back as credit. Nothing reads the rows.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RingBenchmark
{
    private static final int TAIL = 0;
    private static final int HEAD = 1;

    /** Rows of a chunk; one row shows what a chunk costs besides its rows. */
    @Param({"1", "64"})
    public int chunk;

    private RankPair pair;
    private RingWriter writer;
    private RingPuts puts;
    private RingReader reader;

    /**
     * Makes the ring.
     *
     * @param state with the ranks.
     */
    @Setup(Level.Trial)
    public void open(final PairState state)
    {
        pair = state.pair();
        final MemoryRegion rows = pair.first().allocate((long)RankPair.SLOTS * RankPair.ROW_BYTES);
        final Connection there = pair.openLink(0);
        final Connection back = pair.openLink(1);
        while (!there.isConnected() || !back.isConnected())
        {
            pair.progress();
        }

        writer = new RingWriter(new PushedCredit(pair.first().signals(), HEAD), RankPair.SLOTS);
        puts = new RingPuts(there, RankPair.SLOTS, false);
        puts.use(RingPuts.ROWS, rows, 0, pair.first().remote(), 0, RankPair.ROW_BYTES, RankPair.ROW_BYTES);
        reader = new RingReader(new PushingReturn(back, HEAD, chunk), RankPair.SLOTS);
    }

    /**
     * One chunk there, and its credit back.
     *
     * @param allocation of this thread.
     * @return head.
     */
    @Benchmark
    public long exchange(final ThreadAllocation allocation)
    {
        allocation.call();
        while (writer.room(chunk) < chunk || !puts.isFree() || puts.sent() - puts.released() > RankPair.SLOTS - chunk)
        {
            pair.progress();
        }

        writer.fill(chunk);
        puts.send(chunk, TAIL, writer.tell(), 0);
        while (pair.second().signals().getAcquire(TAIL) < writer.end())
        {
            puts.advance();
            pair.progress();
        }

        reader.consumed(writer.filled());
        while (reader.isDue())
        {
            pair.progress();
            reader.consumed(writer.filled());
        }

        return writer.end();
    }
}
