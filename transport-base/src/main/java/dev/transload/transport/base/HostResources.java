/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * What a transport between processes or devices of one host takes from the host when it opens: all of it, or nothing.
 *
 * @param directory   private one, of host memory and of the socket.
 * @param medium      that listens in it.
 * @param identity    of the transport.
 * @param directoryOf private directory of any rank, by the contact in its identity.
 */
public record HostResources(
    PrivateDirectory directory,
    SocketMedium medium,
    PeerIdentity identity,
    Function<PeerIdentity, String> directoryOf)
{
    private static final String SOCKET = "control";

    /**
     * Make the directory, and listen. The contact is the path of the directory, and nothing else.
     *
     * @param transport name.
     * @param config    of the transport.
     * @param base      folder in which the directory is made.
     * @return resources.
     * @throws dev.transload.spi.TransportUnavailableException if there is no room, or no socket.
     */
    public static HostResources open(final String transport, final TransportConfig config, final Path base)
    {
        return open(transport, config, base, "process " + ProcessHandle.current().pid(), StandardCharsets.UTF_8::encode,
            (peer) -> StandardCharsets.UTF_8.decode(peer.contact()).toString());
    }

    /**
     * Make the directory, and listen.
     *
     * @param transport   name.
     * @param config      of the transport.
     * @param base        folder in which the directory is made.
     * @param place       of the rank, for messages, such as its device.
     * @param contact     encoded, for the path of the directory.
     * @param directoryOf path of a rank's directory, by the contact in its identity.
     * @return resources.
     * @throws dev.transload.spi.TransportUnavailableException if there is no room, or no socket.
     */
    public static HostResources open(
        final String transport, final TransportConfig config, final Path base, final String place,
        final Function<String, ByteBuffer> contact, final Function<PeerIdentity, String> directoryOf)
    {
        final long transportId = Identifiers.random();
        final String name = ProcessHandle.current().pid() + "-" + config.rank() + "-" + config.incarnation() + "-" +
            Long.toHexString(transportId);
        final PrivateDirectory directory =
            PrivateDirectory.create(transport, base, name, MappedFile.DIRECTORY.key());
        SocketMedium medium = null;
        try
        {
            final PeerIdentity identity = new PeerIdentity(transport, config.rank(), config.incarnation(), transportId,
                Identifiers.random(), ProcessIdentity.local(), place, contact.apply(directory.path().toString()));
            medium = SocketMedium.listen(
                transport, directory.path().resolve(SOCKET), (peer) -> Path.of(directoryOf.apply(peer), SOCKET));
            return new HostResources(directory, medium, identity, directoryOf);
        }
        finally
        {
            if (null == medium)
            {
                directory.close();
            }
        }
    }

    /**
     * Make the transport that has them; they are given back if that fails.
     *
     * @param maker of the transport.
     * @param <T>   of the transport.
     * @return the transport, open.
     */
    public <T extends Transport> T into(final Function<HostResources, T> maker)
    {
        T transport = null;
        try
        {
            transport = maker.apply(this);
            return transport;
        }
        finally
        {
            if (null == transport)
            {
                medium.close();
                directory.close();
            }
        }
    }
}
