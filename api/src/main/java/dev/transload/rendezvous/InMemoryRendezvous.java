/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * A rendezvous for ranks that are threads of one JVM. The world is complete from the start, and no data leaves the
 * heap.
 */
public final class InMemoryRendezvous implements Rendezvous
{
    private final int rank;
    /** By rank, of its latest process. */
    private final List<WorldBoard> boards;
    private final List<Object> sendOrders;
    private final WorldBoard board;
    private final boolean hasReturned;
    private final AtomicBoolean closed = new AtomicBoolean();

    private InMemoryRendezvous(
        final int rank, final List<WorldBoard> boards, final List<Object> sendOrders, final boolean hasReturned)
    {
        this.rank = rank;
        this.boards = boards;
        this.sendOrders = sendOrders;
        this.board = boards.get(rank);
        this.hasReturned = hasReturned;
    }

    /**
     * Creates a complete world.
     *
     * @param size number of ranks, at least 1.
     * @return one rendezvous for each rank, in the order of ranks.
     */
    public static List<InMemoryRendezvous> world(final int size)
    {
        if (size < 1)
        {
            throw new IllegalArgumentException("world size " + size + " is not allowed; it is at least 1");
        }
        final List<Member> members = IntStream.range(0, size).mapToObj(LocalProcess::asMember).toList();
        final List<WorldBoard> boards = new CopyOnWriteArrayList<>(
            members.stream().map(member -> new WorldBoard(member.rank(), members)).toList());
        final List<Object> sendOrders = IntStream.range(0, size).mapToObj(r -> new Object()).toList();
        final List<InMemoryRendezvous> world = new ArrayList<>(size);
        for (int r = 0; r < size; r++)
        {
            world.add(new InMemoryRendezvous(r, boards, sendOrders, false));
        }
        return List.copyOf(world);
    }

    @Override
    public int rank()
    {
        return rank;
    }

    @Override
    public int worldSize()
    {
        return boards.size();
    }

    @Override
    public Member member(final int ofRank)
    {
        return board.member(ofRank);
    }

    @Override
    public boolean hasReturned()
    {
        return hasReturned;
    }

    @Override
    public List<ByteBuffer> allGather(
        final String topic, final ByteBuffer mine, final Duration timeout, final List<Member> members)
    {
        Objects.requireNonNull(topic, "topic");
        final byte[] bytes = copyOf(mine);
        synchronized (sendOrders.get(rank))
        {
            board.claim(topic);
            boards.forEach(each -> each.contributed(rank, topic, bytes));
        }
        return board.await(topic, timeout, members);
    }

    @Override
    public void announce(final ByteBuffer message)
    {
        if (message.remaining() > MAX_ANNOUNCEMENT_BYTES)
        {
            throw new IllegalArgumentException("an announcement of " + message.remaining() +
                " bytes is too long; at most " + MAX_ANNOUNCEMENT_BYTES + " bytes are allowed");
        }
        final byte[] bytes = copyOf(message);
        synchronized (sendOrders.get(rank))
        {
            board.checkOpen("announce");
            others(other -> other.announced(rank, bytes));
        }
    }

    @Override
    public void listen(final RendezvousListener listener)
    {
        board.listen(listener);
    }

    /**
     * Simulates the loss of this rank, as if its process had been killed. This method informs the other ranks and
     * closes this rendezvous.
     *
     * @param reason reason in a few words, for the listeners of the other ranks.
     */
    public void lose(final String reason)
    {
        if (closed.compareAndSet(false, true))
        {
            board.close();
            synchronized (boards)
            {
                others(other -> other.lost(rank, Loss.GONE, reason));
            }
        }
    }

    /**
     * Joins the world again in the place of this rank, which was lost or is closed, as a restarted process would.
     *
     * @return rendezvous of the new process.
     * @throws IllegalStateException if this rank is still a member, or has already returned.
     */
    public InMemoryRendezvous rejoin()
    {
        synchronized (sendOrders.get(rank))
        {
            synchronized (boards)
            {
                return rejoined();
            }
        }
    }

    /** With both monitors: nothing of the earlier process comes any more. */
    private InMemoryRendezvous rejoined()
    {
        final WorldBoard known = boards.stream().filter(other -> !other.isClosed() &&
            (other.isLost(rank) || other.hasDeparted(rank))).findFirst().orElse(null);
        if (board != boards.get(rank) || null == known)
        {
            throw new IllegalStateException("rank " + rank + " cannot rejoin the world: it must have been lost " +
                "or closed, and can return only once");
        }
        final Member member = after(known.members().get(rank));
        final List<Member> members = new ArrayList<>(known.members());
        members.set(rank, member);
        final WorldBoard fresh = new WorldBoard(rank, members);
        others(known::isLost, r -> fresh.lost(r, Loss.GONE, "it was lost before this process joined"));
        others(known::hasDeparted, fresh::departed);
        boards.set(rank, fresh);
        others(other -> other.returned(member));
        return new InMemoryRendezvous(rank, boards, sendOrders, true);
    }

    @Override
    public void close()
    {
        if (closed.compareAndSet(false, true))
        {
            board.close();
            synchronized (boards)
            {
                others(other -> other.departed(rank));
            }
        }
    }

    private void others(final Consumer<WorldBoard> news)
    {
        for (int r = 0; r < boards.size(); r++)
        {
            if (r != rank)
            {
                news.accept(boards.get(r));
            }
        }
    }

    private static Member after(final Member earlier)
    {
        Member member = LocalProcess.asMember(earlier.rank());
        while (member.incarnation() <= earlier.incarnation())
        {
            member = LocalProcess.asMember(earlier.rank());
        }
        return member;
    }

    private void others(final IntPredicate which, final IntConsumer news)
    {
        IntStream.range(0, boards.size()).filter(r -> r != rank).filter(which).forEach(news);
    }

    private static byte[] copyOf(final ByteBuffer source)
    {
        final byte[] bytes = new byte[source.remaining()];
        source.duplicate().get(bytes);
        return bytes;
    }
}
