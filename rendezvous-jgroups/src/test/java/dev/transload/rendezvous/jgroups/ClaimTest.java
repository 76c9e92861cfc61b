/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.jgroups.Address;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.UUID;
import org.jgroups.util.Util;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

class ClaimTest
{
    private static final GroupKey KEY = GroupKey.deriveFrom("open sesame");

    private final Claim claim = new Claim(4, new Member(3, 77, "höst", 4711));

    @Test
    void shouldTravelInTheAddress() throws Exception
    {
        assertEquals(Optional.of(claim), Claim.of(sent(claim.toAddress(KEY))));
        assertEquals(Optional.empty(), Claim.of(UUID.randomUUID()));
        assertEquals(Optional.empty(), Claim.of(ExtendedUUID.randomUUID().put("claim", new byte[3])));
    }

    @Test
    void shouldCutAHostNameThatAnAddressCannotHold() throws Exception
    {
        final Claim longName = new Claim(1, new Member(0, 1, "h".repeat(300), 2));
        assertEquals("h".repeat(200), Claim.of(sent(longName.toAddress(KEY))).orElseThrow().member().host());
    }

    @Test
    void shouldTrustNobodyWithAnotherSecret() throws Exception
    {
        final GroupKey other = GroupKey.deriveFrom("open barley");
        final Address proven = sent(claim.toAddress(KEY));
        final Address plain = sent(claim.toAddress(null));
        assertEquals(Optional.empty(), Claim.distrust(proven, KEY));
        assertEquals(Optional.empty(), Claim.distrust(plain, null));
        assertEquals(Optional.of("their secrets differ"), Claim.distrust(proven, other));
        assertEquals(Optional.of("only one of them has a secret"), Claim.distrust(proven, null));
        assertEquals(Optional.of("only one of them has a secret"), Claim.distrust(plain, KEY));
        assertEquals(Optional.of("it is no rank"), Claim.distrust(UUID.randomUUID(), null));
    }

    @Test
    void shouldTrustAProofForNoOtherClaimAndNoOtherAddress() throws Exception
    {
        final ExtendedUUID proven = claim.toAddress(KEY);
        final byte[] proof = proven.get("proof");
        final ExtendedUUID changed = new ExtendedUUID(proven);
        changed.put("claim", new Claim(4, new Member(0, 77, "höst", 4711)).toAddress(null).get("claim"));
        assertEquals(Optional.of("their secrets differ"), Claim.distrust(sent(changed), KEY));
        assertEquals(Optional.of("their secrets differ"),
            Claim.distrust(sent(claim.toAddress(null).put("proof", proof)), KEY));
        assertEquals(Optional.of("it is no rank"),
            Claim.distrust(sent(ExtendedUUID.randomUUID().put("proof", proof)), KEY));
    }

    @Test
    void shouldNameTheFirstConflict()
    {
        final Claim sameRank = new Claim(4, new Member(3, 78, "host", 1));
        final Claim otherWorld = new Claim(5, new Member(0, 79, "host", 2));
        assertNull(claim.conflictWith(List.of(new Claim(4, new Member(2, 80, "host", 3)))));
        assertEquals(Reason.DUPLICATE_RANK, claim.conflictWith(List.of(sameRank, otherWorld)).reason());
        assertEquals("rank 0 (pid 2 on host) was given world size 5, rank 3 (pid 4711 on höst) world size 4; " +
            "give all ranks the same world size", claim.conflictWith(List.of(otherWorld, sameRank)).getMessage());
    }

    private static Address sent(final Address address) throws Exception
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Util.writeAddress(address, new DataOutputStream(bytes));
        return Util.readAddress(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }
}
