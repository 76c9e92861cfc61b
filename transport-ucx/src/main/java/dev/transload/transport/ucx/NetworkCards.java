/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.ucx.internal.ucp.UcxVersions;
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
    private static final String PORTS = "ports";
    private static final String STATE = "state";
    private static final String ACTIVE = "4:";

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

    /**
     * Whether UCX can be asked to add to memory of every peer. It does by shared memory and where cards add, in
     * software as {@link UcxVersions#hasWatchedAdds()} says.
     */
    static boolean areAddsByUcx(
        final UcxOptions options, final TransportSelection selection, final UcxVersions versions)
    {
        return switch (options.atomics())
        {
            case UcxOptions.NONE -> false;
            case UcxOptions.UCX -> true;
            default -> versions.hasWatchedAdds() || UcxOptions.NONE.equals(options.errorHandling()) ||
                !selection.hasNetwork() && !UcxOptions.PEER.equals(options.errorHandling()) ||
                selection.mayAddByCard() && hasActivePort(DEVICES);
        };
    }

    /** Whether a card is connected: of one that is not, UCX makes no use. */
    static boolean hasActivePort(final Path folder)
    {
        if (!Files.isDirectory(folder))
        {
            return false;
        }

        try (Stream<Path> devices = Files.list(folder))
        {
            return devices.anyMatch(NetworkCards::isConnected);
        }
        catch (final IOException ex)
        {
            LOG.debug("{} cannot be listed: a connected device is assumed", folder, ex);
            return true;
        }
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

    private static boolean isConnected(final Path device)
    {
        try (Stream<Path> ports = Files.list(device.resolve(PORTS)))
        {
            return ports.map((port) -> port.resolve(STATE)).anyMatch(NetworkCards::isActive);
        }
        catch (final IOException ex)
        {
            LOG.debug("ports of {} cannot be listed: it is taken for connected", device, ex);
            return true;
        }
    }

    private static boolean isActive(final Path state)
    {
        try
        {
            return Files.readString(state).startsWith(ACTIVE);
        }
        catch (final IOException ex)
        {
            LOG.debug("{} cannot be read: the port is taken for an active one", state, ex);
            return true;
        }
    }
}
