/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/** Which address and port a rank listens on. */
final class Binding
{
    private Binding()
    {
    }

    /** The address to bind, with port 0 for any where the own address isn't listed. */
    static InetSocketAddress addressFor(final JGroupsRendezvousConfig config)
    {
        final AddressList addresses = config.addresses();
        final boolean listed = config.rank() == 0 || addresses.isComplete(config.worldSize());
        final InetAddress host = hostOf(config, listed);
        final int port = listed ? addresses.ofRank(config.rank()).port() : 0;
        return new InetSocketAddress(host, port);
    }

    private static InetAddress hostOf(final JGroupsRendezvousConfig config, final boolean listed)
    {
        final AddressList addresses = config.addresses();
        if (config.bind().isPresent())
        {
            final String bind = config.bind().get();
            try
            {
                return InetAddress.getByName(bind);
            }
            catch (final UnknownHostException ex)
            {
                throw new RendezvousException(Reason.ADDRESS_UNAVAILABLE, JGroupsRendezvousConfig.PATH + ".bind = " +
                    bind + " cannot be resolved; set it to an address of this host", ex);
            }
        }
        final Optional<InetSocketAddress> local = addresses.localOf(listed ? config.rank() : 0);
        if (local.isPresent())
        {
            return local.get().getAddress();
        }
        final List<InetSocketAddress> remote = addresses.resolve(0);
        if (listed || remote.isEmpty())
        {
            final AddressList.HostAndPort entry = addresses.ofRank(listed ? config.rank() : 0);
            throw new RendezvousException(Reason.ADDRESS_UNAVAILABLE, entry + " in " + JGroupsRendezvousConfig.PATH +
                ".address " + (remote.isEmpty() ? "cannot be resolved" : "is no address of this host, where rank " +
                config.rank() + " runs") + "; correct it, or set " + JGroupsRendezvousConfig.PATH + ".bind");
        }
        return routeTo(remote.get(0));
    }

    /** Connecting a datagram socket sends nothing, but picks the interface. */
    private static InetAddress routeTo(final InetSocketAddress remote)
    {
        try (DatagramSocket socket = new DatagramSocket())
        {
            socket.connect(remote);
            return socket.getLocalAddress();
        }
        catch (final IOException ex)
        {
            throw new RendezvousException(Reason.ADDRESS_UNAVAILABLE, "no interface of this host leads to " + remote +
                "; correct " + JGroupsRendezvousConfig.PATH + ".address, or set bind", ex);
        }
    }
}
