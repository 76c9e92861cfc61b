/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.jgroups.Address;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SeedDiscoveryTest
{
    private static final Claim ZERO = new Claim(2, new Member(0, 1, "a", 11));
    private static final Claim ONE = new Claim(2, new Member(1, 2, "b", 22));

    /** On a busy machine it asks again, and hears of itself, before the coordinator's answer comes. */
    @Test
    void shouldNotTakeItselfForAnotherProcessOfItsRank()
    {
        final Address own = ONE.toAddress(null);

        assertNull(SeedDiscovery.conflict(ONE, own, List.of(own, ZERO.toAddress(null))));
    }

    @Test
    void shouldTellOfAnotherProcessOfItsRank()
    {
        final Claim other = new Claim(2, new Member(1, 3, "c", 33));
        final RendezvousException conflict = SeedDiscovery.conflict(
            ONE, ONE.toAddress(null), List.of(ZERO.toAddress(null), other.toAddress(null)));

        assertEquals(Reason.DUPLICATE_RANK, conflict.reason());
        assertTrue(conflict.getMessage().contains("(pid 33 on c)"), conflict.getMessage());
    }
}
