/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import dev.transload.rendezvous.RendezvousException.Reason;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * State of a world on one rank: contributions to all-gathers, lost and departed members, and announcements. Every
 * {@link Rendezvous} implementation uses a board, to which it adds the events that it receives. Waits, timeouts and
 * texts of exceptions are therefore the same in all implementations. Thread-safe.
 */
public final class WorldBoard
{
    private final int rank;
    private final Member[] members;
    private final Object lock = new Object();
    private final Map<String, ByteBuffer[]> contributions = new HashMap<>();
    private final Set<String> finishedTopics = new HashSet<>();
    private final Map<Integer, String> lostReasons = new HashMap<>();
    private final Set<Integer> departed = new HashSet<>();
    private final List<Consumer<RendezvousListener>> history = new ArrayList<>();
    private final List<RendezvousListener> listeners = new ArrayList<>();
    private ExecutorService listenerThread;
    private boolean closed;

    /**
     * Creates a board without events.
     *
     * @param rank    this rank.
     * @param members all members in the order of ranks, including this rank.
     */
    public WorldBoard(final int rank, final List<Member> members)
    {
        this.members = List.copyOf(members).toArray(Member[]::new);
        this.rank = Objects.checkIndex(rank, members.size());
    }

    /**
     * Returns all members in the order of ranks, including this rank.
     *
     * @return latest process of each rank.
     */
    public List<Member> members()
    {
        synchronized (lock)
        {
            return List.of(members);
        }
    }

    /**
     * Returns a member.
     *
     * @param ofRank its rank.
     * @return latest process of the rank.
     */
    public Member member(final int ofRank)
    {
        synchronized (lock)
        {
            return members[ofRank];
        }
    }

    /**
     * Adds a rank's contribution to an all-gather. A second contribution under the same topic is ignored.
     *
     * @param from  rank that contributes.
     * @param topic topic of the all-gather.
     * @param bytes contribution. The board keeps the array, so the caller must not change it.
     */
    public void contributed(final int from, final String topic, final byte[] bytes)
    {
        synchronized (lock)
        {
            if (finishedTopics.contains(topic))
            {
                return;
            }
            final ByteBuffer[] byRank = contributions.computeIfAbsent(topic, t -> new ByteBuffer[members.length]);
            if (null == byRank[from])
            {
                byRank[from] = ByteBuffer.wrap(bytes).asReadOnlyBuffer();
                lock.notifyAll();
            }
        }
    }

    /**
     * Adds the loss of a member. The first call for a process informs the listeners, unless {@link #departed} has been
     * called for the member. Later calls for this process do nothing.
     *
     * @param lostRank rank of the member.
     * @param loss     how certain it is that the member has ended.
     * @param reason   reason in a few words.
     */
    public void lost(final int lostRank, final Loss loss, final String reason)
    {
        synchronized (lock)
        {
            if (closed || departed.contains(lostRank) || null != lostReasons.putIfAbsent(lostRank, reason))
            {
                return;
            }
            lock.notifyAll();
            final Member member = members[lostRank];
            tell(listener -> listener.onMemberLost(member, loss, reason));
        }
    }

    /**
     * Adds the return of a rank: a new process replaces the one that was lost or has departed. What the earlier
     * process contributed to all-gathers that have not ended no longer counts. Does nothing for any other rank.
     *
     * @param member new process.
     */
    public void returned(final Member member)
    {
        synchronized (lock)
        {
            final boolean wasLost = null != lostReasons.remove(member.rank());
            final boolean hadDeparted = departed.remove(member.rank());
            if (closed || !wasLost && !hadDeparted)
            {
                return;
            }
            members[member.rank()] = member;
            contributions.values().forEach(byRank -> byRank[member.rank()] = null);
            lock.notifyAll();
            tell(listener -> listener.onMemberReturned(member));
        }
    }

    /**
     * Records that a member closed its rendezvous. A departure is not a loss, but the member contributes nothing more.
     *
     * @param departedRank rank of the member.
     */
    public void departed(final int departedRank)
    {
        synchronized (lock)
        {
            departed.add(departedRank);
            lock.notifyAll();
        }
    }

    /**
     * Returns whether a rank was lost.
     *
     * @param other number of the rank.
     * @return true if {@link #lost} was called for the rank before {@link #departed} and {@link #close()}, and
     *         {@link #returned} was not called after it.
     */
    public boolean isLost(final int other)
    {
        synchronized (lock)
        {
            return lostReasons.containsKey(other);
        }
    }

    /**
     * Returns whether a rank closed its rendezvous.
     *
     * @param other number of the rank.
     * @return true if {@link #departed} was called for the rank.
     */
    public boolean hasDeparted(final int other)
    {
        synchronized (lock)
        {
            return departed.contains(other);
        }
    }

    /**
     * Adds an announcement of a rank.
     *
     * @param from    rank that made the announcement.
     * @param message message. The board keeps the array, so the caller must not change it.
     */
    public void announced(final int from, final byte[] message)
    {
        synchronized (lock)
        {
            final ByteBuffer readOnly = ByteBuffer.wrap(message).asReadOnlyBuffer();
            tell(listener -> listener.onAnnouncement(from, readOnly.duplicate()));
        }
    }

    /**
     * Registers a listener and reports all earlier and later events to it, on one thread of the board.
     *
     * @param listener listener, called until {@link #close()}.
     */
    public void listen(final RendezvousListener listener)
    {
        Objects.requireNonNull(listener, "listener");
        synchronized (lock)
        {
            checkOpen("listen");
            if (null == listenerThread)
            {
                listenerThread = Executors.newSingleThreadExecutor(WorldBoard::newListenerThread);
            }
            listeners.add(listener);
            history.forEach(event -> listenerThread.execute(() -> event.accept(listener)));
        }
    }

    /**
     * Checks that this rank may still contribute to an all-gather. The caller then adds the contribution by
     * {@link #contributed}.
     *
     * @param topic topic of an all-gather.
     * @throws IllegalArgumentException if this rank has already used the topic.
     */
    public void claim(final String topic)
    {
        synchronized (lock)
        {
            checkOpen("all-gather '" + topic + "'");
            final ByteBuffer[] byRank = contributions.get(topic);
            if (finishedTopics.contains(topic) || null != byRank && null != byRank[rank])
            {
                throw new IllegalArgumentException("all-gather topic '" + topic + "' was already used by " +
                    members[rank].describe() + "; a topic is used once in the life of a world");
            }
        }
    }

    /**
     * Waits until all members that take part in an all-gather have contributed to it.
     *
     * @param topic   topic of the all-gather.
     * @param timeout longest wait for these members. If this time passes, an exception names the missing ranks.
     * @param among members that take part.
     * @return contributions as read-only buffers, in the order of {@code among}.
     * @throws RendezvousException with {@code MISSING_RANKS} if the timeout passes, {@code MEMBER_LOST} if a member is
     *                             lost or departs before it contributes or another process takes its place, or
     *                             {@code CLOSED} if the rendezvous is closed.
     */
    public List<ByteBuffer> await(final String topic, final Duration timeout, final List<Member> among)
    {
        final long deadlineNs = System.nanoTime() + timeout.toNanos();
        synchronized (lock)
        {
            while (true)
            {
                checkOpen("all-gather '" + topic + "'");
                final ByteBuffer[] byRank = contributions.get(topic);
                failIfReplaced(topic, among);
                final Set<Integer> missing = missing(byRank, among);
                if (missing.isEmpty())
                {
                    contributions.remove(topic);
                    finishedTopics.add(topic);
                    return among.stream().map(one -> byRank[one.rank()]).toList();
                }
                failIfGone(topic, missing);
                final long leftNs = deadlineNs - System.nanoTime();
                if (leftNs <= 0)
                {
                    throw new RendezvousException(Reason.MISSING_RANKS, describe(missing) +
                        " gave nothing to all-gather '" + topic + "' within " + timeout.toMillis() + " ms");
                }
                awaitNews(leftNs, topic);
            }
        }
    }

    /** Stops all waits, stops calling listeners, and ends the board's thread. Idempotent. */
    public void close()
    {
        synchronized (lock)
        {
            closed = true;
            if (null != listenerThread)
            {
                listenerThread.shutdown();
            }
            lock.notifyAll();
        }
    }

    /**
     * Returns whether the board is closed: it then records no more events.
     *
     * @return true after {@link #close()}.
     */
    public boolean isClosed()
    {
        synchronized (lock)
        {
            return closed;
        }
    }

    /**
     * Throws an exception if the rendezvous is closed.
     *
     * @param what name of the operation that was called, for the message.
     * @throws RendezvousException with {@code CLOSED} if the rendezvous is closed.
     */
    public void checkOpen(final String what)
    {
        synchronized (lock)
        {
            if (closed)
            {
                throw new RendezvousException(Reason.CLOSED,
                    what + ": the rendezvous of " + members[rank].describe() + " is closed");
            }
        }
    }

    private void awaitNews(final long leftNs, final String topic)
    {
        try
        {
            TimeUnit.NANOSECONDS.timedWait(lock, Math.max(leftNs, TimeUnit.MILLISECONDS.toNanos(1)));
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new RendezvousException(Reason.CLOSED,
                "all-gather '" + topic + "' of " + members[rank].describe() + " was interrupted", ex);
        }
    }

    private void failIfReplaced(final String topic, final List<Member> among)
    {
        for (final Member one : among)
        {
            final Member latest = members[one.rank()];
            if (latest.incarnation() > one.incarnation())
            {
                throw new RendezvousException(Reason.MEMBER_LOST, one.describe() + " was lost before it gave to " +
                    "all-gather '" + topic + "', and " + latest.describe() + " took its place");
            }
        }
    }

    /** One that has not joined here yet is missing, too. */
    private Set<Integer> missing(final ByteBuffer[] byRank, final List<Member> among)
    {
        final Set<Integer> missing = new TreeSet<>();
        for (final Member one : among)
        {
            if (null == byRank || null == byRank[one.rank()] ||
                members[one.rank()].incarnation() < one.incarnation())
            {
                missing.add(one.rank());
            }
        }
        return missing;
    }

    private void failIfGone(final String topic, final Set<Integer> missing)
    {
        for (final int r : missing)
        {
            if (lostReasons.containsKey(r))
            {
                throw new RendezvousException(Reason.MEMBER_LOST, members[r].describe() +
                    " was lost before it gave to all-gather '" + topic + "': " + lostReasons.get(r));
            }
            if (departed.contains(r))
            {
                throw new RendezvousException(Reason.MEMBER_LOST, members[r].describe() +
                    " closed its rendezvous before it gave to all-gather '" + topic + "'");
            }
        }
    }

    private String describe(final Set<Integer> ranks)
    {
        return ranks.stream().map(r -> members[r].describe()).collect(Collectors.joining(", "));
    }

    private void tell(final Consumer<RendezvousListener> event)
    {
        if (closed)
        {
            return;
        }
        history.add(event);
        listeners.forEach(listener -> listenerThread.execute(() -> event.accept(listener)));
    }

    private static Thread newListenerThread(final Runnable work)
    {
        final Thread thread = new Thread(work, "transload-rendezvous-listener");
        thread.setDaemon(true);
        return thread;
    }
}
