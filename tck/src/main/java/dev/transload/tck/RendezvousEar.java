/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Remembers what one rank was told, and waits for it. */
final class RendezvousEar implements RendezvousListener
{
    private final List<String> heard = new ArrayList<>();

    @Override
    public synchronized void onMemberLost(final Member member, final Loss loss, final String reason)
    {
        heard.add("lost " + member.rank());
        notifyAll();
    }

    @Override
    public synchronized void onMemberReturned(final Member member)
    {
        heard.add("returned " + member.rank());
        notifyAll();
    }

    @Override
    public synchronized void onAnnouncement(final int rank, final ByteBuffer message)
    {
        heard.add(rank + ":" + message.get(message.position()));
        notifyAll();
    }

    synchronized List<String> heard()
    {
        return List.copyOf(heard);
    }

    synchronized void await(final String what, final Duration timeout, final Predicate<List<String>> condition)
    {
        final long deadline = System.nanoTime() + timeout.toNanos();
        while (!condition.test(heard))
        {
            final long leftMs = (deadline - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0)
            {
                throw new AssertionError("waited " + timeout + " in vain for " + what + ": heard " + heard);
            }

            try
            {
                wait(leftMs);
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for " + what, ex);
            }
        }
    }
}
