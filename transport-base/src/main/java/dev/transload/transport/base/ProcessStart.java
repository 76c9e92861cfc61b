/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What tells a process from a later one with the same number. {@link ProcessHandle} derives the time of a start from
 * the wall clock, so that two processes may read it a second apart for one start, wherever the clock is being set.
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
     * When a process started, in clock ticks since the host did; all processes of a host read the same.
     *
     * @param pid number of the process.
     * @return ticks, 0 where the operating system does not tell, or there is no such process.
     */
    public static long of(final long pid)
    {
        final Path stat = Path.of("/proc", Long.toString(pid), "stat");
        if (!Files.isReadable(stat))
        {
            return 0;
        }

        try
        {
            final String text = Files.readString(stat);
            final String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[START_FIELD]);
        }
        catch (final IOException ex)
        {
            LOG.debug("{} vanished", stat, ex);
            return 0;
        }
    }
}
