/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a rendezvous tells, by engine. Messages for engines that this rank has not opened yet are kept. Of an engine
 * that this rank closed, the memory that peers write to is kept until all of them have closed the engine too: a write
 * to memory that is gone counts as the death of its rank with some transports, and would end others. Where a rank is
 * lost, that is until the transports close: it may only have been stopped, and they may not have noticed yet.
 * Message: magic i32, number of the engine i32, kind i8, then the engine's own bytes.
 */
final class EngineNews implements RendezvousListener
{
    private static final Logger LOGGER = LoggerFactory.getLogger(EngineNews.class);
    private static final int MAGIC = 0x7472_6c64;
    private static final int HEADER_BYTES = 2 * Integer.BYTES + 1;
    private static final byte OWN = 0;
    private static final byte CLOSED = 1;

    private final Rendezvous world;
    private final Map<Integer, Box> boxes = new HashMap<>();
    /** By lost rank. */
    private final Map<Integer, Consumer<EngineListener>> losses = new LinkedHashMap<>();
    /** Engines with lower numbers that have no box are over. */
    private int next;
    private boolean isListening;

    /** What was told before there was somebody to tell it to. */
    private record Early(int rank, Consumer<EngineListener> event)
    {
    }

    /** Of one engine. */
    private static final class Box
    {
        private final List<Early> early = new ArrayList<>();
        private final BitSet closed = new BitSet();
        private final BitSet present = new BitSet();
        private EngineListener listener;
        private AutoCloseable memory;

        Box(final int ranks)
        {
            present.set(0, ranks);
        }

        private void lost(final int rank, final Consumer<EngineListener> told)
        {
            if (null != listener && present.get(rank))
            {
                told.accept(listener);
            }
        }

        /** Those who take no part in the engine tell nothing about it. */
        private void tell(final int rank, final Consumer<EngineListener> event)
        {
            if (null != listener && present.get(rank))
            {
                event.accept(listener);
            }
            else if (null == listener && null == memory)
            {
                early.add(new Early(rank, event));
            }
        }

        private boolean isClosedByOthers(final int own)
        {
            final BitSet open = (BitSet)present.clone();
            open.andNot(closed);
            open.clear(own);
            return open.isEmpty();
        }
    }

    EngineNews(final Rendezvous world)
    {
        this.world = world;
    }

    /** This rank opens an engine. */
    synchronized void join(final int number)
    {
        boxes.computeIfAbsent(number, (any) -> new Box(world.worldSize()));
        next = Math.max(next, number + 1);
    }

    /** Only some ranks take part in an engine. */
    synchronized void only(final int number, final List<Integer> ranks)
    {
        final BitSet present = boxes.get(number).present;
        present.clear();
        ranks.forEach(present::set);
    }

    /** Have an engine hear what concerns it, also what was told before. */
    void listen(final int number, final EngineListener listener)
    {
        synchronized (this)
        {
            final Box box = boxes.get(number);
            box.listener = listener;
            losses.forEach((rank, loss) -> box.lost(rank, loss));
            box.early.forEach((early) -> box.tell(early.rank, early.event));
            box.early.clear();
        }

        begin();
    }

    private void begin()
    {
        synchronized (this)
        {
            if (isListening)
            {
                return;
            }

            isListening = true;
        }

        world.listen(this);
    }

    void announce(final int number, final ByteBuffer message)
    {
        world.announce(message(number, OWN, message));
    }

    private static ByteBuffer message(final int number, final byte kind, final ByteBuffer own)
    {
        return ByteBuffer.allocate(HEADER_BYTES + own.remaining()).putInt(MAGIC).putInt(number).put(kind)
            .put(own.duplicate()).flip();
    }

    /** This rank closed an engine whose transports stay open: tell it, and free memory when no rank writes to it. */
    void retire(final int number, final AutoCloseable memory)
    {
        final List<AutoCloseable> freed = new ArrayList<>();
        synchronized (this)
        {
            final Box box = boxes.get(number);
            box.listener = null;
            box.early.clear();
            box.memory = memory;
            free(freed);
        }

        close(freed);
        try
        {
            begin();
            world.announce(message(number, CLOSED, ByteBuffer.allocate(0)));
        }
        catch (final RendezvousException ex)
        {
            LOGGER.info("memory of a closed engine stays until its transports close: {}", ex.getMessage());
        }
    }

    /** This rank closed an engine that no other rank knows of, or whose transports close with it. */
    synchronized void forget(final int number)
    {
        boxes.remove(number);
    }

    /** Free what is left, and hear no more: transports close. */
    void end()
    {
        final List<AutoCloseable> freed = new ArrayList<>();
        synchronized (this)
        {
            boxes.values().stream().filter((box) -> null != box.memory).forEach((box) -> freed.add(box.memory));
            boxes.clear();
            next = Integer.MAX_VALUE;
        }

        close(freed);
    }

    @Override
    public synchronized void onMemberLost(final Member member, final Loss loss, final String reason)
    {
        final Consumer<EngineListener> told = (listener) -> listener.onMemberLost(member, loss, reason);
        losses.put(member.rank(), told);
        boxes.values().forEach((box) -> box.lost(member.rank(), told));
    }

    @Override
    public void onAnnouncement(final int rank, final ByteBuffer message)
    {
        final ByteBuffer own = message.slice();
        if (own.remaining() < HEADER_BYTES || MAGIC != own.getInt())
        {
            return;
        }

        final List<AutoCloseable> freed = new ArrayList<>();
        synchronized (this)
        {
            final int number = own.getInt();
            if (number >= next)
            {
                boxes.computeIfAbsent(number, (any) -> new Box(world.worldSize()));
            }

            final Box box = boxes.get(number);
            if (null != box && CLOSED == own.get())
            {
                box.closed.set(rank);
                box.tell(rank, (listener) -> listener.onClosed(rank));
                free(freed);
            }
            else if (null != box)
            {
                final ByteBuffer theirs = own.slice().asReadOnlyBuffer();
                box.tell(rank, (listener) -> listener.onAnnouncement(rank, theirs.duplicate()));
            }
        }

        close(freed);
    }

    /** Take out engines that no rank writes to any more. */
    private void free(final List<AutoCloseable> freed)
    {
        final Iterator<Box> all = boxes.values().iterator();
        while (all.hasNext())
        {
            final Box box = all.next();
            if (null != box.memory && box.isClosedByOthers(world.rank()))
            {
                freed.add(box.memory);
                all.remove();
            }
        }
    }

    private static void close(final List<AutoCloseable> freed)
    {
        for (final AutoCloseable memory : freed)
        {
            try
            {
                memory.close();
            }
            catch (final Exception ex)
            {
                LOGGER.warn("memory of a closed engine stays until its transports close: {}", ex.getMessage(), ex);
            }
        }
    }
}
