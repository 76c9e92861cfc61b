/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the network cards of this host, those that UCX drives itself, mean for a transport. */
final class NetworkCards
{
    private static final Logger LOG = LoggerFactory.getLogger(NetworkCards.class);
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private NetworkCards()
    {
    }

    /**
     * Whether this CPU may add to words that several write. Adds of a network card and of a CPU to one word are not
     * atomic against each other, so all of them must go one way; without a card UCX itself adds by a CPU.
     */
    static boolean areAddsByCpu(final UcxOptions options, final TransportSelection selection)
    {
        return switch (options.atomics())
        {
            case UcxOptions.CPU -> true;
            case UcxOptions.UCX -> false;
            default -> !selection.hasNetwork() || !hasDevices();
        };
    }

    static boolean hasDevices()
    {
        return hasDevices(DEVICES);
    }

    static boolean hasDevices(final Path folder)
    {
        if (!Files.isDirectory(folder))
        {
            return false;
        }

        try (Stream<Path> devices = Files.list(folder))
        {
            return devices.findAny().isPresent();
        }
        catch (final IOException ex)
        {
            LOG.debug("{} cannot be listed: a device is assumed", folder, ex);
            return true;
        }
    }
}
