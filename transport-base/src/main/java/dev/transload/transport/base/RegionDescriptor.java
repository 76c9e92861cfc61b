/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a peer needs to import a region or signals. Layout, little endian: kind i32, id i32, length i64, writers i32,
 * the identity of the owner, then the length i16 of the key and its bytes.
 *
 * @param kind    {@link #REGION} or {@link #SIGNALS}.
 * @param id      unique to the owner's transport, positive.
 * @param length  bytes of a region, number of signals.
 * @param writers channels that may add to one signal, 0 for regions.
 * @param owner   identity of the owner's transport, without its contact where nobody reads that.
 * @param key     what the transport itself needs to reach the memory: opaque, read-only.
 */
public record RegionDescriptor(int kind, int id, long length, int writers, PeerIdentity owner, ByteBuffer key)
{
    /** Kind of a descriptor of a region. */
    public static final int REGION = 1;

    /** Kind of a descriptor of signals. */
    public static final int SIGNALS = 2;

    /** Most bytes of an encoded descriptor, which is what the SPI allows. */
    public static final int MAX_LENGTH = 1024;

    /** Bytes from one signal to the next: neighbours are written by different processes, so each has its own line. */
    public static final int SIGNAL_STRIDE = 64;

    /** The key of transports that need none. */
    public static final ByteBuffer NO_KEY = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private static final int FIXED_LENGTH = 3 * Integer.BYTES + Long.BYTES;

    /** Takes a copy of the key. */
    public RegionDescriptor
    {
        key = PeerIdentity.copy(key.duplicate());
    }

    /**
     * What the transport itself needs.
     *
     * @return a read-only buffer of its own, from position to limit.
     */
    @Override
    public ByteBuffer key()
    {
        return key.duplicate();
    }

    /**
     * What the region or the signals hand out.
     *
     * @return read-only bytes.
     * @throws IllegalStateException when they are more than {@link #MAX_LENGTH}.
     */
    public ByteBuffer encode()
    {
        final ByteBuffer to = ByteBuffer.allocate(
            FIXED_LENGTH + PeerIdentity.MAX_LENGTH + Short.BYTES + key.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(kind).putInt(id).putLong(length).putInt(writers);
        owner.encode(to);
        to.putShort((short)key.remaining()).put(key());
        if (to.position() > MAX_LENGTH)
        {
            throw new IllegalStateException("transport " + owner.transport() + ": the descriptor of " + name() +
                " has " + to.position() + " bytes, at most " + MAX_LENGTH + " are allowed");
        }

        return PeerIdentity.copy(to.flip());
    }

    /**
     * Read a descriptor.
     *
     * @param transport which it must be one of.
     * @param kind      which it must have.
     * @param bytes     of the descriptor.
     * @return the descriptor.
     * @throws IllegalArgumentException when it is none of this transport, version and kind.
     */
    public static RegionDescriptor decode(final String transport, final int kind, final ByteBuffer bytes)
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
        final PeerIdentity owner = PeerIdentity.decode(transport, "descriptor", source);
        if (kind != found)
        {
            throw new IllegalArgumentException("descriptor is that of " + word(found) + ", not of " + word(kind));
        }

        try
        {
            return new RegionDescriptor(kind, id, length, writers, owner, PeerIdentity.bytes(source));
        }
        catch (final BufferUnderflowException ex)
        {
            throw new IllegalArgumentException("descriptor is cut short: its key is missing", ex);
        }
    }

    /**
     * Size of the memory that it stands for.
     *
     * @return bytes.
     */
    public long memoryLength()
    {
        return SIGNALS == kind ? length * SIGNAL_STRIDE : length;
    }

    /**
     * Name among the memory of the owner, fit for a file.
     *
     * @return {@code region-7} or {@code signals-7}.
     */
    public String name()
    {
        return name(kind, id);
    }

    /**
     * Name among the memory of an owner, fit for a file.
     *
     * @param kind of the memory.
     * @param id   of the memory.
     * @return {@code region-7} or {@code signals-7}.
     */
    public static String name(final int kind, final int id)
    {
        return (SIGNALS == kind ? "signals-" : "region-") + id;
    }

    private static String word(final int kind)
    {
        return SIGNALS == kind ? "signals" : "a region";
    }
}
