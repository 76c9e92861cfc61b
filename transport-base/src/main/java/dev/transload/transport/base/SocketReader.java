/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import org.agrona.concurrent.UnsafeBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one peer sends to a {@link SocketMedium}: frames, each the length i32 of a message, little endian, and it. */
final class SocketReader
{
    static final int MAX_FRAME_LENGTH = Integer.BYTES + SocketMedium.MAX_MESSAGE_LENGTH;

    private static final Logger LOG = LoggerFactory.getLogger(SocketReader.class);

    private final SocketChannel socket;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_FRAME_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final UnsafeBuffer view = new UnsafeBuffer(buffer);
    private long peer = ControlMedium.MessageHandler.NO_PEER;
    private boolean hasEnded;

    SocketReader(final SocketChannel socket)
    {
        this.socket = socket;
    }

    SocketChannel socket()
    {
        return socket;
    }

    /** Transport id of the sender, once a message has told. */
    long peer()
    {
        return peer;
    }

    /** Whether no message will come any more, and all that came were delivered. */
    boolean isAtItsEnd()
    {
        return hasEnded && !hasFrame();
    }

    /** Read what there is, as far as there is room. */
    int fill()
    {
        try
        {
            final int length = hasEnded ? 0 : socket.read(buffer);
            hasEnded |= length < 0;
            return Math.max(0, length);
        }
        catch (final IOException ex)
        {
            LOG.debug("a control connection broke", ex);
            hasEnded = true;
            return 0;
        }
    }

    /** Hand over whole messages. */
    int deliver(final ControlMedium.MessageHandler handler, final int limit)
    {
        int count = 0;
        int offset = 0;
        while (count < limit && isFrame(offset))
        {
            final int length = buffer.getInt(offset);
            final long sender = handler.onMessage(view, offset + Integer.BYTES, length);
            peer = ControlMedium.MessageHandler.NO_PEER == sender ? peer : sender;
            offset += Integer.BYTES + length;
            count++;
        }

        if (offset > 0)
        {
            buffer.limit(buffer.position()).position(offset);
            buffer.compact();
        }

        return count;
    }

    private boolean hasFrame()
    {
        return isFrame(0);
    }

    private boolean isFrame(final int offset)
    {
        final int available = buffer.position() - offset - Integer.BYTES;
        if (available < 0)
        {
            return false;
        }

        final int length = buffer.getInt(offset);
        if (length < 0 || length > SocketMedium.MAX_MESSAGE_LENGTH)
        {
            LOG.warn("a control connection is ended: it announces a message of {} bytes", length);
            hasEnded = true;
            return false;
        }

        return length <= available;
    }
}
