/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.PeerIdentity;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Where Aeron reaches a rank: the contact of its identity. Layout, little endian: control stream i32, data stream i32;
 * then three texts, each its length i16 and UTF-8.
 *
 * @param endpoint        address and port of the UDP streams, or {@code ipc:} and the driver's directory.
 * @param controlStream   id of the control stream.
 * @param dataStream      id of the stream of operations, 0 where messages are not accepted.
 * @param regionDirectory holds the memory that peers of the same host map; empty where there is none.
 * @param driverDirectory files of the embedded driver; empty where it is external.
 */
record AeronContact(
    String endpoint, int controlStream, int dataStream, String regionDirectory, String driverDirectory)
{
    static final String IPC_PREFIX = "ipc:";

    /** The contact of a peer. */
    static AeronContact of(final PeerIdentity peer)
    {
        final ByteBuffer source = peer.contact().order(ByteOrder.LITTLE_ENDIAN);
        try
        {
            final int controlStream = source.getInt();
            final int dataStream = source.getInt();
            return new AeronContact(text(source), controlStream, dataStream, text(source), text(source));
        }
        catch (final BufferUnderflowException ex)
        {
            throw new IllegalArgumentException("the contact of " + peer.describe() + " is cut short", ex);
        }
    }

    boolean isIpc()
    {
        return endpoint.startsWith(IPC_PREFIX);
    }

    /** Channel on which this rank listens. */
    String channel()
    {
        return isIpc() ? "aeron:ipc" : "aeron:udp?endpoint=" + endpoint;
    }

    ByteBuffer encode()
    {
        final ByteBuffer to = ByteBuffer.allocate(PeerIdentity.MAX_CONTACT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(controlStream).putInt(dataStream);
        putText(to, endpoint);
        putText(to, regionDirectory);
        putText(to, driverDirectory);
        return to.flip();
    }

    private static void putText(final ByteBuffer to, final String text)
    {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        to.putShort((short)bytes.length).put(bytes);
    }

    private static String text(final ByteBuffer source)
    {
        final int length = source.getShort();
        if (length < 0 || length > source.remaining())
        {
            throw new BufferUnderflowException();
        }

        final byte[] bytes = new byte[length];
        source.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
