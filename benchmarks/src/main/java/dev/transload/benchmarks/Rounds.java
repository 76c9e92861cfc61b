/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Repeats something until it is warm and a round of it is long enough to be timed, then times rounds. Of the rounds the
 * median counts; the fastest is given besides, since other load on the machine disturbs it least.
 */
final class Rounds
{
    private static final long ROUND_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(1000);
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    private final double nsPerOperation;
    private final double leastNsPerOperation;
    private final double cpuNsPerOperation;
    private final double allocatedPerOperation;

    private Rounds(final double[] ns, final long cpuNs, final long allocated, final int count)
    {
        final double[] sorted = ns.clone();
        Arrays.sort(sorted);
        this.nsPerOperation = sorted[sorted.length / 2] / count;
        this.leastNsPerOperation = sorted[0] / count;
        this.cpuNsPerOperation = (double)cpuNs / ns.length / count;
        this.allocatedPerOperation = (double)allocated / ns.length / count;
    }

    /**
     * Measure.
     *
     * @param rounds that are timed.
     * @param work   that carries out as many operations as it is told, and waits for their end.
     * @return what they took.
     */
    static Rounds of(final int rounds, final IntConsumer work)
    {
        int count = 1;
        final long beginNs = System.nanoTime();
        long ns = time(work, count);
        while (System.nanoTime() - beginNs < WARM_UP_NS)
        {
            count = (int)Math.max(1, Math.min(Math.min(1L << 24, 4L * count), count * ROUND_NS / Math.max(1, ns)));
            ns = time(work, count);
        }

        final double[] times = new double[rounds];
        final long cpuNs = THREADS.getCurrentThreadCpuTime();
        final long allocated = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < rounds; i++)
        {
            times[i] = time(work, count);
        }

        final long allocatedBytes = THREADS.getCurrentThreadAllocatedBytes() - allocated;
        return new Rounds(times, THREADS.getCurrentThreadCpuTime() - cpuNs, allocatedBytes, count);
    }

    double nsPerOperation()
    {
        return nsPerOperation;
    }

    double leastNsPerOperation()
    {
        return leastNsPerOperation;
    }

    /** Of the calling thread alone. */
    double cpuNsPerOperation()
    {
        return cpuNsPerOperation;
    }

    /** Bytes of the heap, by the calling thread. */
    double allocatedPerOperation()
    {
        return allocatedPerOperation;
    }

    static long time(final IntConsumer work, final int count)
    {
        final long beginNs = System.nanoTime();
        work.accept(count);
        return System.nanoTime() - beginNs;
    }
}
