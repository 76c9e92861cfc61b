/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.RendezvousException;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.UUID;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** What joined ranks send each other: one byte of kind, then fields as each factory method writes them. */
final class Envelope
{
    /** Longest sentence that fits modified UTF-8 whatever its characters. */
    private static final int MAX_SENTENCE_CHARS = 20_000;

    /** Kinds, by their place on the wire; new ones go to the end. */
    enum Kind
    {
        /** A joined process tells rank 0 its claim. */
        HELLO,
        /** A process whose time is up asks rank 0 who came. */
        ASK,
        /** Rank 0 tells whose claims it has. */
        PRESENT,
        /** Rank 0 tells who the world consists of; each rank answers READY once it can reach them all. */
        ROSTER,
        /** Answers ROSTER. */
        READY,
        /** Rank 0: all are ready. */
        FORMED,
        /** A process asks rank 0 to end the forming. */
        COMPLAINT,
        /** Rank 0 ends the forming, or refuses one newcomer. */
        FAILED,
        /** Contribution to an all-gather; numbered, as all of a formed world but ACKNOWLEDGED. */
        CONTRIBUTION,
        /** Announcement. */
        ANNOUNCEMENT,
        /** The sender closes. */
        GOODBYE,
        /** All messages of the receiver below a number have come. */
        ACKNOWLEDGED
    }

    /**
     * One rank of a roster.
     *
     * @param address   in the group.
     * @param listensOn where it accepts connections.
     * @param claim     what it says of itself.
     */
    record Entry(Address address, IpAddress listensOn, Claim claim)
    {
        private void writeTo(final DataOutputStream out) throws IOException
        {
            listensOn.writeTo(out);
            claim.writeTo(out);
        }

        private static Entry readFrom(final Address address, final DataInputStream in) throws IOException
        {
            final IpAddress listensOn = new IpAddress();
            listensOn.readFrom(in);
            return new Entry(address, listensOn, Claim.readFrom(in));
        }
    }

    /** Writes the fields behind the kind. */
    @FunctionalInterface
    private interface Fields
    {
        void writeTo(DataOutputStream out) throws IOException;
    }

    private static final Kind[] KINDS = Kind.values();

    private Envelope()
    {
    }

    static byte[] bare(final Kind kind)
    {
        return encode(kind, out ->
        {
        });
    }

    static byte[] hello(final Entry own)
    {
        return encode(Kind.HELLO, own::writeTo);
    }

    static byte[] present(final List<Integer> ranks)
    {
        return encode(Kind.PRESENT, out ->
        {
            out.writeInt(ranks.size());
            for (final int rank : ranks)
            {
                out.writeInt(rank);
            }
        });
    }

    static byte[] roster(final int attempt, final List<Entry> entries)
    {
        return encode(Kind.ROSTER, out ->
        {
            out.writeInt(attempt);
            out.writeInt(entries.size());
            for (final Entry entry : entries)
            {
                final UUID address = (UUID)entry.address();
                out.writeLong(address.getMostSignificantBits());
                out.writeLong(address.getLeastSignificantBits());
                entry.writeTo(out);
            }
        });
    }

    static byte[] numbered(final Kind kind, final int attempt)
    {
        return encode(kind, out -> out.writeInt(attempt));
    }

    static byte[] trouble(final Kind kind, final RendezvousException.Reason reason, final String sentence)
    {
        return encode(kind, out ->
        {
            out.writeUTF(reason.name());
            out.writeUTF(sentence.substring(0, Math.min(sentence.length(), MAX_SENTENCE_CHARS)));
        });
    }

    static byte[] contribution(final long number, final String topic, final byte[] bytes)
    {
        return encode(Kind.CONTRIBUTION, out ->
        {
            out.writeLong(number);
            out.writeUTF(topic);
            out.write(bytes);
        });
    }

    static byte[] announcement(final long number, final byte[] bytes)
    {
        return encode(Kind.ANNOUNCEMENT, out ->
        {
            out.writeLong(number);
            out.write(bytes);
        });
    }

    static byte[] goodbye(final long number)
    {
        return encode(Kind.GOODBYE, out -> out.writeLong(number));
    }

    static byte[] acknowledged(final long below)
    {
        return encode(Kind.ACKNOWLEDGED, out -> out.writeLong(below));
    }

    static Entry readHello(final Address from, final DataInputStream in) throws IOException
    {
        return Entry.readFrom(from, in);
    }

    static Kind readKind(final DataInputStream in) throws IOException
    {
        final int ordinal = in.readUnsignedByte();
        if (ordinal >= KINDS.length)
        {
            throw new IOException("message kind " + ordinal + " is unknown; there are " + KINDS.length);
        }
        return KINDS[ordinal];
    }

    static List<Integer> readPresent(final DataInputStream in) throws IOException
    {
        final int count = in.readInt();
        final List<Integer> ranks = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            ranks.add(in.readInt());
        }
        return ranks;
    }

    static List<Entry> readRoster(final DataInputStream in) throws IOException
    {
        final int count = in.readInt();
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final Address address = new UUID(in.readLong(), in.readLong());
            entries.add(Entry.readFrom(address, in));
        }
        return entries;
    }

    static RendezvousException readTrouble(final DataInputStream in) throws IOException
    {
        final String name = in.readUTF();
        try
        {
            return new RendezvousException(RendezvousException.Reason.valueOf(name), in.readUTF());
        }
        catch (final IllegalArgumentException ex)
        {
            throw new IOException("reason '" + name + "' is unknown", ex);
        }
    }

    static DataInputStream open(final byte[] bytes, final int offset, final int length)
    {
        return new DataInputStream(new ByteArrayInputStream(bytes, offset, length));
    }

    private static byte[] encode(final Kind kind, final Fields fields)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes))
        {
            out.writeByte(kind.ordinal());
            fields.writeTo(out);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("a message of kind " + kind + " could not be encoded", ex);
        }
        return bytes.toByteArray();
    }
}
