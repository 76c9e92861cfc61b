/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.base.PeerIdentity;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

/**
 * How a rank is reached by peers of its host. Layout, little endian: UUID of its device, two i64, then the path of its
 * private directory as UTF-8 up to the end.
 *
 * @param device    UUID of the rank's GPU.
 * @param directory private one, with its socket and the host memory that peers map.
 */
record NvlinkContact(UUID device, String directory)
{
    private static final String FILES = "files";

    /** The contact of a peer. */
    static NvlinkContact of(final PeerIdentity peer)
    {
        final ByteBuffer source = peer.contact().order(ByteOrder.LITTLE_ENDIAN);
        try
        {
            final UUID device = new UUID(source.getLong(), source.getLong());
            return new NvlinkContact(device, StandardCharsets.UTF_8.decode(source).toString());
        }
        catch (final BufferUnderflowException ex)
        {
            throw new IllegalArgumentException("the contact of " + peer.describe() + " is cut short", ex);
        }
    }

    ByteBuffer encode()
    {
        final byte[] path = directory.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 * Long.BYTES + path.length).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(device.getMostSignificantBits()).putLong(device.getLeastSignificantBits()).put(path).flip();
    }

    /** Where the rank gives out files of device memory, once it has registered any that needs them. */
    Path files()
    {
        return Path.of(directory, FILES);
    }
}
