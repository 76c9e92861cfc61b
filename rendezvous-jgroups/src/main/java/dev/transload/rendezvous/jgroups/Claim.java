/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import org.jgroups.Address;
import org.jgroups.util.ExtendedUUID;

/**
 * What a process says of itself, carried by its address in the group: so every view says who its members are. In the
 * address: world size (int), rank (int), incarnation (long), process id (long), host (UTF-8, cut after 200 bytes); and,
 * where the process has a secret, a proof over these and the address itself.
 *
 * @param worldSize number of ranks that it was told.
 * @param member    who it is.
 */
record Claim(int worldSize, Member member)
{
    private static final String CLAIM = "claim";
    private static final String PROOF = "proof";
    private static final int NUMBERS_BYTES = 2 * Integer.BYTES + 2 * Long.BYTES;
    private static final int MAX_HOST_BYTES = 200;

    int rank()
    {
        return member.rank();
    }

    /** A new address that carries this claim, proven by the key of this process, or null when it has no secret. */
    ExtendedUUID toAddress(final GroupKey key)
    {
        final byte[] host = member.host().getBytes(StandardCharsets.UTF_8);
        final int hostBytes = Math.min(host.length, MAX_HOST_BYTES);
        final ExtendedUUID address = ExtendedUUID.randomUUID().put(CLAIM,
            ByteBuffer.allocate(NUMBERS_BYTES + hostBytes).putInt(worldSize).putInt(member.rank())
                .putLong(member.incarnation()).putLong(member.processId()).put(host, 0, hostBytes).array());
        return null == key ? address : address.put(PROOF, key.proof(CLAIM, provenBytes(address)));
    }

    /** The claim that an address carries; empty where it carries none. */
    static Optional<Claim> of(final Address address)
    {
        final byte[] claim = address instanceof ExtendedUUID extended ? extended.get(CLAIM) : null;
        if (null == claim || claim.length < NUMBERS_BYTES)
        {
            return Optional.empty();
        }
        final ByteBuffer in = ByteBuffer.wrap(claim);
        final int worldSize = in.getInt();
        final int rank = in.getInt();
        final long incarnation = in.getLong();
        final long processId = in.getLong();
        final String host = StandardCharsets.UTF_8.decode(in).toString();
        return Optional.of(new Claim(worldSize, new Member(rank, incarnation, host, processId)));
    }

    /** Why the owner of an address is a stranger to a process with the given key or null; empty when it is none. */
    static Optional<String> distrust(final Address address, final GroupKey key)
    {
        if (of(address).isEmpty())
        {
            return Optional.of("it is no rank");
        }
        final byte[] proof = ((ExtendedUUID)address).get(PROOF);
        if (null == key || null == proof)
        {
            return null == key && null == proof ? Optional.empty() : Optional.of("only one of them has a secret");
        }
        return MessageDigest.isEqual(key.proof(CLAIM, provenBytes((ExtendedUUID)address)), proof) ?
            Optional.empty() : Optional.of("their secrets differ");
    }

    /** Why this process cannot be in a world with others; null when it can. */
    RendezvousException conflictWith(final List<Claim> others)
    {
        for (final Claim other : others)
        {
            if (other.worldSize != worldSize)
            {
                return new RendezvousException(Reason.WORLD_MISMATCH, other.member.describe() +
                    " was given world size " + other.worldSize + ", " + member.describe() + " world size " +
                    worldSize + "; give all ranks the same world size");
            }
            if (other.rank() == rank())
            {
                return new RendezvousException(Reason.DUPLICATE_RANK, "two processes claim one rank: " +
                    other.member.describe() + " and " + member.describe() + "; give each process a rank of its own");
            }
        }
        return null;
    }

    private static byte[] provenBytes(final ExtendedUUID address)
    {
        final byte[] claim = address.get(CLAIM);
        return ByteBuffer.allocate(2 * Long.BYTES + claim.length).putLong(address.getMostSignificantBits())
            .putLong(address.getLeastSignificantBits()).put(claim).array();
    }
}
