/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.TransportUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the available memory before an allocation, so that the operating system does not later kill a process for lack
 * of memory.
 */
public final class AvailableMemory
{
    private static final Logger LOG = LoggerFactory.getLogger(AvailableMemory.class);
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";
    private static final long KIB = 1024;

    private AvailableMemory()
    {
    }

    /**
     * Throws an exception if a request exceeds the available memory. If the operating system does not report available
     * memory, every request passes.
     *
     * @param transport name of the calling transport, for the error message.
     * @param length    requested length in bytes.
     * @throws TransportUnavailableException if the request exceeds the available memory.
     */
    public static void require(final String transport, final long length)
    {
        final long available = bytes();
        if (length > available)
        {
            throw new TransportUnavailableException("transport " + transport + ": " + length +
                " bytes of memory were asked for, " + available +
                " are available on this machine: ask for smaller regions or run fewer ranks", null);
        }
    }

    private static long bytes()
    {
        try
        {
            final List<String> lines = Files.readAllLines(MEMINFO);
            for (final String line : lines)
            {
                if (line.startsWith(AVAILABLE))
                {
                    return Long.parseLong(line.substring(AVAILABLE.length(), line.lastIndexOf(' ')).trim()) * KIB;
                }
            }
        }
        catch (final IOException | NumberFormatException ex)
        {
            LOG.debug("{} tells nothing", MEMINFO, ex);
        }

        return Long.MAX_VALUE;
    }
}
