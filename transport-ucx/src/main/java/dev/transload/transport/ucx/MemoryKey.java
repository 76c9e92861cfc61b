/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What UCX needs to address memory of a peer; travels as the key of its descriptor. Layout, little endian: address i64,
 * kind of memory i32, setup i32, then the remote key as UCX packed it.
 *
 * @param address   of the first byte, in the owner's process.
 * @param type      kind of the memory by UCX's number.
 * @param setup     of UCX in the owner's process, see {@link UcxContext#setup()}.
 * @param remoteKey as UCX packed it, in direct memory, from position to limit.
 */
record MemoryKey(long address, int type, int setup, ByteBuffer remoteKey)
{
    private static final int FIXED_LENGTH = Long.BYTES + 2 * Integer.BYTES;
    private static final int MAX_REMOTE_KEY = 512;

    ByteBuffer encode()
    {
        final int length = remoteKey.remaining();
        if (length > MAX_REMOTE_KEY)
        {
            throw new IllegalStateException("a remote key of UCX has " + length + " bytes, at most " +
                MAX_REMOTE_KEY + " fit a descriptor: let UCX use fewer devices by transload.ucx.net-devices or " +
                "transload.ucx.tls");
        }

        final ByteBuffer to = ByteBuffer.allocate(FIXED_LENGTH + length).order(ByteOrder.LITTLE_ENDIAN);
        return to.putLong(address).putInt(type).putInt(setup).put(remoteKey.duplicate()).flip().asReadOnlyBuffer();
    }

    static MemoryKey decode(final ByteBuffer bytes)
    {
        final ByteBuffer source = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        try
        {
            final long address = source.getLong();
            final int type = source.getInt();
            final int setup = source.getInt();
            return new MemoryKey(address, type, setup, direct(source));
        }
        catch (final BufferUnderflowException ex)
        {
            throw new IllegalArgumentException(
                "descriptor is cut short: it is not one of transport " + UcxOptions.TRANSPORT, ex);
        }
    }

    /** jucx reads direct buffers only. */
    static ByteBuffer direct(final ByteBuffer bytes)
    {
        final ByteBuffer copy = ByteBuffer.allocateDirect(bytes.remaining());
        return copy.put(bytes.duplicate()).flip();
    }
}
