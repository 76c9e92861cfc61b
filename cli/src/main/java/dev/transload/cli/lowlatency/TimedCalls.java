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
     * @param engine     which makes the calls; it frees the memory.
     * @param input      of all ranks.
     * @param rank       own number.
     * @param warmup     iterations that come first and leave no times.
     * @param iterations after them.
     */
    public TimedCalls(
        final LowLatencyEngine engine, final CallInput input, final int rank, final int warmup, final int iterations)
    {
        this.engine = engine;
        this.callsOfIteration = input.calls();
        this.calls = new LowLatencyCalls(engine, input, new LowLatencyTensors(engine, input, rank, true), true, warmup,
            iterations, Progress.NONE);
    }

    /** Make all calls of the next iteration. */
    public void iterate()
    {
        for (int call = 0; call < callsOfIteration; call++)
        {
            calls.run(call, 0, null);
        }
    }

    /**
     * Time of a dispatch with its combine, without what is between them.
     *
     * @param iteration among those after the warm-up.
     * @return nanoseconds on this rank, the mean of the calls of the iteration.
     */
    public long meanNs(final int iteration)
    {
        long sumNs = 0;
        for (int call = iteration * callsOfIteration; call < (iteration + 1) * callsOfIteration; call++)
        {
            sumNs += calls.times().dispatchNs()[call] + calls.times().combineNs()[call];
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
