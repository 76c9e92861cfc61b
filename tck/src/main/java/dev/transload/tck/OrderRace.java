/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Rank 0 sends something, orders something else behind it, and goes on to the next round when all is delivered. Another
 * thread looks at the memory of rank 1 all the while: where it sees the later of both, the earlier must be there. A
 * queue that does all its work in one call of {@link Worker#progress()}, in whatever order, looks right between calls.
 * <p>
 * All bytes that are copied in a round hold the end of its number, as longer puts may be torn; what is ordered behind
 * them is a count or a word. The looks are never so many rounds behind that such an end comes again.
 */
final class OrderRace
{
    private static final int OWNER = 1;
    private static final int BEFORE = 0;
    private static final int AFTER = 1;
    private static final int SIGNALS = 2;
    private static final int SPARE = 2;
    private static final int AREAS = 3;
    private static final int ROW_LENGTH = 512;
    private static final int PIECE = 8192;
    /** Long to copy beside the look of another thread. */
    private static final int BYTES = 1 << 17;
    private static final int BYTES_UNWATCHED = 2 * ROW_LENGTH;
    private static final int ROUNDS = 30;
    private static final int ROUNDS_UNWATCHED = 5;
    private static final int SEEN = 200;
    private static final int MOST_AHEAD = 64;
    private static final long MOST_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private final World world;
    private final Ends ends;
    /** Whether looks come at any time, and are fast. */
    private final boolean isWatched;
    private final int length;
    private final MemoryRegion source;
    private final ByteBuffer sent;
    private final MemoryRegion target;
    private final SignalRegion signals;
    private final RowList rows;
    private final ByteBuffer ownerAddress;
    private final ByteBuffer targetDescriptor;
    private final ByteBuffer signalsDescriptor;
    private volatile long last;
    private volatile int seenRounds;
    private volatile boolean isOver;

    /** What is sent, and what is ordered behind it. */
    enum Ends
    {
        /** Rows and puts, a fence, an add. */
        ADD_BEHIND_COPIES(false, false),
        /** Rows and puts, a fence, puts. */
        PUTS_BEHIND_COPIES(false, true),
        /** An add to a word of memory, as signals may be seen late; a fence, puts. */
        PUTS_BEHIND_WORD_ADD(true, true),
        /** Rows and puts behind a fence, a signal. */
        SIGNAL_BEHIND_COPIES(false, false),
        /** An add behind a fence, a signal. */
        SIGNAL_BEHIND_ADD(true, false);

        private final boolean beginsWithAdd;
        private final boolean endsWithPuts;

        Ends(final boolean beginsWithAdd, final boolean endsWithPuts)
        {
            this.beginsWithAdd = beginsWithAdd;
            this.endsWithPuts = endsWithPuts;
        }

        private boolean hasWordAdd()
        {
            return PUTS_BEHIND_WORD_ADD == this;
        }

        private boolean hasSignal()
        {
            return SIGNAL_BEHIND_COPIES == this || SIGNAL_BEHIND_ADD == this;
        }
    }

    /** The part of rank 0. */
    private final class Writer implements Race.Part
    {
        private final List<LongSupplier> operations = new ArrayList<>();
        private Worker worker;
        private Channel channel;
        private RemoteRegion remote;
        private RemoteSignals remoteSignals;
        private int rowsSent;
        private int submitted;
        private long flushed;
        private long round;
        private long beginNs;

        @Override
        public boolean step()
        {
            if (null == worker)
            {
                open();
            }

            if (submitted == operations.size() && channel.deliveredPosition() >= flushed && round - last < MOST_AHEAD)
            {
                next();
            }
            else if (!channel.isConnected() || !isSubmitted())
            {
                Race.progress(worker);
            }

            return isOver;
        }

        private void open()
        {
            worker = world.transport(0).openWorker(0);
            remote = worker.importRegion(OWNER, targetDescriptor.duplicate());
            remoteSignals = worker.importSignals(OWNER, signalsDescriptor.duplicate());
            channel = worker.connect(OWNER, World.INCARNATION, ownerAddress.duplicate());
            if (ends.hasSignal())
            {
                operations.add(channel::fence);
            }

            if (ends.beginsWithAdd)
            {
                operations.add(() -> ends.hasWordAdd() ? channel.atomicAdd(remote, (long)BEFORE * length, 1) :
                    channel.atomicAdd(remoteSignals, BEFORE, 1));
            }
            else
            {
                operations.add(this::sendRows);
                puts(length / 2, length);
            }

            if (ends.hasSignal())
            {
                operations.add(() -> channel.signal(remoteSignals, AFTER, 1));
            }
            else
            {
                operations.add(channel::fence);
                if (!ends.endsWithPuts)
                {
                    operations.add(() -> channel.atomicAdd(remoteSignals, AFTER, 1));
                }
            }

            if (ends.endsWithPuts)
            {
                operations.add(() -> channel.put(source, length, remote, (long)AFTER * length, Long.BYTES));
            }

            // Gives the other thread time to look.
            puts((long)SPARE * length, length);
            operations.add(channel::flush);
            submitted = operations.size();
            beginNs = System.nanoTime();
        }

        private void puts(final long at, final int bytes)
        {
            final long from = at % length;
            final long piece = Math.min(PIECE, world.transport(0).capabilities().maxPutLength());
            for (long done = from; done < bytes; done += piece)
            {
                final long offset = done;
                final long count = Math.min(piece, bytes - done);
                operations.add(() -> channel.put(source, offset, remote, at - from + offset, count));
            }
        }

        /** Half of what is copied; the rest are puts. */
        private long sendRows()
        {
            final int all = rows.capacity();
            final long before = channel.position();
            final long result = channel.putRows(source, remote, rows, rowsSent, all - rowsSent);
            rowsSent += Race.isAccepted("putRows", result) ? (int)(result - before) : 0;
            if (rowsSent < all)
            {
                return Channel.BACK_PRESSURED;
            }

            rowsSent = 0;
            return result;
        }

        private void next()
        {
            isOver = round >= (isWatched ? ROUNDS : ROUNDS_UNWATCHED) && (seenRounds >= SEEN || !isWatched ||
                System.nanoTime() - beginNs >= MOST_NS);
            if (!isOver)
            {
                round++;
                Arrays.fill(sent.array(), 0, length, (byte)round);
                sent.putLong(length, round);
                world.write(0, source, 0, sent.array());
                submitted = 0;
            }
        }

        private boolean isSubmitted()
        {
            while (submitted < operations.size())
            {
                final long result = operations.get(submitted).getAsLong();
                if (!Race.isAccepted("operation " + submitted + " of a round", result))
                {
                    return false;
                }

                flushed = result;
                submitted++;
            }

            return channel.deliveredPosition() >= flushed;
        }
    }

    /**
     * To the memory of rank 1.
     *
     * @param world of two ranks, in which no worker of rank 0 is open; its puts may be as short as a word.
     * @param ends  of what is ordered.
     */
    OrderRace(final World world, final Ends ends)
    {
        this.world = world;
        this.ends = ends;
        this.target = world.allocate(OWNER, MemoryKind.HOST, (long)AREAS * BYTES, Access.REMOTE);
        this.isWatched = world.fixture().isThreaded() && !(target instanceof ForeignMemory);
        this.length = isWatched ? BYTES : BYTES_UNWATCHED;
        this.source = world.allocate(0, MemoryKind.HOST, length + Long.BYTES, Access.LOCAL);
        this.sent = ByteBuffer.allocate(length + Long.BYTES).order(ByteOrder.nativeOrder());
        this.signals = world.transport(OWNER).allocateSignals(SIGNALS, 1);
        this.rows = world.transport(0).allocateRows(length / 2 / ROW_LENGTH).rowLength(ROW_LENGTH);
        for (int row = 0; row < rows.capacity(); row++)
        {
            rows.set(row, (long)row * ROW_LENGTH, (long)row * ROW_LENGTH);
        }

        this.ownerAddress = world.worker(OWNER).address();
        this.targetDescriptor = target.descriptor();
        this.signalsDescriptor = signals.descriptor();
    }

    /** Runs it until enough rounds were seen. */
    void run()
    {
        Race.run(world, () -> isOver, List.<Race.Part>of(new Writer(), this::look));
    }

    private boolean look()
    {
        final boolean isLast = isOver;
        final long after = ends.endsWithPuts ?
            World.acquire(target, (long)AFTER * length) : signals.getAcquire(AFTER);
        if (ends.beginsWithAdd)
        {
            check("the add", after, ends.hasWordAdd() ?
                World.acquire(target, (long)BEFORE * length) : signals.getAcquire(BEFORE));
        }
        else if (after > last)
        {
            // Begins with what is copied last.
            for (int at = length - Long.BYTES; at >= 0; at -= ROW_LENGTH / 2)
            {
                check("the byte at " + at, after, after + (byte)(World.acquire(target, at) - after));
            }
        }

        seenRounds += after > last ? 1 : 0;
        last = after;
        return isLast;
    }

    private void check(final String what, final long after, final long before)
    {
        if (before < after)
        {
            throw new AssertionError(ends + ": what was ordered behind it in round " + after + " was seen before " +
                what + ", which was of round " + before);
        }
    }
}
