/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Descriptor with which a peer imports a region or signals. Layout, little endian: kind (i32), ID (i32), length (i64),
 * writers (i32), identity of the owner ({@link PeerIdentity}), length of the key in bytes (i16), key.
 *
 * @param kind    {@link #REGION} or {@link #SIGNALS}.
 * @param id      ID, unique within the owner's transport, positive.
 * @param length  number of bytes of a region, or number of signals.
 * @param writers number of channels that may add to one signal, 0 for regions.
 * @param owner   identity of the owner's transport, without the contact if importers do not need it.
 * @param key     transport-specific data needed to access the memory: opaque, read-only.
 */
public record RegionDescriptor(int kind, int id, long length, int writers, PeerIdentity owner, ByteBuffer key)
{
    /** Kind of a descriptor of a region. */
    public static final int REGION = 1;

    /** Kind of a descriptor of signals. */
    public static final int SIGNALS = 2;

    /** Largest length of an encoded descriptor in bytes; the SPI defines this limit. */
    public static final int MAX_LENGTH = 1024;

    /**
     * Number of bytes from one signal to the next. Each signal has its own cache line because different processes write
     * signals.
     */
    public static final int SIGNAL_STRIDE = 64;

    /** Empty key, for transports that need no key. */
    public static final ByteBuffer NO_KEY = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private static final int FIXED_LENGTH = 3 * Integer.BYTES + Long.BYTES;

    /** Creates a descriptor with a copy of the key. */
    public RegionDescriptor
    {
        key = PeerIdentity.copy(key.duplicate());
    }

    /**
     * Returns the transport-specific key.
     *
     * @return new read-only buffer; the key lies between its position and its limit.
     */
    @Override
    public ByteBuffer key()
    {
        return key.duplicate();
    }

    /**
     * Encodes the descriptor. {@link dev.transload.spi.MemoryRegion#descriptor()} and
     * {@link dev.transload.spi.SignalRegion#descriptor()} return this encoding.
     *
     * @return read-only bytes.
     * @throws IllegalStateException if the encoded descriptor is longer than {@link #MAX_LENGTH} bytes.
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
     * Decodes a descriptor.
     *
     * @param transport name of the transport that must have created the descriptor.
     * @param kind      kind that the descriptor must have, {@link #REGION} or {@link #SIGNALS}.
     * @param bytes     encoded descriptor.
     * @return decoded descriptor.
     * @throws IllegalArgumentException if the bytes are not a descriptor of this transport, version and kind.
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
     * Returns the length of the memory.
     *
     * @return length in bytes.
     */
    public long memoryLength()
    {
        return SIGNALS == kind ? length * SIGNAL_STRIDE : length;
    }

    /**
     * Returns a file name that identifies the memory among all memory of its owner.
     *
     * @return name such as {@code region-7} or {@code signals-7}.
     */
    public String name()
    {
        return name(kind, id);
    }

    /**
     * Returns a file name that identifies the memory among all memory of its owner.
     *
     * @param kind {@link #REGION} or {@link #SIGNALS}.
     * @param id   ID of the memory.
     * @return name such as {@code region-7} or {@code signals-7}.
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
