/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a rendezvous tells, by engine. Messages for engines that this rank has not opened yet are kept. Of an engine
 * that this rank closed, the memory that peers write to is kept until all of them have closed the engine too: a write
 * to memory that is gone counts as the death of its rank with some transports, and would end others. Where a rank is
 * lost whose process is not known to have ended, that is until the transports close: it may only have been stopped.
 * Message: magic i32, number of the engine i32, kind i8, then the engine's own bytes. Processes that have returned are
 * spoken of without the number of an engine.
 */
final class EngineNews implements RendezvousListener
{
    private static final Logger LOGGER = LoggerFactory.getLogger(EngineNews.class);
    private static final int MAGIC = 0x7472_6c64;
    private static final int HEADER_BYTES = 2 * Integer.BYTES + 1;
    private static final byte OWN = 0;
    private static final byte CLOSED = 1;
    /** A process that has returned asks to be readmitted. */
    private static final byte QUESTION = 2;
    /** It is, or others are. */
    private static final byte ADMISSION = 3;
    private static final int NO_ENGINE = -1;
    /** A question may come to a rank before that knows of the process. */
    private static final Duration ASKING_INTERVAL = Duration.ofMillis(200);

    private final Rendezvous world;
    private final Map<Integer, Box> boxes = new HashMap<>();
    /** Of processes that were lost, each rank's last one. */
    private final Map<Integer, Lost> losses = new LinkedHashMap<>();
    private final Admissions admissions;
    /** By rank, its processes that have ended. */
    private final Map<Integer, Set<Long>> gone = new HashMap<>();
    /** Engines with lower numbers that have no box are over. */
    private int next;
    private boolean isListening;

    /** What was told before there was somebody to tell it to. */
    private record Early(int rank, Consumer<EngineListener> event)
    {
    }

    /** A loss, of which engines with the process are told. */
    private record Lost(Member member, Loss loss, String reason)
    {
    }

    /** Of one engine. */
    private static final class Box
    {
        private final List<Early> early = new ArrayList<>();
        private final BitSet closed = new BitSet();
        private final BitSet present = new BitSet();
        /** Processes that take part. */
        private List<Member> members = List.of();
        private EngineListener listener;
        private AutoCloseable memory;
        /** Of engines before, once they are closed: peers may use it in this one. */
        private final List<AutoCloseable> earlier = new ArrayList<>();

        Box(final int ranks)
        {
            present.set(0, ranks);
        }

        private void lost(final Lost lost)
        {
            final int rank = lost.member.rank();
            final long meant = members.stream().filter((member) -> member.rank() == rank).mapToLong(Member::incarnation)
                .findFirst().orElse(0);
            if (null != listener && present.get(rank) && meant <= lost.member.incarnation())
            {
                // That a later process has ended does not say that the one which is meant has.
                final Loss known = 0 == meant || meant == lost.member.incarnation() ? lost.loss : Loss.SILENT;
                listener.onMemberLost(lost.member, known, lost.reason);
            }

            if (Loss.GONE == lost.loss && meant == lost.member.incarnation())
            {
                // A process that has ended writes nowhere any more.
                closed.set(rank);
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

        private void free(final List<AutoCloseable> freed)
        {
            freed.add(memory);
            freed.addAll(earlier);
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
        this.admissions = new Admissions(world.rank());
    }

    /** This rank opens an engine. */
    synchronized void join(final int number)
    {
        boxes.computeIfAbsent(number, (any) -> new Box(world.worldSize()));
        next = Math.max(next, number + 1);
    }

    /** Only some ranks take part in an engine. */
    synchronized void only(final int number, final List<Member> members)
    {
        final Box box = boxes.get(number);
        box.members = members;
        box.present.clear();
        members.forEach((member) -> box.present.set(member.rank()));
    }

    /** The first engine that this process takes part in: it joins next. */
    synchronized void beginWith(final int number)
    {
        next = number;
        boxes.keySet().removeIf((before) -> before < number);
    }

    /** By rank, the processes that have taken the places of lost ones, and ask to be readmitted. */
    Map<Integer, Long> returning()
    {
        final Map<Integer, Long> asking = admissions.asking();
        asking.entrySet().removeIf((one) -> world.member(one.getKey()).incarnation() != one.getValue());
        return asking;
    }

    /** Tell processes that have returned with what they begin. */
    void admit(final Admission admission)
    {
        world.announce(message(NO_ENGINE, ADMISSION, Admissions.encode(admission)));
    }

    /**
     * Ask the others to readmit this process.
     *
     * @throws RendezvousException with MISSING_RANKS if they do not in time.
     */
    Admission awaitAdmission(final Duration timeout)
    {
        begin();
        final long beginNs = System.nanoTime();
        Admission admission = null;
        while (null == admission)
        {
            if (System.nanoTime() - beginNs > timeout.toNanos())
            {
                throw new RendezvousException(RendezvousException.Reason.MISSING_RANKS,
                    world.member(world.rank()).describe() + " has returned to a running world, whose ranks did not " +
                    "readmit it within transload.timeouts.open = " + timeout.toMillis() + " ms: they do so when " +
                    "they call Engine.readmit()");
            }

            world.announce(message(NO_ENGINE, QUESTION, Admissions.question(incarnation())));
            admission = admissions.await(ASKING_INTERVAL);
        }

        return admission;
    }

    private long incarnation()
    {
        return world.member(world.rank()).incarnation();
    }

    /** Have an engine hear what concerns it, also what was told before. */
    void listen(final int number, final EngineListener listener)
    {
        synchronized (this)
        {
            final Box box = boxes.get(number);
            box.listener = listener;
            losses.values().stream().filter((lost) -> isLatest(lost.member)).forEach(box::lost);
            box.members.stream().filter((member) -> !isLatest(member)).forEach((member) -> box.lost(replaced(member)));
            box.early.forEach((early) -> box.tell(early.rank, early.event));
            box.early.clear();
        }

        begin();
    }

    /** Also true of a process that the rendezvous does not know of yet. */
    private boolean isLatest(final Member member)
    {
        return world.member(member.rank()).incarnation() <= member.incarnation();
    }

    /** Another process has replaced this member. */
    private Lost replaced(final Member member)
    {
        final Lost known = losses.get(member.rank());
        return null != known && known.member.incarnation() == member.incarnation() ? known :
            new Lost(member, Loss.SILENT, "another process has taken its place");
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

    /** More memory of a retired engine, which peers may write to in the last one as well. */
    void keep(final int number, final AutoCloseable memory)
    {
        final List<AutoCloseable> freed = new ArrayList<>();
        synchronized (this)
        {
            final int last = boxes.keySet().stream().mapToInt(Integer::intValue).filter((one) -> one > number).max()
                .orElse(number);
            final List<Box> holders =
                IntStream.of(number, last).distinct().mapToObj(boxes::get).filter(Objects::nonNull).toList();
            final AtomicInteger left = new AtomicInteger(holders.size());
            holders.forEach((box) -> box.earlier.add(() ->
            {
                if (0 == left.decrementAndGet())
                {
                    memory.close();
                }
            }));
            if (holders.isEmpty())
            {
                freed.add(memory);
            }
        }

        close(freed);
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
            boxes.values().stream().filter((box) -> null != box.memory).forEach((box) -> box.free(freed));
            boxes.clear();
            next = Integer.MAX_VALUE;
        }

        close(freed);
    }

    @Override
    public void onMemberLost(final Member member, final Loss loss, final String reason)
    {
        final List<AutoCloseable> freed = new ArrayList<>();
        synchronized (this)
        {
            final Lost lost = new Lost(member, loss, reason);
            losses.put(member.rank(), lost);
            admissions.lost(member.rank());
            if (Loss.GONE == loss)
            {
                gone.computeIfAbsent(member.rank(), (any) -> new HashSet<>()).add(member.incarnation());
            }

            boxes.values().forEach((box) -> box.lost(lost));
            free(freed);
        }

        close(freed);
    }

    /** Whether a process has ended, so that it writes nowhere any more. */
    synchronized boolean isGone(final int rank, final long incarnation)
    {
        return gone.getOrDefault(rank, Set.of()).contains(incarnation);
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
            if (NO_ENGINE == number)
            {
                receive(rank, own);
                return;
            }

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

    private void receive(final int rank, final ByteBuffer own)
    {
        final byte kind = own.get();
        if (QUESTION == kind)
        {
            admissions.asked(rank, own);
        }
        else if (ADMISSION == kind)
        {
            admissions.admitted(own, incarnation());
        }
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
                box.free(freed);
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
