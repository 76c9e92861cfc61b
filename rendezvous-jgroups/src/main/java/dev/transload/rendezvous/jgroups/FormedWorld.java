/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.WorldBoard;
import org.jgroups.Address;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;

/** A formed world as one rank sees it: brings to the board what others say, and to others what this rank says. */
final class FormedWorld
{
    /** Takes single messages to members of the group. */
    interface Post
    {
        /** Sends once, past the streams of JGroups: these may wait for a lost message, such a message for none. */
        void sendOnce(Address to, byte[] message);

        /** Runs work on a thread that may block in sending. */
        void later(Runnable work, long delayNs);
    }

    private final int rank;
    private final Post post;
    private final List<Envelope.Entry> roster;
    private final Map<Address, Integer> rankOf = new HashMap<>();
    private final WorldBoard board;
    private final Deliveries deliveries;

    FormedWorld(final int rank, final List<Envelope.Entry> roster, final Post post)
    {
        this.rank = rank;
        this.roster = roster;
        this.post = post;
        roster.forEach(entry -> rankOf.put(entry.address(), entry.claim().rank()));
        board = new WorldBoard(rank, roster.stream().map(entry -> entry.claim().member()).toList());
        deliveries = new Deliveries(rank, roster.size(), new ToRanks());
    }

    WorldBoard board()
    {
        return board;
    }

    /** Sends to all ranks but this, again and again until each has got it or is gone. */
    void sendToOthers(final LongFunction<byte[]> message)
    {
        deliveries.send(message, System.nanoTime());
    }

    /** Whether all that was sent has arrived wherever somebody is there. */
    boolean isSettled()
    {
        return deliveries.isSettled();
    }

    void receive(final Envelope.Kind kind, final Address from, final DataInputStream in) throws IOException
    {
        final Integer sender = rankOf.get(from);
        if (null == sender || sender == rank)
        {
            return;
        }
        if (kind == Envelope.Kind.ACKNOWLEDGED)
        {
            deliveries.acknowledged(sender, in.readLong(), System.nanoTime());
        }
        else
        {
            final long below = deliveries.arrived(sender, in.readLong(), news(kind, sender, in));
            post.later(() -> post.sendOnce(from, Envelope.acknowledged(below)), 0);
        }
    }

    /**
     * Who is not in the group any more needs to be sent nothing.
     *
     * @param view     all members of the group.
     * @param reasonOf why a member is missing, for the board; null to tell nothing.
     */
    void noteAbsent(final List<Address> view, final Function<Address, String> reasonOf)
    {
        rankOf.forEach((member, absent) ->
        {
            if (!view.contains(member))
            {
                deliveries.forget(absent);
                if (null != reasonOf)
                {
                    board.lost(absent, reasonOf.apply(member));
                }
            }
        });
    }

    private Runnable news(final Envelope.Kind kind, final int sender, final DataInputStream in) throws IOException
    {
        if (kind == Envelope.Kind.GOODBYE)
        {
            return () ->
            {
                board.departed(sender);
                deliveries.forget(sender);
            };
        }
        final String topic = kind == Envelope.Kind.CONTRIBUTION ? in.readUTF() : null;
        final byte[] bytes = in.readAllBytes();
        return null == topic ? () -> board.announced(sender, bytes) : () -> board.contributed(sender, topic, bytes);
    }

    /** Numbers of ranks to addresses. */
    private final class ToRanks implements Deliveries.Carrier
    {
        @Override
        public void send(final int toRank, final byte[] message)
        {
            post.sendOnce(roster.get(toRank).address(), message);
        }

        @Override
        public void resendAfter(final long delayNs)
        {
            post.later(() -> deliveries.resend(System.nanoTime()), delayNs);
        }
    }
}
