/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Assumptions;

/** What code allocates on the thread that runs it. */
final class Allocation
{
    /** What is run for the first times loads classes, and is compiled beside this thread. */
    private static final int ATTEMPTS = 9;

    private Allocation()
    {
    }

    /** Runs the code until a run allocates nothing, at most nine times, and returns the bytes of the best run. */
    static long leastBytes(final Runnable code)
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        Assumptions.assumeTrue(threads.isThreadAllocatedMemorySupported(), "this JVM does not count allocation");
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && least > 0; i++)
        {
            final long before = threads.getCurrentThreadAllocatedBytes();
            code.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }

        return least;
    }
}
