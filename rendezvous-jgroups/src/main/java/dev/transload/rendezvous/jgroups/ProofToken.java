/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.auth.AuthToken;
import org.jgroups.util.UUID;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/**
 * What JGroups' AUTH sends with a join: proof that the joiner knows the secret, bound to its address. Public, with a
 * constructor without arguments, because AUTH makes the received one by reflection.
 */
public final class ProofToken extends AuthToken
{
    private static final String PURPOSE = "join";

    private GroupKey key;
    private byte[] proof = new byte[GroupKey.MAC_BYTES];

    /** For a received token. */
    public ProofToken()
    {
        super();
    }

    ProofToken(final GroupKey key)
    {
        super();
        this.key = key;
    }

    /** Binds the proof to the member's address, once that is known. */
    void bindTo(final Address address)
    {
        proof = key.proof(PURPOSE, bytesOf(address));
    }

    @Override
    public String getName()
    {
        return ProofToken.class.getName();
    }

    @Override
    public int size()
    {
        return GroupKey.MAC_BYTES;
    }

    @Override
    public boolean authenticate(final AuthToken token, final Message msg)
    {
        return token instanceof ProofToken joiners && null != msg.getSrc() &&
            MessageDigest.isEqual(joiners.proof, key.proof(PURPOSE, bytesOf(msg.getSrc())));
    }

    @Override
    public void writeTo(final DataOutput out) throws IOException
    {
        out.write(proof);
    }

    @Override
    public void readFrom(final DataInput in) throws IOException
    {
        in.readFully(proof);
    }

    private static byte[] bytesOf(final Address address)
    {
        final UUID id = (UUID)address;
        return ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array();
    }
}
