/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Rank 0's side, told of views and comers in any order that their threads may bring about. */
class FormationTest
{
    private static final int RANKS = 4;

    private final List<Envelope.Entry> ranks = IntStream.range(0, RANKS).mapToObj(FormationTest::process).toList();
    private final List<Envelope.Kind> sent = new ArrayList<>();
    private final Formation formation = new Formation(ranks.get(0).claim(), this::send);

    @Test
    void shouldProposeTheRosterWhenAllHaveCome()
    {
        come(0);
        view(0, 1, 2);
        come(1);
        come(2);
        view(0, 1, 2, 3);
        assertEquals(List.of(), sent);
        come(3);
        assertEquals(List.of(Envelope.Kind.ROSTER), sent);
    }

    @Test
    void shouldRememberWhoComesBeforeTheViewsThatAreOnTheirWay()
    {
        view(0);
        come(0);
        // Ranks 2 and 3 are in the third view, which they have and rank 0 is yet to hear of, as of the second.
        come(2);
        come(3);
        view(0, 1);
        come(1);
        assertEquals(List.of(), sent);
        view(0, 1, 2, 3);
        assertEquals(List.of(Envelope.Kind.ROSTER), sent);
    }

    @Test
    void shouldForgetWhoIsGone()
    {
        view(0, 1, 2, 3);
        come(0);
        come(1);
        come(2);
        view(0, 2, 3);
        come(3);
        assertEquals(List.of(), sent);
        final Envelope.Entry again = process(1);
        formation.onView(List.of(address(0), address(2), address(3), again.address()));
        formation.onHello(again);
        assertEquals(List.of(Envelope.Kind.ROSTER), sent);
    }

    @Test
    void shouldNotTakeTheWordOfOneThatIsGoneForARivals()
    {
        view(0, 1, 2, 3);
        view(0, 2, 3);
        come(0);
        come(1);
        come(2);
        come(3);
        final Envelope.Entry again = process(1);
        formation.onView(List.of(address(0), address(2), address(3), again.address()));
        formation.onHello(again);
        assertEquals(List.of(Envelope.Kind.ROSTER), sent);
    }

    @Test
    void shouldNotMissItself()
    {
        view(0, 1);
        come(1);
        final RendezvousException ex =
            assertThrows(RendezvousException.class, () -> formation.await(System.nanoTime(), 3000));
        assertEquals("ranks 2, 3 of 4 did not come within 3000 ms", ex.getMessage());
    }

    private void view(final int... members)
    {
        formation.onView(IntStream.of(members).mapToObj(this::address).toList());
    }

    private void come(final int rank)
    {
        formation.onHello(ranks.get(rank));
    }

    private Address address(final int rank)
    {
        return ranks.get(rank).address();
    }

    private void send(final Address to, final byte[] message)
    {
        try
        {
            final DataInputStream in = Envelope.open(message, 0, message.length);
            sent.add(Envelope.readKind(in));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static Envelope.Entry process(final int rank)
    {
        return new Envelope.Entry(UUID.randomUUID(), new IpAddress(InetAddress.getLoopbackAddress(), 1000 + rank),
            new Claim(RANKS, new Member(rank, rank, "host", rank)));
    }
}
