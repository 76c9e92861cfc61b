/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * A world for one engine of several that follow each other over one rendezvous: topics and announcements carry its
 * number, and those of other engines are not heard. Closing it leaves the rendezvous open.
 */
final class ScopedRendezvous implements Rendezvous
{
    private final Rendezvous world;
    private final int number;
    private volatile boolean isClosed;

    ScopedRendezvous(final Rendezvous world, final int number)
    {
        this.world = world;
        this.number = number;
    }

    @Override
    public int rank()
    {
        return world.rank();
    }

    @Override
    public int worldSize()
    {
        return world.worldSize();
    }

    @Override
    public Member member(final int rank)
    {
        return world.member(rank);
    }

    @Override
    public boolean hasReturned()
    {
        return world.hasReturned();
    }

    @Override
    public List<ByteBuffer> allGather(
        final String topic, final ByteBuffer mine, final Duration timeout, final List<Member> members)
    {
        return world.allGather("tune." + number + "." + topic, mine, timeout, members);
    }

    @Override
    public void announce(final ByteBuffer message)
    {
        final ByteBuffer numbered = ByteBuffer.allocate(Integer.BYTES + message.remaining());
        world.announce(numbered.putInt(number).put(message.duplicate()).flip());
    }

    @Override
    public void listen(final RendezvousListener listener)
    {
        world.listen(new RendezvousListener()
        {
            @Override
            public void onMemberLost(final Member member, final Loss loss, final String reason)
            {
                if (!isClosed)
                {
                    listener.onMemberLost(member, loss, reason);
                }
            }

            @Override
            public void onMemberReturned(final Member member)
            {
                if (!isClosed)
                {
                    listener.onMemberReturned(member);
                }
            }

            @Override
            public void onAnnouncement(final int rank, final ByteBuffer message)
            {
                final ByteBuffer copy = message.slice();
                if (!isClosed && number == copy.getInt())
                {
                    listener.onAnnouncement(rank, copy.slice());
                }
            }
        });
    }

    @Override
    public void close()
    {
        isClosed = true;
    }
}
