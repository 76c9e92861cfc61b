/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Opens the engines of a world in a fixed order. Opening is collective, so each rank has a thread. Only one thread runs
 * at a time: rank after rank, each up to its next collective call of the rendezvous.
 */
public final class OrderedOpening
{
    private static final long DEADLINE_NS = TimeUnit.MINUTES.toNanos(5);

    private final BitSet open = new BitSet();
    private final int ranks;
    private int turn;

    private OrderedOpening(final int ranks)
    {
        this.ranks = ranks;
    }

    /**
     * Opens an object on all ranks.
     *
     * @param world   rendezvous of each rank.
     * @param opening opens the object of a rank; the object then owns the rank's rendezvous.
     * @param <T>     type of the object.
     * @return opened objects by rank.
     */
    public static <T> List<T> open(final List<? extends Rendezvous> world, final Function<Rendezvous, T> opening)
    {
        final OrderedOpening order = new OrderedOpening(world.size());
        final ExecutorService executor = Executors.newFixedThreadPool(world.size());
        try
        {
            final List<CompletableFuture<T>> ranks = new ArrayList<>();
            world.forEach((rank) -> ranks.add(
                CompletableFuture.supplyAsync(() -> order.open(rank, opening), executor)));
            return ranks.stream().map(CompletableFuture::join).toList();
        }
        finally
        {
            executor.shutdown();
        }
    }

    private <T> T open(final Rendezvous rank, final Function<Rendezvous, T> opening)
    {
        await(rank.rank());
        try
        {
            return opening.apply(new InTurn(rank));
        }
        finally
        {
            end(rank.rank());
        }
    }

    private synchronized void end(final int rank)
    {
        open.set(rank);
        pass();
    }

    /** On to the next rank that is still opening. */
    private synchronized void pass()
    {
        for (int i = 0; i < ranks; i++)
        {
            turn = (turn + 1) % ranks;
            if (!open.get(turn))
            {
                break;
            }
        }

        notifyAll();
    }

    private synchronized void await(final int rank)
    {
        final long beginNs = System.nanoTime();
        while (turn != rank)
        {
            final long leftNs = DEADLINE_NS - (System.nanoTime() - beginNs);
            if (leftNs <= 0)
            {
                throw new IllegalStateException("rank " + rank + " waited for rank " + turn + " to open, in vain");
            }

            try
            {
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while rank " + turn + " opened", ex);
            }
        }
    }

    private synchronized boolean isOpening(final int rank)
    {
        return !open.get(rank);
    }

    /** Others run while a rank waits for them. */
    private final class InTurn implements Rendezvous
    {
        private final Rendezvous own;

        InTurn(final Rendezvous own)
        {
            this.own = own;
        }

        @Override
        public List<ByteBuffer> allGather(
            final String topic, final ByteBuffer mine, final Duration timeout, final List<Member> members)
        {
            if (!isOpening(rank()))
            {
                return own.allGather(topic, mine, timeout, members);
            }

            pass();
            try
            {
                return own.allGather(topic, mine, timeout, members);
            }
            finally
            {
                await(rank());
            }
        }

        @Override
        public int rank()
        {
            return own.rank();
        }

        @Override
        public int worldSize()
        {
            return own.worldSize();
        }

        @Override
        public Member member(final int rank)
        {
            return own.member(rank);
        }

        @Override
        public boolean hasReturned()
        {
            return own.hasReturned();
        }

        @Override
        public void announce(final ByteBuffer message)
        {
            own.announce(message);
        }

        @Override
        public void listen(final RendezvousListener listener)
        {
            own.listen(listener);
        }

        @Override
        public void close()
        {
            own.close();
        }
    }
}
