/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A rendezvous for ranks that are threads of one JVM. The world is complete from the start, and no data leaves the
 * heap.
 */
public final class InMemoryRendezvous implements Rendezvous
{
    private final int rank;
    private final List<WorldBoard> boards;
    private final List<Object> sendOrders;
    private final AtomicBoolean closed = new AtomicBoolean();

    private InMemoryRendezvous(final int rank, final List<WorldBoard> boards, final List<Object> sendOrders)
    {
        this.rank = rank;
        this.boards = boards;
        this.sendOrders = sendOrders;
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
        final List<WorldBoard> boards = IntStream.range(0, size)
            .mapToObj(r -> new WorldBoard(r, members)).toList();
        final List<Object> sendOrders = IntStream.range(0, size).mapToObj(r -> new Object()).toList();
        final List<InMemoryRendezvous> world = new ArrayList<>(size);
        for (int r = 0; r < size; r++)
        {
            world.add(new InMemoryRendezvous(r, boards, sendOrders));
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
        return boards.get(rank).members().get(ofRank);
    }

    @Override
    public List<ByteBuffer> allGather(
        final String topic, final ByteBuffer mine, final Duration timeout, final List<Integer> ranks)
    {
        Objects.requireNonNull(topic, "topic");
        final byte[] bytes = copyOf(mine);
        synchronized (sendOrders.get(rank))
        {
            boards.get(rank).claim(topic);
            boards.forEach(board -> board.contributed(rank, topic, bytes));
        }
        return boards.get(rank).await(topic, timeout, ranks);
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
            boards.get(rank).checkOpen("announce");
            others(board -> board.announced(rank, bytes));
        }
    }

    @Override
    public void listen(final RendezvousListener listener)
    {
        boards.get(rank).listen(listener);
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
            boards.get(rank).close();
            others(board -> board.lost(rank, Loss.GONE, reason));
        }
    }

    @Override
    public void close()
    {
        if (closed.compareAndSet(false, true))
        {
            boards.get(rank).close();
            others(board -> board.departed(rank));
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

    private static byte[] copyOf(final ByteBuffer source)
    {
        final byte[] bytes = new byte[source.remaining()];
        source.duplicate().get(bytes);
        return bytes;
    }
}
