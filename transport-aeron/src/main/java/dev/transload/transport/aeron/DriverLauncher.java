/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.TransportUnavailableException;
import io.aeron.driver.MediaDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.agrona.concurrent.status.CountersReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts Aeron media drivers. If the files of a driver do not fit into the file system, the exception says so. */
public final class DriverLauncher
{
    private static final Logger LOG = LoggerFactory.getLogger(DriverLauncher.class);

    private DriverLauncher()
    {
    }

    /**
     * Starts a media driver. The driver writes its files in full when it maps them. If the file system became full, the
     * JVM would fail with a memory access error. This method therefore checks the free space first.
     *
     * @param context driver context with its directory; the parent of the directory must exist.
     * @param remedy  advice on how to choose another directory, for error messages.
     * @return running driver.
     * @throws TransportUnavailableException if the driver cannot be started in this directory.
     */
    public static MediaDriver launch(final MediaDriver.Context context, final String remedy)
    {
        return launch(context, remedy, MediaDriver::launch);
    }

    static MediaDriver launch(
        final MediaDriver.Context context, final String remedy, final Function<MediaDriver.Context, MediaDriver> start)
    {
        final Path folder = Path.of(context.aeronDirectoryName()).toAbsolutePath().getParent();
        final long needed = length(context);
        final long free = free(folder);
        if (!tellsItsMount(folder))
        {
            context.performStorageChecks(false);
        }

        if (free < needed)
        {
            throw refusal(folder, needed + " bytes are needed, " + free + " are free", remedy, null);
        }

        try
        {
            return start.apply(context);
        }
        catch (final InternalError ex)
        {
            // Others have taken the room meanwhile.
            throw refusal(folder, needed + " bytes are needed, " + free(folder) + " are free now", remedy, ex);
        }
        catch (final RuntimeException ex)
        {
            throw refusal(folder, ex.getMessage(), remedy, ex);
        }
    }

    /** What a driver writes at once: its buffers, counters, errors and losses; streams come on top. */
    static long length(final MediaDriver.Context context)
    {
        final long metadataLength = (long)context.counterValuesBufferLength() *
            (CountersReader.METADATA_LENGTH / CountersReader.COUNTER_LENGTH);
        return (long)context.conductorBufferLength() + context.toClientsBufferLength() +
            context.counterValuesBufferLength() + metadataLength + context.errorBufferLength() +
            context.lossReportBufferLength();
    }

    /** Java finds none in the root of a plain chroot, which is no mount; Aeron's checks would refuse to start there. */
    private static boolean tellsItsMount(final Path folder)
    {
        try
        {
            Files.getFileStore(folder);
            return true;
        }
        catch (final IOException ex)
        {
            LOG.debug("{} is on no mount that is known here, hence its space is not watched", folder, ex);
            return false;
        }
    }

    private static long free(final Path folder)
    {
        // 0 where it is unknown too; a full one is told by the driver itself.
        final long free = folder.toFile().getUsableSpace();
        return 0 == free && !tellsItsMount(folder) ? Long.MAX_VALUE : free;
    }

    private static TransportUnavailableException refusal(
        final Path folder, final String reason, final String remedy, final Throwable cause)
    {
        return new TransportUnavailableException(
            "transport aeron cannot start a media driver in " + folder + " (" + reason + "): " + remedy, cause);
    }
}
