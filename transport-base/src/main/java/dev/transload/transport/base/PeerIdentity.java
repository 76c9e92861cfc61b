/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * One life of one rank's transport, as it travels in peer infos, addresses, descriptors and handshakes.
 * <p>
 * Layout, little endian: magic i32, version i32, name of the transport as text, rank i32, incarnation i64, transport
 * id i64, token i64, process i64, start of the process i64, host, namespace of processes and place as texts, then the
 * length i16 of the contact and its bytes. A text is its length i16 and UTF-8.
 *
 * @param transport   name of the transport, as in its provider.
 * @param rank        of the world.
 * @param incarnation of the rank.
 * @param transportId random, unique to this life of this transport.
 * @param token       random; a process that shows it has been given this identity and may connect.
 * @param process     that the rank runs in.
 * @param place       where the rank is, for people who read messages: an address, or a host's name.
 * @param contact     what the transport itself needs to reach the rank: opaque, read-only, at most
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
    /** Most bytes of a contact. */
    public static final int MAX_CONTACT_LENGTH = 3072;

    /** Most bytes of an encoded identity. */
    public static final int MAX_LENGTH = 4000;

    private static final int MAX_TEXT_LENGTH = 255;
    private static final int MAGIC = 0x4e4c5254;
    private static final int VERSION = 3;
    private static final ByteBuffer NO_CONTACT = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /**
     * Takes a copy of the contact.
     *
     * @throws IllegalArgumentException when the contact is too long.
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
     * What the transport itself needs.
     *
     * @return a read-only buffer of its own, from position to limit.
     */
    @Override
    public ByteBuffer contact()
    {
        return contact.duplicate();
    }

    /**
     * The same identity where nobody connects by it, as in descriptors, which are short.
     *
     * @return the identity with an empty contact.
     */
    public PeerIdentity withoutContact()
    {
        return new PeerIdentity(transport, rank, incarnation, transportId, token, process, place, NO_CONTACT);
    }

    /**
     * Whether the other one is the same life of the same transport.
     *
     * @param other identity.
     * @return whether they are one.
     */
    public boolean isSame(final PeerIdentity other)
    {
        return transportId == other.transportId;
    }

    /**
     * Words for a message.
     *
     * @return rank, incarnation, process and place.
     */
    public String describe()
    {
        return "rank " + rank + " (incarnation " + incarnation + ", process " + process.pid() + ", " + place + ")";
    }

    /** The token stays out of logs. */
    @Override
    public String toString()
    {
        return "transport " + transport + ": " + describe();
    }

    /**
     * Write at the position of a buffer, which is advanced and set to little endian.
     *
     * @param to has room for {@link #MAX_LENGTH} bytes.
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
     * The encoded identity.
     *
     * @return read-only bytes.
     */
    public ByteBuffer encode()
    {
        final ByteBuffer to = ByteBuffer.allocate(MAX_LENGTH);
        encode(to);
        return copy(to.flip());
    }

    /**
     * Read from the position of a buffer, which is advanced and set to little endian.
     *
     * @param transport which it must be one of.
     * @param what      is read, for the message.
     * @param source    encoded identity.
     * @return the identity.
     * @throws IllegalArgumentException when it is none of this transport and this version.
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
