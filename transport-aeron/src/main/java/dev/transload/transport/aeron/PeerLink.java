/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportException;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
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
    private final Medium medium;
    private final long registrationId;
    private final ArrayDeque<DirectBuffer> outbound = new ArrayDeque<>();
    private final List<AeronChannel> channels = new ArrayList<>();
    private final DirectBuffer heartbeat;
    private ExclusivePublication publication;
    private long lastHeardNs;
    private long lastSentNs;
    private OperationStream replies;
    private boolean isClosed;
    private boolean heard;
    private boolean hasFarewell;
    private TransportException failure;

    PeerLink(final PeerIdentity own, final PeerIdentity identity, final Medium medium, final long nowNs)
    {
        this.identity = identity;
        this.medium = medium;
        this.lastHeardNs = nowNs;
        this.lastSentNs = nowNs;
        this.heartbeat = ControlProtocol.plain(ControlProtocol.HEARTBEAT, own, identity);
        this.registrationId = medium.addControlPublication(identity);
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

    List<AeronChannel> channels()
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
        if (null == publication && !isClosed)
        {
            publication = medium.publication(registrationId);
        }

        if (isClosed || null == publication || !publication.isConnected())
        {
            return 0;
        }

        int sent = 0;
        while (!outbound.isEmpty() && publication.offer(outbound.peek(), 0, outbound.peek().capacity()) > 0)
        {
            outbound.poll();
            lastSentNs = nowNs;
            sent++;
        }

        if (nowNs - lastSentNs >= heartbeatNs && isLive() &&
            Publication.NOT_CONNECTED < publication.offer(heartbeat, 0, heartbeat.capacity()))
        {
            // Back pressure here means that earlier signs of life are still on their way.
            lastSentNs = nowNs;
        }

        return sent;
    }

    /** Stream of answers to the peer's operations, made on demand. */
    OperationStream replies(final PeerIdentity own)
    {
        if (null == replies)
        {
            replies = new OperationStream(own, identity);
        }

        return replies;
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
            for (final AeronChannel channel : channels)
            {
                channel.fail(cause);
            }

            channels.clear();
        }
    }

    void closePublication()
    {
        outbound.clear();
        if (!isClosed && null != publication)
        {
            publication.close();
        }

        isClosed = true;
    }
}
