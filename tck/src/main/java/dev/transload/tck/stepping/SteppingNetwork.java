/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.MemoryKind;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** One transport's world within a fabric: a name, who reaches whom, and the latest life of every rank. */
final class SteppingNetwork
{
    private final SteppingFabric fabric;
    private final String name;
    private final int id;
    private final Reach reach;
    private final Map<Integer, SteppingTransport> transports = new TreeMap<>();
    private Set<MemoryKind> kinds;

    SteppingNetwork(final SteppingFabric fabric, final String name, final int id, final Reach reach)
    {
        this.fabric = fabric;
        this.name = name;
        this.id = id;
        this.reach = reach;
        this.kinds = fabric.options().kinds();
    }

    SteppingFabric fabric()
    {
        return fabric;
    }

    String name()
    {
        return name;
    }

    int id()
    {
        return id;
    }

    Set<MemoryKind> kinds()
    {
        return kinds;
    }

    /** Offers fewer kinds than the fabric has; before its first transport opens. */
    void kinds(final Set<MemoryKind> value)
    {
        if (!fabric.options().kinds().containsAll(value) || value.isEmpty() || !transports.isEmpty())
        {
            throw new IllegalArgumentException("kinds " + value + " of network " + name + " are not allowed: must be " +
                "some of " + fabric.options().kinds() + ", given before a transport opens");
        }

        kinds = Set.copyOf(value);
    }

    boolean reaches(final int from, final int to)
    {
        return reach.reaches(from, to);
    }

    /** The latest life of a rank, open, closed or killed; null when there was none. */
    SteppingTransport transport(final int rank)
    {
        return transports.get(rank);
    }

    /** The life of a rank that a peer means, while it can be spoken to; else null. */
    SteppingTransport living(final int rank, final long incarnation)
    {
        final SteppingTransport transport = transports.get(rank);
        return null == transport || transport.incarnation() != incarnation || transport.isGone() ? null : transport;
    }

    void join(final SteppingTransport transport)
    {
        final SteppingTransport earlier = transports.get(transport.rank());
        if (null != earlier && !earlier.isGone())
        {
            throw new IllegalStateException(
                "rank " + transport.rank() + " is open already on transport " + name + ": close it first");
        }

        transports.put(transport.rank(), transport);
    }

    /** While the target's workers make progress, software that it runs applies what peers sent. */
    void stepInbound(final SteppingTransport target)
    {
        if (!fabric.options().autonomousTarget())
        {
            for (final SteppingTransport transport : transports.values())
            {
                transport.channelsTo(target, SteppingChannel::stepInbound);
            }
        }
    }

    /** Peers of a transport that is gone will notice after a while. */
    void mourn(final SteppingTransport gone, final String how)
    {
        for (final SteppingTransport transport : transports.values())
        {
            transport.channelsTo(gone, (channel) -> channel.failLater(how));
        }
    }
}
