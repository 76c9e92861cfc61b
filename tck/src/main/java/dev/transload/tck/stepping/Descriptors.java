/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Layout of every opaque byte string of a stepping transport:
 * {@code version u8 | type u8 | network i32 | rank i32 | incarnation i64 | id i32 | length i64}, big-endian.
 *
 * @param type        what it describes.
 * @param network     that it belongs to.
 * @param rank        of the owner.
 * @param incarnation of the owner.
 * @param id          of the region, signals or worker.
 * @param length      of the region, or count of signals.
 */
record Descriptors(byte type, int network, int rank, long incarnation, int id, long length)
{
    static final byte REGION = 1;
    static final byte SIGNALS = 2;
    static final byte WORKER = 3;
    static final byte PEER = 4;

    private static final byte VERSION = 1;
    private static final int BYTES = 2 + Integer.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES + Long.BYTES;

    ByteBuffer encode()
    {
        final ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.BIG_ENDIAN);
        bytes.put(VERSION).put(type).putInt(network).putInt(rank).putLong(incarnation).putInt(id).putLong(length);
        return bytes.flip().asReadOnlyBuffer();
    }

    static Descriptors decode(final String what, final byte type, final int network, final ByteBuffer from)
    {
        final ByteBuffer bytes = from.duplicate().order(ByteOrder.BIG_ENDIAN);
        if (bytes.remaining() != BYTES || VERSION != bytes.get() || type != bytes.get())
        {
            throw new IllegalArgumentException(what + ": these " + from.remaining() +
                " bytes are not what a peer's stepping transport of version " + VERSION + " gave");
        }

        final Descriptors read = new Descriptors(
            type, bytes.getInt(), bytes.getInt(), bytes.getLong(), bytes.getInt(), bytes.getLong());
        if (network != read.network)
        {
            throw new IllegalArgumentException(what + ": it comes from another network");
        }

        return read;
    }
}
