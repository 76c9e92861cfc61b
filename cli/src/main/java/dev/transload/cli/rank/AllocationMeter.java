/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;

/** Java heap that the engine's threads of this process have allocated so far. */
final class AllocationMeter
{
    private static final String ENGINE_THREADS = "transload-engine-";

    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private final long[] ids;

    /** Of the threads that run now. */
    AllocationMeter()
    {
        ids = Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
            .filter((info) -> null != info && info.getThreadName().startsWith(ENGINE_THREADS))
            .mapToLong(ThreadInfo::getThreadId)
            .toArray();
    }

    long bytes()
    {
        // A thread that has ended counts −1.
        return Arrays.stream(threads.getThreadAllocatedBytes(ids)).filter((bytes) -> bytes > 0).sum();
    }
}
