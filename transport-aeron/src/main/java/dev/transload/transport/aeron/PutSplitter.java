/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.ImportedRegion;
import dev.transload.transport.base.LocalRegion;
import org.agrona.UnsafeApi;

/**
 * Sends puts as messages, in as many as it takes. A put counts as accepted with its first message; while the stream
 * has no room for the rest, that is kept, and the source with it.
 */
final class PutSplitter
{
    /** All is sent. */
    static final int SENT = 0;

    /** Something is left. */
    static final int LEFT = -1;

    /** The source was closed under the rest. */
    static final int SOURCE_CLOSED = -2;

    /** The stream has come to its end. */
    static final int EXHAUSTED = -3;

    private final OperationStream stream;
    private final int channel;
    private LocalRegion source;
    private long srcAddress;
    private int region;
    private long dstOffset;
    private long remaining;

    PutSplitter(final OperationStream stream, final int channel)
    {
        this.stream = stream;
        this.channel = channel;
    }

    boolean isEmpty()
    {
        return 0 == remaining;
    }

    /**
     * Begin a put; nothing may be left of the one before.
     *
     * @param from      region of the source.
     * @param srcOffset in it.
     * @param target    of the peer.
     * @param toOffset  in it.
     * @param length    in bytes.
     * @return {@link #SENT}, or {@link #LEFT} when not even the first message had room, or {@link #EXHAUSTED}; what
     * has no room after that is left for {@link #sendRest()}.
     */
    int begin(
        final LocalRegion from,
        final long srcOffset,
        final ImportedRegion target,
        final long toOffset,
        final long length)
    {
        if (0 == length)
        {
            return SENT;
        }

        source = from;
        srcAddress = from.address() + srcOffset;
        region = target.id();
        dstOffset = toOffset;
        remaining = length;
        final int first = sendPart();
        if (SENT != first)
        {
            remaining = 0;
            return first;
        }

        sendRest();
        return SENT;
    }

    /**
     * Send what is left.
     *
     * @return {@link #SENT} when nothing is left, else the obstacle.
     */
    int sendRest()
    {
        while (remaining > 0)
        {
            final int result = source.isOpen() ? sendPart() : SOURCE_CLOSED;
            if (SENT != result)
            {
                return result;
            }
        }

        return SENT;
    }

    private int sendPart()
    {
        final int bytes = (int)Math.min(remaining, stream.maxBytes());
        final int result = stream.claim(OperationLayout.PUT, channel, region, 0, dstOffset, 0, bytes);
        if (OperationStream.CLAIMED != result)
        {
            return OperationStream.EXHAUSTED == result ? EXHAUSTED : LEFT;
        }

        UnsafeApi.copyMemory(srcAddress, stream.bytesAddress(), bytes);
        stream.commit();
        srcAddress += bytes;
        dstOffset += bytes;
        remaining -= bytes;
        return SENT;
    }
}
