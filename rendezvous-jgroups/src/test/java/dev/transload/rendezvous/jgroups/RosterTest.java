/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.jgroups.Address;
import org.jgroups.View;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RosterTest
{
    private final Address zero = process(0, 3, 10);
    private final Address one = process(1, 3, 11);
    private final Address two = process(2, 3, 12);
    private final Roster roster = Roster.formedBy(view(7, zero, two, one), 0);

    @Test
    void shouldGiveTheFirstOfTwoNewProcessesThePlaceOfALostOne()
    {
        final Address first = process(2, 3, 22);
        final Address second = process(2, 3, 23);
        follow(8, zero, one);
        assertTrue(roster.isLost(2) && roster.board().isLost(2));
        follow(9, zero, one, first, second);

        assertTrue(roster.contains(first) && roster.hasReturned(2));
        assertFalse(roster.isLost(2) || roster.board().isLost(2) || roster.hasReturned(1));
        assertTrue(roster.isFormer(two) && !roster.contains(two) && !roster.isFormer(second));
        assertEquals(22, roster.board().members().get(2).processId());
        final RendezvousException refusal = roster.refusalOf(second);
        assertEquals(Reason.DUPLICATE_RANK, refusal.reason());
        assertTrue(refusal.getMessage().contains("pid 22") && refusal.getMessage().contains("pid 23"),
            refusal.getMessage());
    }

    @Test
    void shouldFollowEachViewOnce()
    {
        final Address again = process(2, 3, 22);
        follow(8, zero, one);
        follow(9, zero, one, again);
        follow(8, zero);

        assertEquals(9, roster.viewId());
        assertEquals(List.of(zero, one, again), roster.present());
    }

    @Test
    void shouldGiveNoPlaceToAProcessOfAnotherWorldSize()
    {
        final Address stranger = process(2, 4, 22);
        follow(8, zero, one, stranger);

        assertTrue(roster.isLost(2) && !roster.contains(stranger));
        assertEquals(Reason.WORLD_MISMATCH, roster.refusalOf(stranger).reason());
    }

    @Test
    void shouldReplaceAProcessThatHasDepartedWhenItHasLeftTheGroup()
    {
        final Address late = process(2, 3, 22);
        roster.board().departed(2);
        follow(8, zero, one, two, late);
        assertFalse(roster.isLost(2) || roster.contains(late));
        assertEquals(List.of(zero, one, two), roster.present());
        assertEquals(Reason.DUPLICATE_RANK, roster.refusalOf(late).reason());
        follow(9, zero, one, late);
        assertTrue(roster.contains(late) && roster.hasReturned(2));
        assertFalse(roster.board().hasDeparted(2));
    }

    @Test
    void shouldGiveNoPlaceToAProcessThatBeganBefore()
    {
        final Address earlier = process(2, 3, 5);
        follow(8, zero, one, earlier);

        assertFalse(roster.contains(earlier));
        final RendezvousException refusal = roster.refusalOf(earlier);
        assertEquals(Reason.REFUSED, refusal.reason());
        assertTrue(refusal.getMessage().contains("set the clocks"), refusal.getMessage());
    }

    @Test
    void shouldTellANewcomerWhoIsLostOrHasDepartedOrReturned() throws IOException
    {
        final Address again = process(2, 3, 22);
        follow(8, zero, one);
        follow(9, zero, one, again);
        roster.board().departed(0);
        follow(10, again);

        final Roster told = Roster.read(roster.toBytes(), 2);

        assertEquals(10, told.viewId());
        assertEquals(roster.board().members(), told.board().members());
        assertTrue(told.isLost(1) && told.board().isLost(1) && told.hasReturned(2));
        assertFalse(told.hasReturned(1) || told.isLost(0));
        assertTrue(told.board().hasDeparted(0));
        assertEquals(List.of(again), told.present());
    }

    private void follow(final long id, final Address... members)
    {
        roster.follow(view(id, members), member -> member.equals(one), 5_000);
    }

    private static View view(final long id, final Address... members)
    {
        return View.create(members[0], id, members);
    }

    private static Address process(final int rank, final int worldSize, final long processId)
    {
        return new Claim(worldSize, new Member(rank, processId, "host", processId)).toAddress(null);
    }
}
