/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processor time of this process and of all that it started, from {@code /proc}. Children that have ended count once
 * their parent has waited for them, which the JVM does by itself.
 */
final class ProcessorTime
{
    /** {@code sysconf(_SC_CLK_TCK)}, which is 100 on every Linux that a JDK runs on. */
    private static final long NS_PER_TICK = 10_000_000L;
    /** Of utime, stime, cutime and cstime, counted behind the name in {@code /proc/PID/stat}. */
    private static final int FIRST_FIELD = 11;
    private static final int FIELDS = 4;

    private ProcessorTime()
    {
    }

    /**
     * Up to now.
     *
     * @return nanoseconds.
     */
    static long nowNs()
    {
        final ProcessHandle own = ProcessHandle.current();
        return (ticks(own.pid()) + own.descendants().mapToLong((child) -> ticks(child.pid())).sum()) * NS_PER_TICK;
    }

    /** 0 for a process that has ended meanwhile: its parent has its time. */
    private static long ticks(final long pid)
    {
        final String stat;
        try
        {
            stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        }
        catch (final IOException ex)
        {
            return 0;
        }

        return ticks(stat);
    }

    /**
     * What a line says.
     *
     * @param stat of {@code /proc/PID/stat}; the name in it may contain blanks and parentheses.
     * @return clock ticks of the process and of its children that were waited for.
     */
    static long ticks(final String stat)
    {
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long ticks = 0;
        for (int i = FIRST_FIELD; i < FIRST_FIELD + FIELDS; i++)
        {
            ticks += Long.parseLong(fields[i]);
        }

        return ticks;
    }
}
