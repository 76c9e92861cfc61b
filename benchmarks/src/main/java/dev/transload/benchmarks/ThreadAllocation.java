/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What the measuring thread itself allocates; the profiler's {@code gc.alloc.rate.norm} has the harness in it, some
 * hundred kilobytes an iteration, which looks like much where an operation is long. JMH adds up the iterations of both.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class ThreadAllocation
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    /** Invocations of the benchmark method. */
    public long calls;

    /** Bytes of the heap that they took. */
    public long threadBytes;

    private long start;

    /** Starts anew. */
    @Setup(Level.Iteration)
    public void begin()
    {
        calls = 0;
    }

    /** Ends before the harness writes its results. */
    @TearDown(Level.Iteration)
    public void end()
    {
        threadBytes = THREADS.getCurrentThreadAllocatedBytes() - start;
    }

    /** Counts a call, before it does anything. */
    void call()
    {
        if (0 == calls++)
        {
            start = THREADS.getCurrentThreadAllocatedBytes();
        }
    }
}
