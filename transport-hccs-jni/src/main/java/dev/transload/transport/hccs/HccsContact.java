/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.transport.base.PeerIdentity;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * How a rank is reached by peers of its host. Layout, little endian: ordinal of its device i32, then the path of its
 * private directory as UTF-8 up to the end.
 *
 * @param ordinal   of the rank's NPU in its process.
 * @param directory private one, with its socket, the list of importers and the host memory that peers map.
 */
record HccsContact(int ordinal, String directory)
{
    /** The contact of a peer. */
    static HccsContact of(final PeerIdentity peer)
    {
        final ByteBuffer source = peer.contact().order(ByteOrder.LITTLE_ENDIAN);
        try
        {
            final int ordinal = source.getInt();
            return new HccsContact(ordinal, StandardCharsets.UTF_8.decode(source).toString());
        }
        catch (final BufferUnderflowException ex)
        {
            throw new IllegalArgumentException("the contact of " + peer.describe() + " is cut short", ex);
        }
    }

    ByteBuffer encode()
    {
        final byte[] path = directory.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + path.length).order(ByteOrder.LITTLE_ENDIAN)
            .putInt(ordinal).put(path).flip();
    }
}
