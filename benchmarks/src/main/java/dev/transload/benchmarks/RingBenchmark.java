/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.engine.connect.Connection;
import dev.transload.engine.ring.PushedCredit;
import dev.transload.engine.ring.PushingReturn;
import dev.transload.engine.ring.RingTransfer;
import dev.transload.engine.ring.RowSet;
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
 * A chunk through a ring, in microseconds: credit is looked for, rows are listed and put, the tail is seen by the
 * consumer, whose head goes back as credit. Nothing reads the rows.
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
    private MemoryRegion rows;
    private RowSet set;
    private RingTransfer transfer;
    private PushedCredit credit;
    private PushingReturn giveBack;
    private long next;

    /**
     * Makes the ring.
     *
     * @param state with the ranks.
     */
    @Setup(Level.Trial)
    public void open(final PairState state)
    {
        pair = state.pair();
        rows = pair.first().allocate((long)RankPair.SLOTS * RankPair.ROW_BYTES);
        set = new RowSet(pair.first().transport().allocateRows(RankPair.SLOTS), pair.first().remote());
        final Connection there = pair.openLink(0);
        final Connection back = pair.openLink(1);
        while (!there.isConnected() || !back.isConnected())
        {
            pair.progress();
        }

        transfer = new RingTransfer(there, RankPair.SLOTS, TAIL, set);
        credit = new PushedCredit(pair.first().signals(), HEAD);
        giveBack = new PushingReturn(back, HEAD, chunk);
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
        while (next + chunk - credit.head(next + chunk) > RankPair.SLOTS || !transfer.isReleased(next + chunk - 1))
        {
            pair.progress();
        }

        set.use(rows, RankPair.ROW_BYTES);
        for (int i = 0; i < chunk; i++)
        {
            final int slot = (int)((next + i) % RankPair.SLOTS);
            set.set(slot, (long)slot * RankPair.ROW_BYTES, (long)slot * RankPair.ROW_BYTES);
        }

        transfer.begin(next, chunk);
        while (transfer.isActive())
        {
            transfer.advance();
            pair.progress();
        }

        next += chunk;
        while (pair.second().signals().getAcquire(TAIL) < next)
        {
            pair.progress();
        }

        while (giveBack.isDue(next))
        {
            giveBack.report(next);
            pair.progress();
        }

        return next;
    }
}
