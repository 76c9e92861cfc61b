/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.launch.Progress;
import dev.transload.engine.lowlatency.LowLatencyEngine;

/** Iterations over all calls of an input for their times alone: nothing that arrives is verified. */
public final class TimedCalls implements AutoCloseable
{
    private final LowLatencyEngine engine;
    private final int callsOfIteration;
    private final LowLatencyCalls calls;

    /**
     * Allocate what calls need, collectively where devices do the steps.
     *
     * @param engine which makes the calls; it frees the memory.
     * @param input  of all ranks.
     * @param rank   own number.
     * @param most   iterations that are made at most.
     */
    public TimedCalls(final LowLatencyEngine engine, final CallInput input, final int rank, final int most)
    {
        this.engine = engine;
        this.callsOfIteration = input.calls();
        this.calls = new LowLatencyCalls(engine, input, new LowLatencyTensors(engine, input, rank, true), true, 0,
            most, Progress.NONE);
    }

    /**
     * Make all calls of the next iteration.
     *
     * @return nanoseconds of a dispatch with its combine on this rank, without what is between them; the mean of the
     *     iteration.
     */
    public long iterate()
    {
        long sumNs = 0;
        for (int call = 0; call < callsOfIteration; call++)
        {
            final int index = calls.times().index();
            calls.run(call, 0, null);
            sumNs += calls.times().dispatchNs()[index] + calls.times().combineNs()[index];
        }

        return sumNs / callsOfIteration;
    }

    /**
     * Whether times are those of all ranks.
     *
     * @return a clause that names a rank that calls went on without, and why; null where there is none.
     */
    public String lost()
    {
        final int[] masked = calls.masked();
        return 0 == masked.length ? null :
            "its calls went on without rank " + masked[0] + ": " + engine.maskReason(masked[0]);
    }

    @Override
    public void close()
    {
        calls.close();
    }
}
