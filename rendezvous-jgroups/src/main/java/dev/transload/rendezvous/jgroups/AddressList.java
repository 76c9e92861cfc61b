/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where the ranks meet: {@code host:port} of rank 0, or {@code host:port,host:port,…} of all ranks by rank. A host may
 * be a DNS name that stands for several hosts, one of which is rank 0's; brackets hold an IPv6 address.
 */
final class AddressList
{
    private static final int MAX_PORT = 65_535;

    private final List<HostAndPort> entries;
    private final Resolver resolver;

    /** Looks names up. */
    @FunctionalInterface
    interface Resolver
    {
        /** All addresses of a host, at least one. */
        InetAddress[] lookUp(String host) throws UnknownHostException;
    }

    /**
     * One entry.
     *
     * @param host name or literal address.
     * @param port in [1, 65535].
     */
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

    static AddressList parse(final String text, final int worldSize)
    {
        return parse(text, worldSize, InetAddress::getAllByName);
    }

    static AddressList parse(final String text, final int worldSize, final Resolver resolver)
    {
        final List<HostAndPort> entries = new ArrayList<>();
        for (final String entry : text.split(",", -1))
        {
            entries.add(parseEntry(entry.strip(), text));
        }
        if (entries.size() != 1 && entries.size() != worldSize)
        {
            throw bad(text, "it lists " + entries.size() + " addresses for " + worldSize +
                " ranks; either rank 0's alone or one a rank is allowed");
        }
        if (entries.stream().distinct().count() != entries.size())
        {
            throw bad(text, "an address is listed twice; each rank needs its own");
        }
        return new AddressList(List.copyOf(entries), resolver);
    }

    /** Whether every rank's address is listed, rather than only rank 0's. */
    boolean isComplete(final int worldSize)
    {
        return entries.size() == worldSize;
    }

    HostAndPort ofRank(final int rank)
    {
        return entries.get(rank);
    }

    /** Looked up anew at each call: names appear as hosts come up. Empty while the name is unknown. */
    List<InetSocketAddress> resolve(final int rank)
    {
        final HostAndPort entry = entries.get(rank);
        try
        {
            final List<InetSocketAddress> resolved = new ArrayList<>();
            for (final InetAddress address : resolver.lookUp(entry.host()))
            {
                resolved.add(new InetSocketAddress(address, entry.port()));
            }
            return resolved;
        }
        catch (final UnknownHostException ex)
        {
            return List.of();
        }
    }

    /** The one of a rank's addresses that an interface of this host has. */
    Optional<InetSocketAddress> localOf(final int rank)
    {
        return resolve(rank).stream().filter(address -> isLocal(address.getAddress())).findFirst();
    }

    private static boolean isLocal(final InetAddress address)
    {
        try
        {
            return address.isLoopbackAddress() || null != NetworkInterface.getByInetAddress(address);
        }
        catch (final SocketException ex)
        {
            throw new RendezvousException(Reason.ADDRESS_UNAVAILABLE,
                "the network interfaces of this host cannot be listed: " + ex.getMessage(), ex);
        }
    }

    private static HostAndPort parseEntry(final String entry, final String text)
    {
        final int colon = entry.lastIndexOf(':');
        if (colon <= 0)
        {
            throw bad(text, "'" + entry + "' lacks a port; host:port is allowed");
        }
        final String host = entry.startsWith("[") && entry.charAt(colon - 1) == ']' ?
            entry.substring(1, colon - 1) : entry.substring(0, colon);
        if (host.isBlank() || host.indexOf(':') >= 0 && !entry.startsWith("["))
        {
            throw bad(text, "'" + entry + "' is not host:port; an IPv6 address goes in brackets");
        }
        return new HostAndPort(host, parsePort(entry.substring(colon + 1), entry, text));
    }

    private static int parsePort(final String digits, final String entry, final String text)
    {
        final String allowed = "the port of '" + entry + "' is not a whole number from 1 to " + MAX_PORT;
        try
        {
            final int port = Integer.parseInt(digits);
            if (port >= 1 && port <= MAX_PORT)
            {
                return port;
            }
        }
        catch (final NumberFormatException ex)
        {
            throw new RendezvousException(Reason.BAD_CONFIGURATION,
                "rendezvous address '" + text + "': " + allowed, ex);
        }
        throw bad(text, allowed);
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
