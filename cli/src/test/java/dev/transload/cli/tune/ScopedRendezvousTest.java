/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Engines that follow each other over one rendezvous do not hear of each other. */
class ScopedRendezvousTest
{
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final class Ear implements RendezvousListener
    {
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

        @Override
        public void onMemberLost(final Member member, final Loss loss, final String reason)
        {
            heard.add("lost " + member.rank());
        }

        @Override
        public void onAnnouncement(final int rank, final ByteBuffer message)
        {
            heard.add(rank + ":" + message.remaining() + ":" + message.duplicate().getInt());
        }
    }

    @Test
    void shouldUseATopicAgainInEveryScope()
    {
        try (InMemoryRendezvous world = InMemoryRendezvous.world(1).get(0))
        {
            for (int number = 1; number <= 3; number++)
            {
                assertEquals(1, new ScopedRendezvous(world, number)
                    .allGather("transload.settings", ByteBuffer.allocate(0), TIMEOUT).size());
            }
        }
    }

    @Test
    void shouldHearOfItsOwnScopeUntilItIsClosed() throws InterruptedException
    {
        final List<InMemoryRendezvous> world = InMemoryRendezvous.world(2);
        final Ear first = new Ear();
        final Ear second = new Ear();
        final ScopedRendezvous firstScope = new ScopedRendezvous(world.get(0), 1);
        firstScope.listen(first);
        new ScopedRendezvous(world.get(0), 2).listen(second);

        new ScopedRendezvous(world.get(1), 1).announce(ByteBuffer.allocate(4).putInt(0, 7));
        assertEquals("1:4:7", first.heard.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
        firstScope.close();
        new ScopedRendezvous(world.get(1), 1).announce(ByteBuffer.allocate(4).putInt(0, 8));
        new ScopedRendezvous(world.get(1), 2).announce(ByteBuffer.allocate(4).putInt(0, 9));
        // In order of the sender: what the first scope might hear came before this.
        assertEquals("1:4:9", second.heard.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
        assertTrue(first.heard.isEmpty(), first.heard::toString);
        world.forEach(InMemoryRendezvous::close);
    }
}
