/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Writes down what it is told. */
final class Recorder implements RendezvousListener
{
    private static final long TIMEOUT_S = 60;

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Override
    public void onMemberLost(final Member member, final Loss loss, final String reason)
    {
        told.add("lost " + member.rank());
    }

    @Override
    public void onMemberReturned(final Member member)
    {
        told.add("returned " + member.rank());
    }

    @Override
    public void onAnnouncement(final int rank, final ByteBuffer message)
    {
        told.add(rank + " says " + message.getInt(0));
    }

    boolean isEmpty()
    {
        return told.isEmpty();
    }

    List<String> take(final int count) throws InterruptedException
    {
        final List<String> taken = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final String event = told.poll(TIMEOUT_S, TimeUnit.SECONDS);
            assertTrue(null != event, "after " + taken + " nothing more was told");
            taken.add(event);
        }
        return taken;
    }
}
