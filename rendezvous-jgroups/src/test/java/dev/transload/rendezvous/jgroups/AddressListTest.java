/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AddressListTest
{
    private static final String ADDRESS = "pod-0.job:7800";

    @ParameterizedTest
    @ValueSource(ints = { 0, 1 })
    void shouldWaitForTheNameOfAHostThatIsStillComingUp(final int rank) throws UnknownHostException
    {
        final InetAddress loopback = InetAddress.getByName("127.0.0.1");
        final AtomicInteger lookUps = new AtomicInteger();
        final AddressList addresses = AddressList.parse(ADDRESS, 2, (host) ->
        {
            if (lookUps.incrementAndGet() < 4)
            {
                throw new UnknownHostException(host);
            }
            return new InetAddress[]{ loopback };
        });

        final InetSocketAddress bind = addresses.bindOf(
            config(rank), System.nanoTime() + Duration.ofMinutes(1).toNanos());
        assertEquals(new InetSocketAddress(loopback, rank == 0 ? 7800 : 0), bind);
        assertTrue(lookUps.get() >= 4, "look-ups: " + lookUps);
    }

    @Test
    void shouldSayAtTheDeadlineWhichNameNobodyKnows()
    {
        final AddressList addresses = AddressList.parse(ADDRESS, 2, (host) ->
        {
            throw new UnknownHostException(host);
        });

        final RendezvousException ex = assertThrows(RendezvousException.class,
            () -> addresses.bindOf(config(1), System.nanoTime()));
        assertEquals(Reason.ADDRESS_UNAVAILABLE, ex.reason());
        assertTrue(ex.getMessage().startsWith(
            "pod-0.job:7800 in transload.rendezvous.address cannot be resolved"), ex.getMessage());
    }

    private static JGroupsRendezvousConfig config(final int rank)
    {
        return JGroupsRendezvousConfig.builder().rank(rank).worldSize(2).address(ADDRESS).build();
    }
}
