/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.PeerMemory;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.plan.ForwardTable;
import dev.transload.engine.internal.ring.PendingHeads;
import dev.transload.engine.internal.ring.RingReader;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.wire.Weights;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;
import java.util.Arrays;

/**
 * The rows that the ranks of the node return for a stream, at its relay. They are read in place where all ranks' expert
 * rows are mapped: then the forward table, read backwards, says which. Else each rank sends its rows, in the order of
 * the stream, into a ring here, or says that they can be read in place.
 */
public final class NodeReturns
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ThreadResources thread;
    private final SignalRegion signals;
    private final int channel;
    private final int stream;
    private final RingReader[] readers;
    private final int[] arrived;
    private final int[] taken;
    private final int[] weighed;
    private final PendingHeads[] consumed;
    private final long[] weightsAt;
    private final long[] weightsStride;
    private CombineCall call;
    private ForwardTable table;
    private boolean areKnown;
    private boolean areInPlace;
    private boolean areAllTaken;
    private long lastPosition;

    /**
     * Of a stream.
     *
     * @param signals own signals of the scale-up stage.
     * @param stream  index among those that this rank relays in the channel.
     * @param readers of the rings, by local rank.
     */
    public NodeReturns(
        final Geometry geometry, final ArenaMap map, final ThreadResources thread, final SignalRegion signals,
        final int channel, final int stream, final RingReader[] readers)
    {
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.signals = signals;
        this.channel = channel;
        this.stream = stream;
        this.readers = readers;
        this.arrived = new int[readers.length];
        this.taken = new int[readers.length];
        this.weighed = new int[readers.length];
        this.weightsAt = new long[readers.length];
        this.weightsStride = new long[readers.length];
        this.consumed = new PendingHeads[readers.length];
        for (int local = 0; local < readers.length; local++)
        {
            consumed[local] = new PendingHeads();
        }
    }

    void begin(final CombineCall next)
    {
        call = next;
        table = call.plan().forwardTable(channel, stream);
        table.rewind();
        areKnown = false;
        areAllTaken = false;
        lastPosition = 0;
        Arrays.fill(arrived, 0);
        Arrays.fill(taken, 0);
        Arrays.fill(weighed, 0);
        for (int local = 0; local < readers.length; local++)
        {
            readers[local].begin();
            consumed[local].reset();
        }
    }

    ForwardTable table()
    {
        return table;
    }

    /**
     * Whether all ranks have said where their rows are.
     *
     * @param reduction gets local rank i's rows as source region i, once they are known.
     */
    boolean areKnown(final Reduction reduction)
    {
        if (areKnown)
        {
            return true;
        }

        boolean isEachOpen = true;
        for (int local = 0; local < readers.length; local++)
        {
            if (!thread.peerMemories().isKnown(local, call.number(), call.tag(), call.form(geometry)))
            {
                return false;
            }

            isEachOpen &= thread.peerMemories().of(local).isOpen();
        }

        areKnown = true;
        areInPlace = isEachOpen;
        for (int local = 0; local < readers.length; local++)
        {
            use(reduction, local);
            useWeights(local);
        }

        return true;
    }

    private void use(final Reduction reduction, final int local)
    {
        final PeerMemory peer = thread.peerMemories().of(local);
        table.readInPlace(local, peer.isOpen());
        if (peer.isOpen())
        {
            reduction.source(local, peer.window(0), peer.offset(0), call.rowBytes(), ElementType.BF16);
            if (table.rowsTo(local) > 0)
            {
                thread.acquire(Stage.SCALE_UP, peer.window(0));
            }
        }
        else
        {
            reduction.source(local, map.rowsUpIn.arena().region(Stage.SCALE_UP), map.rowsUpIn.offset(ring(local)),
                map.rowsUpIn.stride(), ElementType.BF16);
        }
    }

    /** Where the weights of a rank's rows are: at its own rows, or in slots of its ring. */
    private void useWeights(final int local)
    {
        final PeerMemory peer = thread.peerMemories().of(local);
        if (0 == call.weightBytes() || 0 == table.rowsTo(local))
        {
            return;
        }

        if (!peer.isOpen())
        {
            weightsAt[local] = map.weightsUpIn.address(ring(local));
            weightsStride[local] = map.weightsUpIn.stride();
            return;
        }

        final MemoryRegion window = peer.window(1);
        final long end = peer.offset(1) + (table.greatestOf(local) + 1L) * call.weightBytes();
        if (end > window.length())
        {
            throw new IllegalStateException("weights end at " + end + ", their memory at " + window.length());
        }

        weightsAt[local] = window.address() + peer.offset(1);
        weightsStride[local] = call.weightBytes();
    }

    /** First slot of a rank's ring. */
    private long ring(final int local)
    {
        return (long)geometry.streamUp(channel, local, stream) * geometry.subRing();
    }

    /** Whether all of them are read in place; once they are known. */
    boolean areInPlace()
    {
        return areInPlace;
    }

    /** See what has come into rings. */
    void refresh()
    {
        for (int local = 0; !areInPlace && local < arrived.length; local++)
        {
            if (thread.peerMemories().of(local).isOpen())
            {
                arrived[local] = table.rowsTo(local);
                continue;
            }

            final int seen = readers[local].arrived(tail(local));
            if (seen > arrived[local])
            {
                arrived[local] = seen;
                thread.acquire(Stage.SCALE_UP, map.rowsUpIn.arena().region(Stage.SCALE_UP));
                thread.counters().found(Stage.SCALE_UP, seen - taken[local]);
            }
        }
    }

    private long tail(final int local)
    {
        return signals.getAcquire(SignalMap.returnsUp(geometry, channel, local, stream));
    }

    /** Whether all rows of the next position are here. */
    boolean isReady(final int position)
    {
        if (position >= table.placed())
        {
            return false;
        }

        for (int word = 0; !areInPlace && word < table.maskWords(); word++)
        {
            for (long bits = table.mask(position, word); 0 != bits; bits &= bits - 1)
            {
                final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                if (arrived[local] == taken[local])
                {
                    return false;
                }
            }
        }

        return true;
    }

    boolean hasRoom()
    {
        for (int local = 0; !areInPlace && local < consumed.length; local++)
        {
            if (!consumed[local].hasRoom())
            {
                return false;
            }
        }

        return true;
    }

    /**
     * Take the rows of the next position, local ranks ascending.
     *
     * @param sums where the rows are added.
     */
    void take(final int position, final RowTable sums)
    {
        final RowTable places = table.table(position);
        int entry = places.firstEntry(table.index(position));
        for (int word = 0; word < table.maskWords(); word++)
        {
            for (long bits = table.mask(position, word); 0 != bits; bits &= bits - 1, entry++)
            {
                final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                sums.add(local, rowOf(local, places, entry, taken[local]++));
            }
        }
    }

    /**
     * Add up the weights of the next position whose rows are taken, or read by the forward table.
     *
     * @param sums [K] to which they are added, local ranks ascending.
     */
    void weigh(final int position, final float[] sums)
    {
        final RowTable places = table.table(position);
        int entry = places.firstEntry(table.index(position));
        for (int word = 0; word < table.maskWords(); word++)
        {
            for (long bits = table.mask(position, word); 0 != bits; bits &= bits - 1, entry++)
            {
                final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                final int row = rowOf(local, places, entry, weighed[local]++);
                Weights.add(weightsAt[local] + row * weightsStride[local], call.weightBytes() / Float.BYTES, sums);
            }
        }
    }

    private int rowOf(final int local, final RowTable places, final int entry, final int index)
    {
        return areInPlace || thread.peerMemories().of(local).isOpen() ?
            places.entryRow(entry) : readers[local].slot(index);
    }

    /**
     * What was taken is not needed any more once the row kernels pass a position.
     *
     * @param end       position in the stream behind what was taken.
     * @param isByTable whether they read the forward table.
     * @param isLast    whether all is taken.
     */
    void submitted(final long position, final int end, final boolean isByTable, final boolean isLast)
    {
        lastPosition = position;
        table.read(end, isByTable ? position : 0);
        if (isLast)
        {
            finish();
        }

        for (int local = 0; !areInPlace && local < taken.length; local++)
        {
            if (!thread.peerMemories().of(local).isOpen())
            {
                consumed[local].add(position, taken[local]);
            }
        }
    }

    /**
     * Place rows on, and give back what the row kernels have passed; to a rank whose rows are read in place, all at the
     * end.
     */
    int settle(final long completed)
    {
        int work = table.place(completed);
        for (int local = 0; areKnown && local < readers.length; local++)
        {
            if (!areInPlace && !thread.peerMemories().of(local).isOpen())
            {
                work += readers[local].consumed((int)consumed[local].settle(completed));
            }
            else if (areAllTaken && completed >= lastPosition)
            {
                work += readers[local].giveBackAll();
            }
        }

        return work;
    }

    boolean areReturned()
    {
        for (int local = 0; local < readers.length; local++)
        {
            final boolean isOpen = areKnown && (areInPlace || thread.peerMemories().of(local).isOpen());
            final boolean isOwed = isOpen ? !areAllTaken || !readers[local].isGivenBack() : readers[local].isDue();
            if (!areKnown || !consumed[local].isEmpty() || isOwed)
            {
                return false;
            }
        }

        return true;
    }

    /** All is taken, or nothing is to be: rows that can be read in place are given back when the kernels are done. */
    void finish()
    {
        areAllTaken = true;
        for (int local = 0; local < readers.length; local++)
        {
            if (areInPlace || thread.peerMemories().of(local).isOpen())
            {
                readers[local].pass(table.rowsTo(local));
            }
        }
    }

    /** Report the rank whose row or word is missing. */
    boolean isWaiting(final Wait wait, final int position)
    {
        for (int local = 0; local < readers.length; local++)
        {
            if (!areKnown && !thread.peerMemories().isKnown(local, call.number(), call.tag(), call.form(geometry)))
            {
                return thread.peerMemories().isWaiting(wait, local, channel, call.number());
            }
        }

        for (int local = 0; areKnown && !areInPlace && position < table.placed() && local < readers.length; local++)
        {
            final boolean isMissing = 0 != (table.mask(position, local >> 6) & 1L << (local & 63)) &&
                !thread.peerMemories().of(local).isOpen() && readers[local].arrived(tail(local)) <= taken[local];
            if (isMissing)
            {
                return wait.set(geometry.world().first(geometry.world().node()) + local, channel,
                    WaitCounter.SCALE_UP_TAIL, readers[local].tail(taken[local] + 1), tail(local));
            }
        }

        return false;
    }
}
