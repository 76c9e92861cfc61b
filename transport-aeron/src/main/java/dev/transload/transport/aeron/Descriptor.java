/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a peer needs to import a region or signals. Layout, little endian: kind i32, id i32, length i64, writers i32,
 * then the identity of the owner.
 *
 * @param kind     {@link #REGION} or {@link #SIGNALS}.
 * @param id       unique to the owner's transport.
 * @param length   bytes of a region, number of signals.
 * @param writers  channels that may add to one signal, 0 for regions.
 * @param identity of the owner's transport.
 */
record Descriptor(int kind, int id, long length, int writers, PeerIdentity identity)
{
    static final int REGION = 1;
    static final int SIGNALS = 2;
    static final int MAX_LENGTH = 1024;

    /** Bytes from one signal to the next: neighbours are written by different processes, so each has its own line. */
    static final int SIGNAL_STRIDE = 64;

    private static final int FIXED_LENGTH = 3 * Integer.BYTES + Long.BYTES;

    ByteBuffer encode()
    {
        final ByteBuffer to = ByteBuffer.allocate(MAX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(kind).putInt(id).putLong(length).putInt(writers);
        identity.encode(to);
        return PeerIdentity.bytes(to);
    }

    static Descriptor decode(final int kind, final ByteBuffer bytes)
    {
        final ByteBuffer source = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (source.remaining() < FIXED_LENGTH)
        {
            throw new IllegalArgumentException("descriptor is cut short: it has " + source.remaining() + " bytes");
        }

        final int found = source.getInt();
        final int id = source.getInt();
        final long length = source.getLong();
        final int writers = source.getInt();
        final PeerIdentity identity = PeerIdentity.decode("descriptor", source);
        if (kind != found)
        {
            throw new IllegalArgumentException("descriptor is that of " + name(found) + ", not of " + name(kind));
        }

        return new Descriptor(kind, id, length, writers, identity);
    }

    /** Bytes of memory behind it. */
    long memoryLength()
    {
        return SIGNALS == kind ? length * SIGNAL_STRIDE : length;
    }

    /** Name of the file in the owner's region directory. */
    String fileName()
    {
        return fileName(kind, id);
    }

    static String fileName(final int kind, final int id)
    {
        return (SIGNALS == kind ? "signals-" : "region-") + id;
    }

    private static String name(final int kind)
    {
        return SIGNALS == kind ? "signals" : "a region";
    }
}
