/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.runtime;

import dev.transload.engine.connect.Connection;
import dev.transload.engine.wire.Wait;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.Channel;
import java.util.List;

/**
 * Connections of a thread to other ranks whose operations do not get done: those that a look finds where the look
 * before left them. The rank at the other end has stalled, or the fabric in between.
 */
final class StalledConnections
{
    private final int ownRank;
    private final List<Connection> links;
    private final RowKernels kernels;
    private long[] released = {};
    private long[] accepted = {};

    /** Of a thread; links may still be added before the first look. */
    StalledConnections(final int ownRank, final List<Connection> links, final RowKernels kernels)
    {
        this.ownRank = ownRank;
        this.links = links;
        this.kernels = kernels;
    }

    int ownRank()
    {
        return ownRank;
    }

    /**
     * Hear of a peer that died although nothing more is sent to it: waiting for it would last until the deadline.
     *
     * @throws dev.transload.spi.TransportException if a channel failed.
     */
    void requireAlive()
    {
        for (int i = 0, size = links.size(); i < size; i++)
        {
            final Channel channel = links.get(i).channel();
            if (null != channel && null != channel.failure())
            {
                throw channel.failure();
            }
        }
    }

    /**
     * Look, once transports have made progress since the look before.
     *
     * @param wait filled with one of them.
     * @return false if there is none. While row kernels have work under way, channels may wait for that: none is said.
     */
    boolean find(final Wait wait)
    {
        if (released.length < links.size())
        {
            released = new long[links.size()];
            accepted = new long[links.size()];
        }

        final boolean areKernelsDone = kernels.completedPosition() >= kernels.position();
        boolean isFound = false;
        for (int i = 0; i < released.length; i++)
        {
            final Connection link = links.get(i);
            final Channel channel = link.channel();
            final long now = channel.releasedPosition();
            if (areKernelsDone && !isFound && now == released[i] && now < accepted[i] && link.peer() != ownRank)
            {
                wait.setStalled(link.peer(), link.lane(), accepted[i], now);
                isFound = true;
            }

            released[i] = now;
            accepted[i] = channel.position();
        }

        return isFound;
    }
}
