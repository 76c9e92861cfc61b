/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.TransportConfig;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * What a transport between devices of one host takes from the host when it opens: all of it, or nothing.
 *
 * @param directory private one, of host memory and of the socket.
 * @param medium    that listens in it.
 * @param identity  of the transport.
 */
public record HostResources(PrivateDirectory directory, SocketMedium medium, PeerIdentity identity)
{
    /**
     * Make the directory, and listen.
     *
     * @param transport name.
     * @param config    of the transport.
     * @param base      folder in which the directory is made.
     * @param place     of the rank, for messages, such as its device.
     * @param contact   encoded, for the path of the directory.
     * @param socketOf  where a rank listens, by the contact in its identity.
     * @return resources.
     * @throws dev.transload.spi.TransportUnavailableException if there is no room, or no socket.
     */
    public static HostResources open(
        final String transport, final TransportConfig config, final Path base, final String place,
        final Function<String, ByteBuffer> contact, final Function<PeerIdentity, Path> socketOf)
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
            medium = SocketMedium.listen(transport, socketOf.apply(identity), socketOf);
            return new HostResources(directory, medium, identity);
        }
        finally
        {
            if (null == medium)
            {
                directory.close();
            }
        }
    }

    /** Only where no transport was made of them. */
    public void close()
    {
        medium.close();
        directory.close();
    }
}
