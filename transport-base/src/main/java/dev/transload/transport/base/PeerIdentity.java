/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Identity of one incarnation of a rank's transport. Peer infos, addresses, descriptors and handshakes contain this
 * identity.
 * <p>
 * Layout, little endian: magic (i32), version (i32), name of the transport (text), rank (i32), incarnation (i64),
 * transport ID (i64), token (i64), process ID (i64), start time of the process (i64), host (text), process ID namespace
 * (text), place (text), length of the contact in bytes (i16), contact. A text is encoded as its length in bytes (i16),
 * followed by its UTF-8 bytes.
 *
 * @param transport   name of the transport, equal to the name of its provider.
 * @param rank        rank in the world.
 * @param incarnation incarnation of the rank; see {@link dev.transload.spi.TransportConfig#incarnation()}.
 * @param transportId random number, unique to this instance of the transport.
 * @param token       random secret; a peer that presents it may connect.
 * @param process     process in which the rank runs.
 * @param place       location of the rank for error messages, such as an address, a host name or a device.
 * @param contact     transport-specific data needed to reach the rank: opaque, read-only, at most
 *                    {@link #MAX_CONTACT_LENGTH} bytes.
 */
public record PeerIdentity(
    String transport,
    int rank,
    long incarnation,
    long transportId,
    long token,
    ProcessIdentity process,
    String place,
    ByteBuffer contact)
{
    /** Largest length of a contact in bytes. */
    public static final int MAX_CONTACT_LENGTH = 3072;

    /** Largest length of an encoded identity in bytes. */
    public static final int MAX_LENGTH = 4000;

    private static final int MAX_TEXT_LENGTH = 255;
    private static final int MAGIC = 0x4e4c5254;
    private static final int VERSION = 3;
    private static final ByteBuffer NO_CONTACT = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /**
     * Creates an identity with a copy of the contact.
     *
     * @throws IllegalArgumentException if the contact is longer than {@link #MAX_CONTACT_LENGTH} bytes.
     */
    public PeerIdentity
    {
        if (contact.remaining() > MAX_CONTACT_LENGTH)
        {
            throw new IllegalArgumentException("contact of transport " + transport + " has " + contact.remaining() +
                " bytes: at most " + MAX_CONTACT_LENGTH + " are allowed");
        }

        contact = copy(contact.duplicate());
    }

    /**
     * Returns the transport-specific contact data.
     *
     * @return new read-only buffer; the contact lies between its position and its limit.
     */
    @Override
    public ByteBuffer contact()
    {
        return contact.duplicate();
    }

    /**
     * Returns a copy without the contact. Such a copy keeps descriptors short.
     *
     * @return identity with an empty contact.
     */
    public PeerIdentity withoutContact()
    {
        return new PeerIdentity(transport, rank, incarnation, transportId, token, process, place, NO_CONTACT);
    }

    /**
     * Returns whether another identity belongs to the same incarnation of the same transport.
     *
     * @param other identity to compare.
     * @return true if both belong to the same incarnation of the same transport.
     */
    public boolean isSame(final PeerIdentity other)
    {
        return transportId == other.transportId;
    }

    /**
     * Returns a description for messages.
     *
     * @return text with rank, incarnation, process and place.
     */
    public String describe()
    {
        return "rank " + rank + " (incarnation " + incarnation + ", process " + process.pid() + ", " + place + ")";
    }

    /** Returns a text without the token, so that logs do not contain the token. */
    @Override
    public String toString()
    {
        return "transport " + transport + ": " + describe();
    }

    /**
     * Writes the identity at the position of a buffer. The method advances the position and sets the byte order to
     * little endian.
     *
     * @param to target buffer with room for {@link #MAX_LENGTH} bytes.
     */
    public void encode(final ByteBuffer to)
    {
        to.order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(MAGIC).putInt(VERSION);
        putText(to, transport);
        to.putInt(rank).putLong(incarnation).putLong(transportId).putLong(token);
        to.putLong(process.pid()).putLong(process.start());
        putText(to, process.host().host());
        putText(to, process.host().pidNamespace());
        putText(to, place);
        to.putShort((short)contact.remaining()).put(contact());
    }

    /**
     * Returns the encoded identity.
     *
     * @return new read-only buffer.
     */
    public ByteBuffer encode()
    {
        final ByteBuffer to = ByteBuffer.allocate(MAX_LENGTH);
        encode(to);
        return copy(to.flip());
    }

    /**
     * Reads an identity at the position of a buffer. The method advances the position and sets the byte order to little
     * endian.
     *
     * @param transport name of the transport that must have created the identity.
     * @param what      name of the data, for error messages.
     * @param source    buffer with an encoded identity.
     * @return decoded identity.
     * @throws IllegalArgumentException if the bytes are not an identity of this transport and this version.
     */
    public static PeerIdentity decode(final String transport, final String what, final ByteBuffer source)
    {
        source.order(ByteOrder.LITTLE_ENDIAN);
        try
        {
            if (MAGIC != source.getInt() || VERSION != source.getInt() || !transport.equals(text(source)))
            {
                throw new IllegalArgumentException(
                    what + " is not one of transport " + transport + ", version " + VERSION);
            }

            final int rank = source.getInt();
            final long incarnation = source.getLong();
            final long transportId = source.getLong();
            final long token = source.getLong();
            final long pid = source.getLong();
            final long start = source.getLong();
            final HostIdentity host = new HostIdentity(text(source), text(source));
            return new PeerIdentity(transport, rank, incarnation, transportId, token,
                new ProcessIdentity(pid, start, host), text(source), bytes(source));
        }
        catch (final BufferUnderflowException ex)
        {
            throw new IllegalArgumentException(
                what + " is cut short: it is not one of transport " + transport, ex);
        }
    }

    /** Remaining bytes in a read-only buffer of their own. */
    static ByteBuffer copy(final ByteBuffer from)
    {
        return ByteBuffer.allocate(from.remaining()).put(from).flip().asReadOnlyBuffer();
    }

    private static void putText(final ByteBuffer to, final String text)
    {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(bytes.length, MAX_TEXT_LENGTH);
        to.putShort((short)length).put(bytes, 0, length);
    }

    private static String text(final ByteBuffer source)
    {
        return StandardCharsets.UTF_8.decode(bytes(source)).toString();
    }

    /** A part with its length i16 before it; the position of the source is advanced. */
    static ByteBuffer bytes(final ByteBuffer source)
    {
        final int length = source.getShort();
        if (length < 0 || length > source.remaining())
        {
            throw new BufferUnderflowException();
        }

        final ByteBuffer part = source.slice(source.position(), length);
        source.position(source.position() + length);
        return part;
    }
}
