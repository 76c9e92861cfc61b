/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/**
 * What a rank of a formed world tells all others, and hears from them. Each rank numbers its messages from 0, keeps
 * each until every other rank has acknowledged it, and sends it again until then; a receiver passes them on once and
 * in the order of their numbers. Below it messages may be lost, doubled and reordered: a connection that both sides
 * opened at once, or that a change of the group closed, takes with it what was under way. Thread-safe.
 */
final class Deliveries
{
    /** What is below; calls come from any thread, without a lock. */
    interface Carrier
    {
        /** Sends once; the message may be lost. */
        void send(int toRank, byte[] message);

        /** Calls {@link Deliveries#resend} after a while. */
        void resendAfter(long delayNs);
    }

    /** Longer than an acknowledgement takes on a busy host, shorter than a person's patience. */
    static final long FIRST_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Waits for an acknowledgement double up to this. */
    static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(2);

    /** Sent again to one rank at a time, or one message if that is longer: who is slow is not flooded. */
    private static final int MAX_RESENT_BYTES = 64 * 1024;

    private final Carrier carrier;
    private final Peer[] peers;
    private final TreeMap<Long, byte[]> kept = new TreeMap<>();
    private long sent;
    private boolean isResendPlanned;

    /** What is known of another rank. */
    private static final class Peer
    {
        private final int rank;
        private final TreeMap<Long, Runnable> ahead = new TreeMap<>();
        private long expected;
        private long acknowledged;
        private long waitNs;
        private long dueNs;
        private boolean isGone;

        private Peer(final int rank)
        {
            this.rank = rank;
        }

        private void waitFrom(final long nowNs, final long forNs)
        {
            waitNs = forNs;
            dueNs = nowNs + forNs;
        }
    }

    Deliveries(final int rank, final int worldSize, final Carrier carrier)
    {
        this.carrier = carrier;
        peers = new Peer[worldSize];
        for (int other = 0; other < worldSize; other++)
        {
            peers[other] = new Peer(other);
        }
        peers[rank].isGone = true;
    }

    /**
     * Sends to all other ranks, as long as they are there.
     *
     * @param message made from its number.
     * @param nowNs   on {@link System#nanoTime()}'s scale.
     */
    void send(final LongFunction<byte[]> message, final long nowNs)
    {
        final byte[] bytes;
        final List<Peer> receivers;
        final boolean isFirst;
        synchronized (this)
        {
            receivers = present().toList();
            receivers.stream().filter(peer -> peer.acknowledged == sent)
                .forEach(peer -> peer.waitFrom(nowNs, FIRST_WAIT_NS));
            bytes = message.apply(sent);
            kept.put(sent, bytes);
            sent++;
            dropSettled();
            isFirst = !isResendPlanned && !receivers.isEmpty();
            isResendPlanned |= isFirst;
        }
        if (isFirst)
        {
            carrier.resendAfter(FIRST_WAIT_NS);
        }
        receivers.forEach(peer -> carrier.send(peer.rank, bytes));
    }

    /**
     * A message arrived, perhaps not for the first time.
     *
     * @param from   rank of its sender.
     * @param number that it bears.
     * @param news   passes it on; run in its turn, before this returns or when one that is missing has come.
     * @return what to acknowledge: the number below which all has come.
     */
    synchronized long arrived(final int from, final long number, final Runnable news)
    {
        final Peer peer = peers[from];
        if (number >= peer.expected)
        {
            peer.ahead.putIfAbsent(number, news);
        }
        for (Runnable next = peer.ahead.remove(peer.expected); null != next; next = peer.ahead.remove(peer.expected))
        {
            peer.expected++;
            next.run();
        }
        return peer.expected;
    }

    /**
     * A rank has got all messages below a number.
     *
     * @param from  rank that says so.
     * @param below that number.
     * @param nowNs on {@link System#nanoTime()}'s scale.
     */
    synchronized void acknowledged(final int from, final long below, final long nowNs)
    {
        final Peer peer = peers[from];
        if (below > peer.acknowledged && below <= sent)
        {
            peer.acknowledged = below;
            peer.waitFrom(nowNs, FIRST_WAIT_NS);
            dropSettled();
        }
    }

    /** A rank was lost or has left: it needs nothing any more. */
    synchronized void forget(final int rank)
    {
        peers[rank].isGone = true;
        dropSettled();
    }

    /** Whether all ranks that are still there have acknowledged everything. */
    synchronized boolean isSettled()
    {
        return present().allMatch(peer -> peer.acknowledged == sent);
    }

    /**
     * Sends again what was due to be acknowledged.
     *
     * @param nowNs on {@link System#nanoTime()}'s scale.
     */
    void resend(final long nowNs)
    {
        final List<Runnable> sendings = new ArrayList<>();
        synchronized (this)
        {
            isResendPlanned = !isSettled();
            if (isResendPlanned)
            {
                sendings.add(() -> carrier.resendAfter(FIRST_WAIT_NS));
            }
            present().filter(peer -> peer.acknowledged < sent && peer.dueNs - nowNs <= 0).forEach(peer ->
            {
                peer.waitFrom(nowNs, Math.min(2 * peer.waitNs, MAX_WAIT_NS));
                int bytes = 0;
                for (final byte[] message : kept.tailMap(peer.acknowledged).values())
                {
                    bytes += message.length;
                    if (bytes > message.length && bytes > MAX_RESENT_BYTES)
                    {
                        break;
                    }
                    sendings.add(() -> carrier.send(peer.rank, message));
                }
            });
        }
        sendings.forEach(Runnable::run);
    }

    private void dropSettled()
    {
        kept.headMap(present().mapToLong(peer -> peer.acknowledged).min().orElse(sent)).clear();
    }

    private Stream<Peer> present()
    {
        return Stream.of(peers).filter(peer -> !peer.isGone);
    }
}
