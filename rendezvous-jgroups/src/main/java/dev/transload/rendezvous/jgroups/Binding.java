/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Which address and port a rank listens on. */
final class Binding
{
    private static final Logger LOGGER = LoggerFactory.getLogger(Binding.class);
    private static final long LOOK_UP_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private Binding()
    {
    }

    /**
     * The address to bind, with port 0 for any where the own address isn't listed. Waits for names until the deadline:
     * where hosts are made for a job, as pods are, their names appear one by one.
     */
    static InetSocketAddress addressFor(
        final JGroupsRendezvousConfig config, final AddressList addresses, final long deadlineNs)
    {
        final boolean listed = config.rank() == 0 || addresses.isComplete(config.worldSize());
        final InetAddress host = hostOf(config, addresses, listed, deadlineNs);
        final int port = listed ? addresses.ofRank(config.rank()).port() : 0;
        return new InetSocketAddress(host, port);
    }

    private static InetAddress hostOf(
        final JGroupsRendezvousConfig config,
        final AddressList addresses,
        final boolean listed,
        final long deadlineNs)
    {
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
        awaitName(addresses, listed ? config.rank() : 0, deadlineNs);
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

    private static void awaitName(final AddressList addresses, final int rank, final long deadlineNs)
    {
        boolean isSaid = false;
        while (addresses.resolve(rank).isEmpty() && deadlineNs - System.nanoTime() > 0 &&
            !Thread.currentThread().isInterrupted())
        {
            if (!isSaid)
            {
                LOGGER.info("{}, the address of rank {}, cannot be resolved yet", addresses.ofRank(rank), rank);
                isSaid = true;
            }
            LockSupport.parkNanos(Math.min(LOOK_UP_INTERVAL_NS, deadlineNs - System.nanoTime()));
        }
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
