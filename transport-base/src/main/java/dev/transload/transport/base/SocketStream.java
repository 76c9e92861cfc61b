/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.TransportException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/** Control messages to one peer by its socket, framed as {@link SocketReader} reads them. */
final class SocketStream implements ControlStream
{
    private final SocketChannel socket;
    private final PeerIdentity peer;
    private final Consumer<SocketStream> onClosed;
    private final ByteBuffer rest =
        ByteBuffer.allocateDirect(SocketReader.MAX_FRAME_LENGTH).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    private IOException broken;

    SocketStream(final SocketChannel socket, final PeerIdentity peer, final Consumer<SocketStream> onClosed)
    {
        this.socket = socket;
        this.peer = peer;
        this.onClosed = onClosed;
    }

    @Override
    public boolean offer(final DirectBuffer message)
    {
        final int length = message.capacity();
        if (length > SocketMedium.MAX_MESSAGE_LENGTH)
        {
            throw new IllegalArgumentException("a control message to " + peer.describe() + " has " + length +
                " bytes: at most " + SocketMedium.MAX_MESSAGE_LENGTH + " are allowed");
        }

        if (flush())
        {
            rest.clear().putInt(length);
            message.getBytes(0, rest, length);
            rest.flip();
            flush();
            return true;
        }

        if (null != broken)
        {
            throw new TransportException(
                "its control connection broke: " + broken.getMessage(), TransportException.NO_STATUS, broken);
        }

        return false;
    }

    @Override
    public void close()
    {
        SocketMedium.close(socket);
        onClosed.accept(this);
    }

    /** Send what is left of a message; the next offer tells of a connection that broke. */
    boolean flush()
    {
        try
        {
            if (null == broken && rest.hasRemaining())
            {
                socket.write(rest);
            }
        }
        catch (final IOException ex)
        {
            broken = ex;
        }

        return null == broken && !rest.hasRemaining();
    }
}
