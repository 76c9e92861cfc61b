/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import org.jgroups.PhysicalAddress;
import org.jgroups.stack.IpAddress;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * What a newcomer and the process at the door tell each other, before any joining and in clear. On the wire: the claim,
 * whether the sender coordinates (boolean), a refusal (modified UTF-8, empty when there is none), the address that the
 * sender listens on, the incarnation of the newcomer (long, so that an answer fits one knock only), and, where the
 * sender has a secret, a proof over all that.
 *
 * @param claim       of the sender.
 * @param coordinator whether the sender lets ranks join.
 * @param refusal     why the sender refuses, one sentence, or empty.
 * @param listensOn   where the sender can be reached.
 * @param incarnation of the newcomer.
 */
record Knock(Claim claim, boolean coordinator, String refusal, PhysicalAddress listensOn, long incarnation)
{
    private static final String PURPOSE = "knock";

    /**
     * A received knock, and what it proves.
     *
     * @param knock  as sent.
     * @param proof  whether it has one, and the right one.
     */
    record Received(Knock knock, Proof proof)
    {
    }

    /** How a received knock's proof relates to the own secret. */
    enum Proof
    {
        /** Both have the same secret, or none. */
        FITS,
        /** The sender has no secret, this process has one. */
        SENDER_HAS_NO_SECRET,
        /** The sender has a secret, this process has none. */
        ONLY_SENDER_HAS_SECRET,
        /** The secrets differ. */
        SECRETS_DIFFER
    }

    byte[] encode(final GroupKey key)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes))
        {
            claim.writeTo(out);
            out.writeBoolean(coordinator);
            out.writeUTF(refusal);
            ((IpAddress)listensOn).writeTo(out);
            out.writeLong(incarnation);
            if (null != key)
            {
                out.write(key.proof(PURPOSE, bytes.toByteArray()));
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("a knock could not be encoded", ex);
        }
        return bytes.toByteArray();
    }

    static Received decode(final byte[] bytes, final int offset, final int length, final GroupKey key)
        throws IOException
    {
        final ByteArrayInputStream source = new ByteArrayInputStream(bytes, offset, length);
        final DataInputStream in = new DataInputStream(source);
        final Claim claim = Claim.readFrom(in);
        final boolean coordinator = in.readBoolean();
        final String refusal = in.readUTF();
        final IpAddress listensOn = new IpAddress();
        listensOn.readFrom(in);
        final long incarnation = in.readLong();
        final byte[] signed = Arrays.copyOfRange(bytes, offset, offset + length - source.available());
        return new Received(new Knock(claim, coordinator, refusal, listensOn, incarnation),
            check(signed, in.readAllBytes(), key));
    }

    private static Proof check(final byte[] signed, final byte[] proof, final GroupKey key)
    {
        if (null == key)
        {
            return proof.length == 0 ? Proof.FITS : Proof.ONLY_SENDER_HAS_SECRET;
        }
        if (proof.length == 0)
        {
            return Proof.SENDER_HAS_NO_SECRET;
        }
        return MessageDigest.isEqual(key.proof(PURPOSE, signed), proof) ? Proof.FITS : Proof.SECRETS_DIFFER;
    }
}
