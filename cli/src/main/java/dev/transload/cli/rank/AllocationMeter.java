/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import com.sun.management.ThreadMXBean;
import dev.transload.engine.EngineConfig;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Java heap that the threads of this process which run engines have allocated so far. Where ranks drive theirs, what
 * calls are made of is counted too.
 */
final class AllocationMeter
{
    private static final String ENGINE_THREADS = "transload-engine-";

    /** Of ranks that share a process. */
    private static final Pattern RANK_THREADS = Pattern.compile("transload-rank-\\d+");

    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private final long[] ids;

    /** Of the threads that run now. */
    AllocationMeter(final EngineConfig config)
    {
        final Predicate<ThreadInfo> isCounted = 0 == config.threads() ? AllocationMeter::isOfRank :
            (info) -> info.getThreadName().startsWith(ENGINE_THREADS);
        ids = Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
            .filter((info) -> null != info && isCounted.test(info))
            .mapToLong(ThreadInfo::getThreadId)
            .toArray();
    }

    private static boolean isOfRank(final ThreadInfo info)
    {
        return Thread.currentThread().getId() == info.getThreadId() ||
            RANK_THREADS.matcher(info.getThreadName()).matches();
    }

    long bytes()
    {
        // A thread that has ended counts −1.
        return Arrays.stream(threads.getThreadAllocatedBytes(ids)).filter((bytes) -> bytes > 0).sum();
    }
}
