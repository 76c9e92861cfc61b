/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.Channel;
import java.util.List;

/**
 * Connections of a thread to other ranks whose operations do not get done: those that a look finds where the look
 * before left them, and those that took nothing since, although something was to go. The rank at the other end has
 * stalled, or the fabric in between.
 */
final class StalledConnections
{
    private final int ownRank;
    private final List<Connection> connections;
    private final RowKernels kernels;
    private long[] released = {};
    private long[] accepted = {};
    private long[] refused = {};
    private long kernelsDone = -1;

    /** Of a thread; connections may still be added before the first look. */
    StalledConnections(final int ownRank, final List<Connection> connections, final RowKernels kernels)
    {
        this.ownRank = ownRank;
        this.connections = connections;
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
        for (int i = 0, size = connections.size(); i < size; i++)
        {
            final Channel channel = connections.get(i).channel();
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
        if (released.length < connections.size())
        {
            released = new long[connections.size()];
            accepted = new long[connections.size()];
            refused = new long[connections.size()];
        }

        final long submitted = kernels.position();
        final boolean areKernelsDone = kernels.completedPosition() >= submitted;
        final boolean wereKernelsIdle = kernelsDone == submitted;
        kernelsDone = areKernelsDone ? submitted : -1;
        boolean isFound = false;
        for (int i = 0; i < released.length; i++)
        {
            final Connection connection = connections.get(i);
            final Channel channel = connection.channel();
            final long now = channel.releasedPosition();
            final long position = channel.position();
            final boolean isStuck = now == released[i] && now < accepted[i];
            // A refused meta message holds nothing else back: what its rank waits for besides says more.
            final boolean isFull = wereKernelsIdle && connection.channelIndex() >= 0 && position == accepted[i] &&
                connection.refusals() > refused[i];
            if (areKernelsDone && !isFound && (isStuck || isFull) && connection.peer() != ownRank)
            {
                // What is stuck, or else the operation that finds no room.
                wait.setStalled(
                    connection.peer(), connection.channelIndex(), isStuck ? accepted[i] : position + 1,
                    isStuck ? now : position);
                isFound = true;
            }

            released[i] = now;
            accepted[i] = position;
            refused[i] = connection.refusals();
        }

        return isFound;
    }
}
