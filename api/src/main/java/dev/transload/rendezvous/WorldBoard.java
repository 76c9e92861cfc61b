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
 * What one rank knows of its world: contributions to all-gathers, lost and departed members, announcements. Every
 * {@link Rendezvous} keeps one and only brings the news to it, so that waiting, deadlines and messages are the same
 * whatever carries the news. Thread-safe.
 */
public final class WorldBoard
{
    private final int rank;
    private final List<Member> members;
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
     * An empty board.
     *
     * @param rank    own rank.
     * @param members all members by rank, own included.
     */
    public WorldBoard(final int rank, final List<Member> members)
    {
        this.members = List.copyOf(members);
        this.rank = Objects.checkIndex(rank, members.size());
    }

    /**
     * All members by rank, own included.
     *
     * @return as given at construction.
     */
    public List<Member> members()
    {
        return members;
    }

    /**
     * A rank's contribution to an all-gather arrived. A second one under the same topic is ignored.
     *
     * @param from  rank that contributes.
     * @param topic of the all-gather.
     * @param bytes which the board may keep; the caller doesn't change them any more.
     */
    public void contributed(final int from, final String topic, final byte[] bytes)
    {
        synchronized (lock)
        {
            if (finishedTopics.contains(topic))
            {
                return;
            }
            final ByteBuffer[] byRank = contributions.computeIfAbsent(topic, t -> new ByteBuffer[members.size()]);
            if (null == byRank[from])
            {
                byRank[from] = ByteBuffer.wrap(bytes).asReadOnlyBuffer();
                lock.notifyAll();
            }
        }
    }

    /**
     * A member was lost; told to listeners once, unless it had departed.
     *
     * @param lostRank of the member.
     * @param loss     what is known of it.
     * @param reason   one clause.
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
            final Member member = members.get(lostRank);
            tell(listener -> listener.onMemberLost(member, loss, reason));
        }
    }

    /**
     * A member closed its rendezvous: no loss, but it contributes nothing any more.
     *
     * @param departedRank which said good-bye.
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
     * Whether a rank was lost.
     *
     * @param other rank.
     * @return whether {@link #lost} told so.
     */
    public boolean isLost(final int other)
    {
        synchronized (lock)
        {
            return lostReasons.containsKey(other);
        }
    }

    /**
     * A rank announced something.
     *
     * @param from    rank of the sender.
     * @param message which the board may keep.
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
     * Tell a listener all that happened, and all that will, on one thread of the board.
     *
     * @param listener to call until {@link #close()}.
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
     * Claim a topic for this rank's own contribution, which {@link #contributed} then brings.
     *
     * @param topic of an all-gather.
     * @throws IllegalArgumentException when this rank has used the topic before.
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
                    members.get(rank).describe() + "; a topic is used once in the life of a world");
            }
        }
    }

    /**
     * Wait until every rank contributed.
     *
     * @param topic   of the all-gather.
     * @param timeout after which missing ranks are named.
     * @return read-only buffers by rank.
     * @throws RendezvousException with {@code MISSING_RANKS}, {@code MEMBER_LOST} or {@code CLOSED}.
     */
    public List<ByteBuffer> awaitAll(final String topic, final Duration timeout)
    {
        final long deadlineNs = System.nanoTime() + timeout.toNanos();
        synchronized (lock)
        {
            while (true)
            {
                checkOpen("all-gather '" + topic + "'");
                final ByteBuffer[] byRank = contributions.get(topic);
                final Set<Integer> missing = missing(byRank);
                if (missing.isEmpty())
                {
                    contributions.remove(topic);
                    finishedTopics.add(topic);
                    return List.of(byRank);
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

    /** Stop waiting and telling; ends the board's thread. Idempotent. */
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
     * Refuse an operation on a closed rendezvous.
     *
     * @param what was asked for.
     * @throws RendezvousException with {@code CLOSED}.
     */
    public void checkOpen(final String what)
    {
        synchronized (lock)
        {
            if (closed)
            {
                throw new RendezvousException(Reason.CLOSED,
                    what + ": the rendezvous of " + members.get(rank).describe() + " is closed");
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
                "all-gather '" + topic + "' of " + members.get(rank).describe() + " was interrupted", ex);
        }
    }

    private Set<Integer> missing(final ByteBuffer[] byRank)
    {
        final Set<Integer> missing = new TreeSet<>();
        for (int r = 0; r < members.size(); r++)
        {
            if (null == byRank || null == byRank[r])
            {
                missing.add(r);
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
                throw new RendezvousException(Reason.MEMBER_LOST, members.get(r).describe() +
                    " was lost before it gave to all-gather '" + topic + "': " + lostReasons.get(r));
            }
            if (departed.contains(r))
            {
                throw new RendezvousException(Reason.MEMBER_LOST, members.get(r).describe() +
                    " closed its rendezvous before it gave to all-gather '" + topic + "'");
            }
        }
    }

    private String describe(final Set<Integer> ranks)
    {
        return ranks.stream().map(r -> members.get(r).describe()).collect(Collectors.joining(", "));
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
