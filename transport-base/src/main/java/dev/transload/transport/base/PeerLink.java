/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * One life of one peer, as the transport's thread sees it: the control stream to it, what it waits for, and, once it
 * failed or left, why. That is final: a stream that comes back may have a gap.
 */
final class PeerLink
{
    private final PeerIdentity identity;
    private final ControlMedium medium;
    private final ArrayDeque<DirectBuffer> outbound = new ArrayDeque<>();
    private final List<AbstractChannel> channels = new ArrayList<>();
    private final DirectBuffer heartbeat;
    private ControlStream stream;
    private long lastHeardNs;
    private long lastSentNs;
    private boolean isClosed;
    private boolean heard;
    private boolean hasFarewell;
    private TransportException failure;

    PeerLink(final PeerIdentity own, final PeerIdentity identity, final ControlMedium medium, final long nowNs)
    {
        this.identity = identity;
        this.medium = medium;
        this.lastHeardNs = nowNs;
        this.lastSentNs = nowNs;
        this.heartbeat = ControlProtocol.plain(ControlProtocol.HEARTBEAT, own, identity);
    }

    PeerIdentity identity()
    {
        return identity;
    }

    long lastHeardNs()
    {
        return lastHeardNs;
    }

    boolean wasHeard()
    {
        return heard;
    }

    void heard(final long nowNs)
    {
        heard = true;
        lastHeardNs = nowNs;
    }

    /** A stall of our own is not the peer's silence. */
    void forgive(final long stallNs)
    {
        lastHeardNs += stallNs;
    }

    TransportException failure()
    {
        return failure;
    }

    boolean isLive()
    {
        return null == failure;
    }

    boolean hasFarewell()
    {
        return hasFarewell;
    }

    void farewell()
    {
        hasFarewell = true;
    }

    List<AbstractChannel> channels()
    {
        return channels;
    }

    void send(final DirectBuffer message)
    {
        outbound.add(message);
    }

    /**
     * Send what waits, or a heartbeat when it is time for one.
     *
     * @param nowNs       now.
     * @param heartbeatNs time between two signs of life.
     * @return messages sent, without heartbeats.
     */
    int flush(final long nowNs, final long heartbeatNs)
    {
        if (isClosed)
        {
            return 0;
        }

        if (null == stream)
        {
            stream = medium.open(identity);
        }

        int sent = 0;
        while (!outbound.isEmpty() && stream.offer(outbound.peek()))
        {
            outbound.poll();
            lastSentNs = nowNs;
            sent++;
        }

        if (nowNs - lastSentNs >= heartbeatNs && isLive() && stream.offer(heartbeat))
        {
            // What was refused means that earlier signs of life are still on their way.
            lastSentNs = nowNs;
        }

        return sent;
    }

    boolean isFlushed()
    {
        return outbound.isEmpty();
    }

    /**
     * The end of this life of the peer; the first cause stands.
     *
     * @param cause for the channels.
     */
    void end(final PeerFailedException cause)
    {
        if (null == failure)
        {
            failure = cause;
            for (final AbstractChannel channel : channels)
            {
                channel.fail(cause);
            }

            channels.clear();
        }
    }

    void closeStream()
    {
        outbound.clear();
        if (!isClosed && null != stream)
        {
            stream.close();
        }

        isClosed = true;
    }
}
