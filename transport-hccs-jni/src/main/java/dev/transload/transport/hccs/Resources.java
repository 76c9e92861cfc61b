/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.Identifiers;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.PrivateDirectory;
import dev.transload.transport.base.ProcessIdentity;
import dev.transload.transport.base.SocketMedium;
import dev.transload.transport.hccs.acl.AclDevice;

/**
 * What a transport takes from the host when it opens: all of it, or nothing.
 *
 * @param directory of host memory and of the socket.
 * @param medium    that listens.
 * @param identity  of the transport.
 */
record Resources(PrivateDirectory directory, SocketMedium medium, PeerIdentity identity)
{
    static Resources open(final TransportConfig config, final HccsOptions options, final AclDevice device)
    {
        final long transportId = Identifiers.random();
        final String name = ProcessHandle.current().pid() + "-" + config.rank() + "-" + config.incarnation() + "-" +
            Long.toHexString(transportId);
        final PrivateDirectory directory = PrivateDirectory.create(
            HccsOptions.TRANSPORT, options.regionDirectory(), name, MappedFile.DIRECTORY.key());
        SocketMedium medium = null;
        try
        {
            final HccsContact contact = new HccsContact(device.ordinal(), directory.path().toString());
            medium = SocketMedium.listen(
                HccsOptions.TRANSPORT, contact.socket(), (peer) -> HccsContact.of(peer).socket());
            return new Resources(directory, medium, new PeerIdentity(HccsOptions.TRANSPORT, config.rank(),
                config.incarnation(), transportId, Identifiers.random(), ProcessIdentity.local(), device.describe(),
                contact.encode()));
        }
        finally
        {
            if (null == medium)
            {
                directory.close();
            }
        }
    }

    /** Only where no transport was made of it. */
    void close()
    {
        medium.close();
        directory.close();
    }
}
