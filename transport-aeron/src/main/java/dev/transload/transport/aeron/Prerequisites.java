/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.MappedFile;
import io.aeron.CommonContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the transport needs of the host, each missing thing told in one sentence. */
final class Prerequisites
{
    private static final Logger LOG = LoggerFactory.getLogger(Prerequisites.class);
    private static final long DRIVER_TIMEOUT_MS = TimeUnit.SECONDS.toMillis(10);

    private Prerequisites()
    {
    }

    static void check(final AeronOptions options)
    {
        if (options.mayMap())
        {
            checkDirectory(options.regionDirectory(), MappedFile.DIRECTORY.key());
        }

        if (!options.isExternal())
        {
            checkDirectory(options.driverDirectory(), AeronOptions.DRIVER_DIRECTORY.key());
        }
        else if (!CommonContext.isDriverActive(options.aeronDir().toFile(), DRIVER_TIMEOUT_MS, LOG::debug))
        {
            throw new TransportUnavailableException("transport aeron finds no running media driver in " +
                options.aeronDir() + ": start one, or leave transload.aeron.aeron-dir empty", null);
        }
    }

    private static void checkDirectory(final Path directory, final String option)
    {
        Path existing = directory;
        while (!Files.exists(existing) && null != existing.getParent())
        {
            existing = existing.getParent();
        }

        if (!Files.isDirectory(existing) || !Files.isWritable(existing))
        {
            throw new TransportUnavailableException("transport aeron cannot write to " + directory +
                ": set transload.aeron." + option + " to a directory that can be written", null);
        }
    }
}
