/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Time stands still but where a test moves it. */
class DeliveriesTest
{
    private static final int RANKS = 3;
    private static final int MESSAGES = 200;

    private final List<Deliveries> ranks = new ArrayList<>();
    private final List<Packet> underWay = new ArrayList<>();
    private final long[] plannedNs = new long[RANKS];
    private long nowNs;

    /** A message between two ranks, or an acknowledgement where the message is null. */
    private record Packet(int from, int to, byte[] message, long below)
    {
    }

    DeliveriesTest()
    {
        for (int rank = 0; rank < RANKS; rank++)
        {
            plannedNs[rank] = Long.MAX_VALUE;
            ranks.add(new Deliveries(rank, RANKS, new Wire(rank)));
        }
    }

    @Test
    void shouldPassOnOnceAndInOrderWhateverIsLostDoubledAndReordered()
    {
        final Random random = new Random(6);
        final List<List<Long>> heardFromZero = List.of(List.of(), new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < MESSAGES; i++)
        {
            ranks.get(0).send(DeliveriesTest::numbered, nowNs);
        }
        while (!ranks.get(0).isSettled())
        {
            final Packet packet = underWay.isEmpty() ? null : underWay.get(random.nextInt(underWay.size()));
            final int fate = random.nextInt(4);
            if (fate > 0)
            {
                underWay.remove(packet);
            }
            if (null == packet)
            {
                nextResend(0);
            }
            else if (fate < 3)
            {
                arrive(packet, heardFromZero.get(packet.to()));
            }
        }
        final List<Long> all = LongStream.range(0, MESSAGES).boxed().toList();
        assertEquals(List.of(List.of(), all, all), heardFromZero);
    }

    @Test
    void shouldSendAgainOnlyToWhoHasNotAcknowledgedAndEverMoreSeldom()
    {
        ranks.get(0).send(DeliveriesTest::numbered, 0);
        ranks.get(0).acknowledged(1, 1, 0);
        underWay.clear();
        final List<Long> resentAtMs = new ArrayList<>();
        while (resentAtMs.size() < 4)
        {
            nextResend(0);
            underWay.forEach(packet -> assertEquals(2, packet.to()));
            underWay.forEach(packet -> resentAtMs.add(nowNs / 1_000_000));
            underWay.clear();
        }
        assertEquals(List.of(500L, 1500L, 3500L, 5500L), resentAtMs);
        ranks.get(0).acknowledged(2, 1, nowNs);
        nextResend(0);
        assertEquals(List.of(), underWay);
        assertEquals(Long.MAX_VALUE, plannedNs[0], "an idle world wakes nobody");
    }

    @Test
    void shouldNeedNothingFromARankThatIsGone()
    {
        ranks.get(0).send(DeliveriesTest::numbered, 0);
        ranks.get(0).acknowledged(2, 1, 0);
        assertFalse(ranks.get(0).isSettled());
        ranks.get(0).forget(1);
        assertTrue(ranks.get(0).isSettled());
        underWay.clear();
        ranks.get(0).send(DeliveriesTest::numbered, 0);
        assertEquals(List.of(2), underWay.stream().map(Packet::to).toList());
    }

    @Test
    void shouldNotFloodWhoIsSlow()
    {
        final int bytes = 50_000;
        for (int i = 0; i < 10; i++)
        {
            ranks.get(0).send(number -> new byte[bytes], 0);
        }
        underWay.clear();
        nextResend(0);
        assertEquals(RANKS - 1, underWay.size());
        ranks.get(0).send(number -> new byte[0], nowNs);
        ranks.get(0).acknowledged(1, 10, nowNs);
        ranks.get(0).acknowledged(2, 11, nowNs);
        underWay.clear();
        nextResend(0);
        assertEquals(List.of(0), underWay.stream().map(packet -> packet.message().length).toList());
    }

    @Test
    void shouldIgnoreAnAcknowledgementOfWhatWasNeverSent()
    {
        ranks.get(0).send(DeliveriesTest::numbered, 0);
        ranks.get(0).acknowledged(1, 7, 0);
        ranks.get(0).acknowledged(2, 1, 0);
        assertFalse(ranks.get(0).isSettled());
    }

    private void arrive(final Packet packet, final List<Long> heard)
    {
        if (null == packet.message())
        {
            ranks.get(packet.to()).acknowledged(packet.from(), packet.below(), nowNs);
            return;
        }
        final long number = ByteBuffer.wrap(packet.message()).getLong();
        final long below = ranks.get(packet.to()).arrived(packet.from(), number, () -> heard.add(number));
        underWay.add(new Packet(packet.to(), packet.from(), null, below));
    }

    private void nextResend(final int rank)
    {
        assertTrue(plannedNs[rank] < Long.MAX_VALUE, "nothing would be sent again");
        nowNs = plannedNs[rank];
        plannedNs[rank] = Long.MAX_VALUE;
        ranks.get(rank).resend(nowNs);
    }

    private static byte[] numbered(final long number)
    {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, number).array();
    }

    /** Puts under way what a rank sends. */
    private final class Wire implements Deliveries.Carrier
    {
        private final int from;

        private Wire(final int from)
        {
            this.from = from;
        }

        @Override
        public void send(final int toRank, final byte[] message)
        {
            underWay.add(new Packet(from, toRank, message, 0));
        }

        @Override
        public void resendAfter(final long delayNs)
        {
            plannedNs[from] = nowNs + delayNs;
        }
    }
}
