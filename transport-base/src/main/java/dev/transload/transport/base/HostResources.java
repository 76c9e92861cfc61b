/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * Host resources of a transport that connects processes or devices of one host. Opening acquires all of the resources
 * or none.
 *
 * @param directory   private directory for shared host memory and for the socket.
 * @param medium      control medium that listens in the directory.
 * @param identity    identity of the transport.
 * @param directoryOf function that returns the private directory of a rank, given the identity of the rank.
 */
public record HostResources(
    PrivateDirectory directory,
    SocketMedium medium,
    PeerIdentity identity,
    Function<PeerIdentity, String> directoryOf)
{
    private static final String SOCKET = "control";

    /**
     * Creates the private directory and starts listening. The contact in the identity consists only of the path of the
     * directory.
     *
     * @param transport name of the transport.
     * @param config    configuration of the transport.
     * @param base      parent directory of the private directory.
     * @return open resources.
     * @throws dev.transload.spi.TransportUnavailableException if the directory or the socket cannot be created.
     */
    public static HostResources open(final String transport, final TransportConfig config, final Path base)
    {
        return open(transport, config, base, "process " + ProcessHandle.current().pid(), StandardCharsets.UTF_8::encode,
            (peer) -> StandardCharsets.UTF_8.decode(peer.contact()).toString());
    }

    /**
     * Creates the private directory and starts listening.
     *
     * @param transport   name of the transport.
     * @param config      configuration of the transport.
     * @param base        parent directory of the private directory.
     * @param place       location of the rank for error messages, such as its device.
     * @param contact     function that encodes the path of the directory as the contact in the identity.
     * @param directoryOf function that returns the private directory of a rank, given the identity of the rank.
     * @return open resources.
     * @throws dev.transload.spi.TransportUnavailableException if the directory or the socket cannot be created.
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
     * Creates the transport that uses these resources. If the creation fails, the resources are released.
     *
     * @param maker function that creates the transport from these resources.
     * @param <T>   type of the transport.
     * @return open transport.
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
