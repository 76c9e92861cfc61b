/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.transload.cli.rank.RankReport.ProcessorReport;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** Processor time that this process has used since the meter was made: user and system, of whatever rank. */
public final class ProcessorMeter
{
    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private final OperatingSystemMXBean process =
        (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
    private final long[] ids = threads.getAllThreadIds();
    private final long[] beginNs = threads.getThreadCpuTime(ids);
    private long processBeginNs = process.getProcessCpuTime();
    private long[] pausedNs;
    private long processPausedNs;

    /** What is used from now on is not counted. */
    public void pause()
    {
        pausedNs = threads.getThreadCpuTime(ids);
        processPausedNs = process.getProcessCpuTime();
    }

    /** Count again. */
    public void resume()
    {
        final long[] now = threads.getThreadCpuTime(ids);
        for (int i = 0; i < now.length; i++)
        {
            beginNs[i] += Math.max(0, now[i] - pausedNs[i]);
        }

        processBeginNs += process.getProcessCpuTime() - processPausedNs;
    }

    /**
     * Used so far.
     *
     * @param iterations made meanwhile.
     * @return processor time of one of them.
     */
    public ProcessorReport used(final int iterations)
    {
        return used(threads.getThreadCpuTime(ids), process.getProcessCpuTime() - processBeginNs, iterations);
    }

    /**
     * Used until the pause that lasts, or was last.
     *
     * @param iterations made meanwhile.
     * @return processor time of one of them.
     */
    public ProcessorReport usedAtPause(final int iterations)
    {
        return used(pausedNs.clone(), processPausedNs - processBeginNs, iterations);
    }

    private ProcessorReport used(final long[] endNs, final long processNs, final int iterations)
    {
        // A thread that has ended counts −1.
        for (int i = 0; i < endNs.length; i++)
        {
            endNs[i] = Math.max(0, endNs[i] - beginNs[i]);
        }

        return new ProcessorReport(
            Arrays.stream(endNs).sum() / (double)iterations, processNs / (double)iterations);
    }
}
