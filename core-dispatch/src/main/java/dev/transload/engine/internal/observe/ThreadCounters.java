/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.observe;

import dev.transload.engine.PeerWait;
import dev.transload.engine.Traffic;
import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Stage;
import java.util.ArrayList;
import java.util.List;

/** What one engine thread moved and waited for; written by that thread alone, read by any. */
public final class ThreadCounters
{
    private static final Traffic[] TRAFFIC = Traffic.values();
    private static final WaitCounter[] COUNTERS = WaitCounter.values();
    private static final int STAGES = Stage.values().length;
    private static final int ROWS = 0;
    private static final int BYTES = ROWS + TRAFFIC.length;
    private static final int HIGH_WATER = BYTES + TRAFFIC.length;
    private static final int STAGED_BYTES = HIGH_WATER + TRAFFIC.length;
    private static final int REFUSALS = STAGED_BYTES + 1;
    private static final int WAITS = REFUSALS + 1;
    /** Words of a wait: nanoseconds, times. */
    private static final int WAIT_WORDS = 2;

    private final int ranks;
    private final CounterBlock block;
    private int callOffset;

    public ThreadCounters(final int ranks)
    {
        this.ranks = ranks;
        this.block = new CounterBlock(WAITS + TRAFFIC.length / STAGES * COUNTERS.length * ranks * WAIT_WORDS);
    }

    /**
     * What follows belongs to calls of a kind.
     *
     * @param isCombine whether to combines; else to dispatches.
     */
    public void countFor(final boolean isCombine)
    {
        callOffset = isCombine ? STAGES : 0;
    }

    /** A chunk was handed to the transport entirely. */
    public void moved(final Stage stage, final int rows, final long bytes)
    {
        block.add(ROWS + callOffset + stage.ordinal(), rows);
        block.add(BYTES + callOffset + stage.ordinal(), bytes);
    }

    /** A chunk was copied between the payload's memory and host memory. */
    public void staged(final long bytes)
    {
        block.add(STAGED_BYTES, bytes);
    }

    /** Rows were found in a ring of this rank. */
    public void found(final Stage stage, final long rows)
    {
        block.raise(HIGH_WATER + callOffset + stage.ordinal(), rows);
    }

    /** A transport refused an operation for the time being. */
    public void refused()
    {
        block.add(REFUSALS, 1);
    }

    /**
     * The thread found nothing to do.
     *
     * @param isNew whether the wait begins.
     */
    public void waited(final Wait wait, final long ns, final boolean isNew)
    {
        final int at = at(callOffset / STAGES, wait.counter().ordinal(), wait.rank());
        block.add(at, ns);
        if (isNew)
        {
            block.add(at + 1, 1);
        }
    }

    /** Rows of a stage. */
    public long rows(final Traffic traffic)
    {
        return block.get(ROWS + traffic.ordinal());
    }

    /** Bytes of a stage. */
    public long bytes(final Traffic traffic)
    {
        return block.get(BYTES + traffic.ordinal());
    }

    /** Most rows found in one ring. */
    public long highWater(final Traffic traffic)
    {
        return block.get(HIGH_WATER + traffic.ordinal());
    }

    /**
     * Copied between the payload's memory and host memory.
     *
     * @return bytes.
     */
    public long stagedBytes()
    {
        return block.get(STAGED_BYTES);
    }

    /** Operations that transports refused for the time being. */
    public long refusals()
    {
        return block.get(REFUSALS);
    }

    /**
     * Sum the waits of several threads.
     *
     * @return waits that are not zero: dispatches before combines, then by counter, then by rank.
     */
    public static List<PeerWait> waits(final List<ThreadCounters> threads)
    {
        final List<PeerWait> waits = new ArrayList<>();
        for (int call = 0; call < TRAFFIC.length / STAGES; call++)
        {
            for (final WaitCounter counter : COUNTERS)
            {
                for (int rank = 0; rank < threads.get(0).ranks; rank++)
                {
                    long ns = 0;
                    long times = 0;
                    for (final ThreadCounters thread : threads)
                    {
                        final int at = thread.at(call, counter.ordinal(), rank);
                        ns += thread.block.get(at);
                        times += thread.block.get(at + 1);
                    }

                    if (ns > 0 || times > 0)
                    {
                        waits.add(new PeerWait(TRAFFIC[call * STAGES].call(), rank, counter.title(), ns, times));
                    }
                }
            }
        }

        return waits;
    }

    private int at(final int call, final int counter, final int rank)
    {
        return WAITS + ((call * COUNTERS.length + counter) * ranks + rank) * WAIT_WORDS;
    }
}
