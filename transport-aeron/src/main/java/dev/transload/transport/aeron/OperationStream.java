/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.PeerIdentity;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.logbuffer.BufferClaim;
import java.nio.ByteOrder;
import org.agrona.MutableDirectBuffer;

/**
 * A stream of operations to one peer. The transport's thread establishes it; after that one thread at a time claims
 * room in it, writes, and commits.
 */
final class OperationStream
{
    /** Claimed: write and {@link #commit()}. */
    static final int CLAIMED = 0;

    /** No room now. */
    static final int FULL = -1;

    /** No room ever: the stream has come to its end. */
    static final int EXHAUSTED = -2;

    private final PeerIdentity own;
    private final PeerIdentity peer;
    private final BufferClaim claim = new BufferClaim();
    private long registrationId = Long.MIN_VALUE;
    private ExclusivePublication publication;
    private volatile boolean ready;

    OperationStream(final PeerIdentity own, final PeerIdentity peer)
    {
        this.own = own;
        this.peer = peer;
    }

    PeerIdentity peer()
    {
        return peer;
    }

    boolean isReady()
    {
        return ready;
    }

    /**
     * On the transport's thread, again and again: a step towards being ready.
     *
     * @param medium of the transport.
     * @return whether it is ready.
     */
    boolean establish(final Medium medium)
    {
        if (ready)
        {
            return true;
        }

        if (Long.MIN_VALUE == registrationId)
        {
            registrationId = medium.addDataPublication(peer);
        }

        if (null == publication)
        {
            publication = medium.publication(registrationId);
        }

        if (null != publication && publication.isConnected() && CLAIMED == claim(
            OperationLayout.GREETING, OperationLayout.VERSION, 0, 0, own.transportId(), peer.token(), 0))
        {
            commit();
            ready = true;
        }

        return ready;
    }

    /** Whether it was ready once and has lost its receiver. */
    boolean isLost()
    {
        return ready && !publication.isConnected();
    }

    /** Most bytes after the header of one message. */
    int maxBytes()
    {
        return publication.maxPayloadLength() - OperationLayout.HEADER_LENGTH;
    }

    /**
     * Room for a message, its header written.
     *
     * @param type    of the operation.
     * @param channel number.
     * @param region  id at the target.
     * @param flags   of the type.
     * @param offset  of the type.
     * @param value   of the type.
     * @param bytes   after the header.
     * @return {@link #CLAIMED}, {@link #FULL} or {@link #EXHAUSTED}.
     */
    int claim(
        final int type,
        final int channel,
        final int region,
        final int flags,
        final long offset,
        final long value,
        final int bytes)
    {
        final long result = publication.tryClaim(OperationLayout.HEADER_LENGTH + bytes, claim);
        if (result < 0)
        {
            // A closed or unconnected publication means that the peer or the driver is gone: liveness says so.
            return Publication.MAX_POSITION_EXCEEDED == result ? EXHAUSTED : FULL;
        }

        OperationLayout.header(claim.buffer(), claim.offset(), type, channel, region, flags, offset, value);
        return CLAIMED;
    }

    /** Address of the bytes after the header of the claimed message. */
    long bytesAddress()
    {
        return claim.buffer().addressOffset() + claim.offset() + OperationLayout.HEADER_LENGTH;
    }

    void putLoadLength(final long length)
    {
        claim.buffer().putLong(claim.offset() + OperationLayout.HEADER_LENGTH, length, ByteOrder.LITTLE_ENDIAN);
    }

    void putBytes(final byte[] bytes)
    {
        final MutableDirectBuffer buffer = claim.buffer();
        buffer.putBytes(claim.offset() + OperationLayout.HEADER_LENGTH, bytes);
    }

    void commit()
    {
        claim.commit();
    }

    /** On the transport's thread, when nobody else uses it any more. */
    void close()
    {
        ready = false;
        if (null != publication)
        {
            publication.close();
        }
    }
}
