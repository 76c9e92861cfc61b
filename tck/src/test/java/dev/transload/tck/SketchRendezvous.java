/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A world in one JVM under one lock, whole or with a defect: what the rendezvous kit is tested on. */
final class SketchRendezvous implements RendezvousFixture
{
    private final String broken;
    private final Map<String, Map<Integer, ByteBuffer>> topics = new HashMap<>();
    private final Map<Integer, Seat> seats = new TreeMap<>();

    SketchRendezvous(final String broken)
    {
        this.broken = broken;
    }

    @Override
    public synchronized Rendezvous join(final int rank, final int worldSize)
    {
        final Seat seat = new Seat(rank, worldSize);
        seats.put(rank, seat);
        return seat;
    }

    @Override
    public synchronized boolean kill(final int rank)
    {
        seats.get(rank).dead = true;
        final int times = is("RDV-6") ? 2 : 1;
        for (int i = 0; i < times; i++)
        {
            tellOthers(rank, (listener) ->
                listener.onMemberLost(seats.get(0).member(rank), Loss.GONE, "it was killed"));
        }

        notifyAll();
        return true;
    }

    @Override
    public synchronized Rendezvous rejoin(final int rank, final int worldSize)
    {
        final Seat seat = new Seat(rank, worldSize);
        seat.lives = seats.get(rank).lives + 1;
        seats.values().stream().filter((other) -> other.dead && other.rank != rank).forEach((other) ->
            seat.tell((listener) -> listener.onMemberLost(seat.member(other.rank), Loss.GONE, "it was killed")));
        seats.put(rank, seat);
        if (!is("RDV-10"))
        {
            topics.values().forEach((gathered) -> gathered.remove(rank));
        }

        tellOthers(rank, (listener) -> listener.onMemberReturned(seat.member(rank)));
        return seat;
    }

    @Override
    public Duration timeout()
    {
        return Duration.ofSeconds(2);
    }

    private boolean is(final String rule)
    {
        return rule.equals(broken);
    }

    private void tellOthers(final int sender, final Consumer<RendezvousListener> news)
    {
        seats.values().stream().filter((seat) -> seat.rank != sender && !seat.dead).forEach((seat) -> seat.tell(news));
    }

    /** One rank's view. */
    private final class Seat implements Rendezvous
    {
        private final int rank;
        private final int worldSize;
        private final List<Consumer<RendezvousListener>> news = new ArrayList<>();
        private final List<RendezvousListener> listeners = new ArrayList<>();
        private boolean closed;
        private boolean dead;
        private int lives;

        Seat(final int rank, final int worldSize)
        {
            this.rank = rank;
            this.worldSize = worldSize;
        }

        @Override
        public int rank()
        {
            return rank;
        }

        @Override
        public int worldSize()
        {
            return worldSize;
        }

        @Override
        public Member member(final int other)
        {
            synchronized (SketchRendezvous.this)
            {
                return new Member(other, 10L * (1 + seats.get(other).lives) + other + (is("RDV-1") ? rank : 0), "here",
                    ProcessHandle.current().pid());
            }
        }

        @Override
        public boolean hasReturned()
        {
            return lives > 0;
        }

        @Override
        public List<ByteBuffer> allGather(
            final String topic, final ByteBuffer mine, final Duration timeout, final List<Member> members)
        {
            synchronized (SketchRendezvous.this)
            {
                final Map<Integer, ByteBuffer> gathered =
                    topics.computeIfAbsent(is("RDV-2") ? "one" : topic, (key) -> new TreeMap<>());
                gathered.putIfAbsent(rank, mine.asReadOnlyBuffer());
                SketchRendezvous.this.notifyAll();
                final long deadline = System.nanoTime() + timeout.toNanos();
                final List<Integer> awaited =
                    is("RDV-9") ? IntStream.range(0, worldSize).boxed().toList() :
                    members.stream().map(Member::rank).toList();
                requireLatest(members);
                while (!gathered.keySet().containsAll(awaited))
                {
                    pause(gathered, deadline, awaited);
                }

                return members.stream().map((one) -> gathered.get(one.rank())).toList();
            }
        }

        @Override
        public void announce(final ByteBuffer message)
        {
            synchronized (SketchRendezvous.this)
            {
                final ByteBuffer copy = message.duplicate();
                tellOthers(rank, (listener) -> listener.onAnnouncement(rank, copy.asReadOnlyBuffer()));
                if (is("RDV-4"))
                {
                    tell((listener) -> listener.onAnnouncement(rank, copy.asReadOnlyBuffer()));
                }
            }
        }

        @Override
        public void listen(final RendezvousListener listener)
        {
            synchronized (SketchRendezvous.this)
            {
                if (!is("RDV-5"))
                {
                    news.forEach((told) -> told.accept(listener));
                }

                listeners.add(listener);
            }
        }

        @Override
        public void close()
        {
            synchronized (SketchRendezvous.this)
            {
                if (is("RDV-7") && !closed)
                {
                    tellOthers(rank, (listener) -> listener.onMemberLost(member(rank), Loss.GONE, "it left"));
                }

                closed = true;
                SketchRendezvous.this.notifyAll();
            }
        }

        private void tell(final Consumer<RendezvousListener> told)
        {
            news.add(told);
            listeners.forEach(told);
        }

        private void requireLatest(final List<Member> members)
        {
            if (members.stream().anyMatch((one) -> !is("RDV-1") && !one.equals(member(one.rank()))))
            {
                throw new RendezvousException(Reason.MEMBER_LOST, "another process has taken the place of one");
            }
        }

        private void pause(
            final Map<Integer, ByteBuffer> gathered, final long deadline, final List<Integer> awaited)
        {
            final List<Integer> missing = new ArrayList<>(awaited);
            missing.removeAll(gathered.keySet());
            if (closed)
            {
                throw new RendezvousException(Reason.CLOSED, "rank " + rank + " has left");
            }

            if (missing.stream().anyMatch((other) -> seats.get(other).dead))
            {
                throw new RendezvousException(Reason.MEMBER_LOST, "lost while waiting for ranks " + missing);
            }

            final long leftMs = (deadline - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0)
            {
                throw new RendezvousException(
                    Reason.MISSING_RANKS, is("RDV-3") ? "somebody is late" : "ranks " + missing + " are missing");
            }

            try
            {
                SketchRendezvous.this.wait(leftMs);
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
                throw new RendezvousException(Reason.CLOSED, "rank " + rank + " was interrupted", ex);
            }
        }
    }
}
