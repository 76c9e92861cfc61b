/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.TimeBuckets;
import dev.transload.engine.internal.observe.CounterBlock;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Cumulative figures of an engine: written by the calling thread alone, read by any. */
final class CallCounters implements LowLatencyCounters
{
    private static final int KINDS = LowLatencyCall.values().length;
    private static final int CALLS = 0;
    private static final int CALL_NS = CALLS + KINDS;
    private static final int BY_TIME = CALL_NS + KINDS;
    private static final int SENT_BYTES = BY_TIME + KINDS * TimeBuckets.COUNT;
    private static final int LEFT_OUT = SENT_BYTES + KINDS;
    private static final int WAIT_NS = LEFT_OUT + 1;

    private final int ranks;
    private final int maxLocalExperts;
    private final int rows;
    private final AtomicReferenceArray<String> maskReasons;
    private final CounterBlock block;

    /** With reasons of masked ranks; nothing else of the engine, whose figures may be kept for longer. */
    CallCounters(final Shape shape, final AtomicReferenceArray<String> maskReasons)
    {
        this.ranks = shape.ranks();
        this.maxLocalExperts = shape.maxLocalExperts();
        this.rows = WAIT_NS + KINDS * ranks;
        this.maskReasons = maskReasons;
        this.block = new CounterBlock(rows + maxLocalExperts);
    }

    void sent(final LowLatencyCall call, final long bytes)
    {
        block.add(SENT_BYTES + call.ordinal(), bytes);
    }

    void waited(final LowLatencyCall call, final int rank, final long ns)
    {
        block.add(WAIT_NS + call.ordinal() * ranks + rank, ns);
    }

    void came(final int localExpert, final long count)
    {
        block.add(rows + localExpert, count);
    }

    void leftOut(final long selections)
    {
        block.add(LEFT_OUT, selections);
    }

    /** A reader that sees a call counted sees all else of it. */
    void ended(final LowLatencyCall call, final long ns)
    {
        block.add(BY_TIME + call.ordinal() * TimeBuckets.COUNT + TimeBuckets.of(ns), 1);
        block.add(CALL_NS + call.ordinal(), ns);
        block.add(CALLS + call.ordinal(), 1);
    }

    @Override
    public int ranks()
    {
        return ranks;
    }

    @Override
    public int maxLocalExperts()
    {
        return maxLocalExperts;
    }

    @Override
    public long calls(final LowLatencyCall call)
    {
        return block.get(CALLS + call.ordinal());
    }

    @Override
    public long callNs(final LowLatencyCall call)
    {
        return block.get(CALL_NS + call.ordinal());
    }

    @Override
    public long calls(final LowLatencyCall call, final int bucket)
    {
        return block.get(
            BY_TIME + call.ordinal() * TimeBuckets.COUNT + requireBelow(bucket, TimeBuckets.COUNT, "bucket"));
    }

    @Override
    public long sentBytes(final LowLatencyCall call)
    {
        return block.get(SENT_BYTES + call.ordinal());
    }

    @Override
    public long waitNs(final LowLatencyCall call, final int rank)
    {
        return block.get(WAIT_NS + call.ordinal() * ranks + requireBelow(rank, ranks, "rank"));
    }

    @Override
    public long rows(final int localExpert)
    {
        return block.get(rows + requireBelow(localExpert, maxLocalExperts, "localExpert"));
    }

    @Override
    public long leftOut()
    {
        return block.get(LEFT_OUT);
    }

    @Override
    public boolean isActive(final int rank)
    {
        return null == maskReasons.getAcquire(requireBelow(rank, ranks, "rank"));
    }

    private static int requireBelow(final int index, final int bound, final String name)
    {
        if (index < 0 || index >= bound)
        {
            throw new IndexOutOfBoundsException(
                name + " = " + index + " is not allowed: must be in [0, " + bound + ")");
        }

        return index;
    }

    LowLatencyStatistics snapshot()
    {
        final long[] rowsPerExpert = new long[maxLocalExperts];
        for (int expert = 0; expert < maxLocalExperts; expert++)
        {
            rowsPerExpert[expert] = rows(expert);
        }

        final long[] waitNsPerRank = new long[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            waitNsPerRank[rank] = waitNs(LowLatencyCall.DISPATCH, rank) + waitNs(LowLatencyCall.COMBINE, rank);
        }

        return new LowLatencyStatistics(calls(LowLatencyCall.DISPATCH), calls(LowLatencyCall.COMBINE), rowsPerExpert,
            waitNsPerRank, leftOut(), sentBytes(LowLatencyCall.DISPATCH) + sentBytes(LowLatencyCall.COMBINE));
    }
}
