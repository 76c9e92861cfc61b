/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the start time of a process. The start time distinguishes the process from a later process with the same
 * process ID. This class does not use the start time of {@link ProcessHandle}, which is derived from the wall clock: if
 * the clock is adjusted, two processes may read different start times of the same process.
 */
public final class ProcessStart
{
    private static final Logger LOG = LoggerFactory.getLogger(ProcessStart.class);

    /** starttime (proc(5)) among the fields of /proc/PID/stat behind the name, which ends with the last parenthesis. */
    private static final int START_FIELD = 19;

    private ProcessStart()
    {
    }

    /**
     * Returns the start time of a process in clock ticks since the boot of the host. All processes of a host read the
     * same value.
     *
     * @param pid process ID.
     * @return clock ticks, or 0 if the operating system does not report the start time or the process does not exist.
     */
    public static long of(final long pid)
    {
        return of(fields(pid));
    }

    static long of(final String[] fields)
    {
        return fields.length <= START_FIELD ? 0 : Long.parseLong(fields[START_FIELD]);
    }

    /** Fields behind the name, the state first; none where there is no such process. A channel would keep a buffer. */
    static String[] fields(final long pid)
    {
        try (InputStream stat = new FileInputStream("/proc/" + pid + "/stat"))
        {
            final String text = new String(stat.readAllBytes(), StandardCharsets.US_ASCII);
            return text.substring(text.lastIndexOf(')') + 2).split(" ");
        }
        catch (final IOException ex)
        {
            LOG.debug("there is no process {}, or nothing is told of it", pid, ex);
            return new String[0];
        }
    }
}
