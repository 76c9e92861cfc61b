/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the ranks meet: {@code host:port} of rank 0, or {@code host:port,host:port,…} of all ranks by rank. A host may
 * be a DNS name that stands for several hosts, one of which is rank 0's; brackets hold an IPv6 address.
 */
final class AddressList
{
    private static final Logger LOGGER = LoggerFactory.getLogger(AddressList.class);
    private static final long LOOK_UP_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int MAX_PORT = 65_535;
    private static final Pattern ENTRY =
        Pattern.compile("(?:\\[(?<bracketed>[^\\[\\]]+)]|(?<host>[^:\\[\\]\\s]+)):(?<port>[1-9][0-9]{0,4})");

    private final List<HostAndPort> entries;
    private final Resolver resolver;

    /** Looks names up. */
    @FunctionalInterface
    interface Resolver
    {
        /** All addresses of a host, at least one. */
        InetAddress[] lookUp(String host) throws UnknownHostException;
    }

    /** One entry; the host is a name or a literal address without brackets. */
    record HostAndPort(String host, int port)
    {
        @Override
        public String toString()
        {
            return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
        }
    }

    private AddressList(final List<HostAndPort> entries, final Resolver resolver)
    {
        this.entries = entries;
        this.resolver = resolver;
    }

    static AddressList parse(final String text, final int worldSize, final Resolver resolver)
    {
        final List<HostAndPort> entries =
            Stream.of(text.split(",", -1)).map(entry -> parseEntry(entry.strip(), text)).toList();
        if (entries.size() != 1 && entries.size() != worldSize)
        {
            throw bad(text, "it lists " + entries.size() + " addresses for " + worldSize +
                " ranks; either rank 0's alone or one a rank is allowed");
        }
        if (entries.stream().distinct().count() != entries.size())
        {
            throw bad(text, "an address is listed twice; each rank needs its own");
        }
        return new AddressList(entries, resolver);
    }

    /** Of rank 0, at a port that it does not know before it listens. */
    static AddressList anyPort(final String host, final Resolver resolver)
    {
        return new AddressList(List.of(new HostAndPort(host.replaceAll("[\\[\\]]", ""), 0)), resolver);
    }

    /** 1 if only rank 0's address is listed, or the number of ranks. */
    int count()
    {
        return entries.size();
    }

    HostAndPort ofRank(final int rank)
    {
        return entries.get(rank);
    }

    /** Looked up anew at each call: names appear as hosts come up. Empty while the name is unknown. */
    List<InetSocketAddress> resolve(final int rank)
    {
        final HostAndPort entry = entries.get(rank);
        return lookUp(entry.host()).map(address -> new InetSocketAddress(address, entry.port())).toList();
    }

    private Stream<InetAddress> lookUp(final String host)
    {
        try
        {
            return Stream.of(resolver.lookUp(host));
        }
        catch (final UnknownHostException ex)
        {
            return Stream.empty();
        }
    }

    /**
     * The address that a rank listens on, with port 0 for any where its own is not listed. Waits for names until the
     * deadline: where hosts are made for a job, as pods are, their names appear one by one.
     */
    InetSocketAddress bindOf(final JGroupsRendezvousConfig config, final long deadlineNs)
    {
        final boolean isListed = config.rank() == 0 || entries.size() == config.worldSize();
        final int rank = isListed ? config.rank() : 0;
        final InetAddress host = config.bind().map(bind -> lookUp(bind).findFirst().orElseThrow(() ->
            new RendezvousException(Reason.ADDRESS_UNAVAILABLE, JGroupsRendezvousConfig.PATH + ".bind = " + bind +
                " cannot be resolved; set it to an address of this host")))
            .orElseGet(() -> hostOf(config.rank(), rank, deadlineNs));
        return new InetSocketAddress(host, isListed ? entries.get(rank).port() : 0);
    }

    /** The own listed address, or where only rank 0's is listed, the one by which that is reached. */
    private InetAddress hostOf(final int rank, final int listed, final long deadlineNs)
    {
        awaitName(listed, deadlineNs);
        final List<InetSocketAddress> resolved = resolve(listed);
        String why = "cannot be resolved";
        try (DatagramSocket socket = new DatagramSocket())
        {
            for (final InetSocketAddress address : resolved)
            {
                if (address.getAddress().isLoopbackAddress() ||
                    null != NetworkInterface.getByInetAddress(address.getAddress()))
                {
                    return address.getAddress();
                }
                why = "is no address of this host, where rank " + rank + " runs";
            }
            if (!resolved.isEmpty() && rank != listed)
            {
                // Connecting a datagram socket sends nothing, but picks the interface.
                socket.connect(resolved.get(0));
                return socket.getLocalAddress();
            }
        }
        catch (final IOException ex)
        {
            why = "is reached by no interface of this host: " + ex.getMessage();
        }
        throw new RendezvousException(Reason.ADDRESS_UNAVAILABLE, entries.get(listed) + " in " +
            JGroupsRendezvousConfig.PATH + ".address " + why + "; correct it, or set " +
            JGroupsRendezvousConfig.PATH + ".bind");
    }

    private void awaitName(final int rank, final long deadlineNs)
    {
        boolean isSaid = false;
        while (resolve(rank).isEmpty() && deadlineNs - System.nanoTime() > 0 &&
            !Thread.currentThread().isInterrupted())
        {
            if (!isSaid)
            {
                LOGGER.info("{}, the address of rank {}, cannot be resolved yet", entries.get(rank), rank);
                isSaid = true;
            }
            LockSupport.parkNanos(Math.min(LOOK_UP_INTERVAL_NS, deadlineNs - System.nanoTime()));
        }
    }

    private static HostAndPort parseEntry(final String entry, final String text)
    {
        final Matcher matcher = ENTRY.matcher(entry);
        if (!matcher.matches() || Integer.parseInt(matcher.group("port")) > MAX_PORT)
        {
            throw bad(text, "'" + entry + "' is not host:port, with a port from 1 to " + MAX_PORT +
                "; an IPv6 address goes in brackets");
        }
        final String bracketed = matcher.group("bracketed");
        return new HostAndPort(null == bracketed ? matcher.group("host") : bracketed,
            Integer.parseInt(matcher.group("port")));
    }

    private static RendezvousException bad(final String text, final String why)
    {
        return new RendezvousException(Reason.BAD_CONFIGURATION, "rendezvous address '" + text + "': " + why);
    }

    @Override
    public String toString()
    {
        return entries.stream().map(HostAndPort::toString).collect(Collectors.joining(","));
    }
}
