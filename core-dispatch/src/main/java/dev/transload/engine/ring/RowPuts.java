/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import dev.transload.engine.connect.Connection;
import dev.transload.engine.observe.ChunkEvent;
import dev.transload.engine.observe.FlightRecording;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Stage;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;

/**
 * Rows on their way to one peer by a connection's operations: puts of a list's entries, then a signal that tells of
 * them. A row has an entry in each of two planes, its elements and what goes with them (scales or weights). Handed on
 * as far as the channel takes them; entries are used in turn, again once the channel has released them (rule ROW-3).
 */
public final class RowPuts
{
    /** Plane of the rows' elements. */
    public static final int ROWS = 0;
    /** Plane of scales or weights. */
    public static final int EXTRAS = 1;

    private static final int PLANES = 2;

    private final Connection connection;
    private final int capacity;
    private final String title;
    private final RowList[] lists = new RowList[PLANES];
    private final MemoryRegion[] sources = new MemoryRegion[PLANES];
    private final RemoteRegion[] targets = new RemoteRegion[PLANES];
    private final int[] rowBytes = new int[PLANES];
    private final long[] accepted = new long[PLANES];
    private final PendingHeads released = new PendingHeads();
    private long filled;
    private long pended;
    private long sourcePosition;
    private int signal;
    private long delta;
    private int rows;
    private long bytes;
    private boolean isActive;
    private boolean isChained;
    private ChunkEvent event;

    /**
     * For one peer, on the thread that drives the connection.
     *
     * @param connection to it.
     * @param capacity   rows whose entries may be in use.
     */
    public RowPuts(final Connection connection, final int capacity)
    {
        this.connection = connection;
        this.capacity = capacity;
        this.title = Stage.SCALE_OUT == connection.stage() ? "scale-out" : "scale-up";
        for (int plane = 0; plane < PLANES; plane++)
        {
            lists[plane] = connection.transport().allocateRows(capacity);
        }
    }

    /** Say that rows go to their final places, see {@link RowList#finalPlaces}. */
    public void finalPlaces(final boolean areFinal)
    {
        for (final RowList list : lists)
        {
            list.finalPlaces(areFinal);
        }
    }

    /**
     * Choose what the entries added next are of, while nothing is active.
     *
     * @param plane  of them.
     * @param source region, null to leave the plane out.
     * @param target region of the peer.
     * @param length of a row in bytes.
     */
    public void use(final int plane, final MemoryRegion source, final RemoteRegion target, final int length)
    {
        sources[plane] = source;
        targets[plane] = target;
        rowBytes[plane] = null == source ? 0 : length;
        lists[plane].rowLength(rowBytes[plane]);
    }

    /**
     * Rows that can be added now.
     *
     * @return count, 0 while a chunk is on its way.
     */
    public int room()
    {
        if (isActive || !released.hasRoom())
        {
            return 0;
        }

        return (int)(capacity - (filled - released.settle(connection.channel().releasedPosition())));
    }

    /** Add a row's elements; its other plane, if any, has to be added too. */
    public void add(final long from, final long to)
    {
        lists[ROWS].set((int)(filled++ % capacity), from, to);
    }

    /** Add what goes with the row added last. */
    public void addExtras(final long from, final long to)
    {
        lists[EXTRAS].set((int)((filled - 1) % capacity), from, to);
    }

    /**
     * Send what was added.
     *
     * @param index       of the signal that tells of it.
     * @param toAdd       to that signal, 0 for none.
     * @param rowsCounted rows that count as moved.
     */
    public void send(final int index, final long toAdd, final int rowsCounted)
    {
        send(index, toAdd, rowsCounted, 0);
    }

    /**
     * Send what was added, beside rows that need no put: they were written, or will be read, in place.
     *
     * @param index        of the signal that tells of it.
     * @param toAdd        to that signal, 0 for none.
     * @param rowsCounted  rows that count as moved.
     * @param bytesInPlace which count as moved with them.
     */
    public void send(final int index, final long toAdd, final int rowsCounted, final long bytesInPlace)
    {
        signal = index;
        delta = toAdd;
        rows = rowsCounted;
        bytes = bytesInPlace;
        isActive = true;
        event = FlightRecording.isOn() ? ChunkEvent.start() : null;
    }

    /**
     * Tell of rows that row kernels write in place, once they have.
     *
     * @param kernels  which write.
     * @param position at which they have.
     * @param index    of the signal that tells.
     * @param writer   of the rows.
     * @param count    rows that count as moved.
     * @param length   bytes that do.
     * @return false to call again.
     */
    public boolean signalAfter(
        final RowKernels kernels, final long position, final int index, final RingWriter writer,
        final int count, final long length)
    {
        if (!isChained)
        {
            isChained = connection.isAccepted(connection.channel().startAfter(kernels, position));
            if (!isChained)
            {
                return false;
            }

            send(index, writer.tell(), count, length);
        }

        advance();
        isChained = isActive;
        return !isActive;
    }

    /**
     * Whether something is left to hand on.
     *
     * @return true until all of it is accepted.
     */
    public boolean isActive()
    {
        return isActive;
    }

    /** Hand on what the channel takes. */
    public int advance()
    {
        int work = 0;
        while (isActive && stepOn())
        {
            work++;
        }

        return work;
    }

    private boolean stepOn()
    {
        for (int plane = 0; plane < PLANES; plane++)
        {
            if (0 == rowBytes[plane])
            {
                accepted[plane] = filled;
            }
            else if (accepted[plane] < filled)
            {
                return put(plane);
            }
        }

        if (delta > 0 && !connection.isAccepted(connection.channel().signal(connection.signals(), signal, delta)))
        {
            return false;
        }

        isActive = false;
        if (filled > pended)
        {
            pended = filled;
            released.add(sourcePosition, filled);
        }

        account();
        return true;
    }

    private boolean put(final int plane)
    {
        final int entry = (int)(accepted[plane] % capacity);
        final int run = (int)Math.min(filled - accepted[plane], capacity - entry);
        final long before = connection.channel().position();
        final long position = connection.channel().putRows(sources[plane], targets[plane], lists[plane], entry, run);
        if (!connection.isAccepted(position))
        {
            return false;
        }

        final long taken = position - before;
        accepted[plane] += taken;
        bytes += taken * rowBytes[plane];
        sourcePosition = position;
        return taken > 0;
    }

    private void account()
    {
        connection.tally().moved(connection.stage(), rows, bytes);
        if (null != event)
        {
            event.finish(connection.ownRank(), connection.peer(), connection.lane(), title, rows, bytes);
            event = null;
        }
    }

    /** Rows, of all that were ever added, whose sources and entries nothing reads any more. */
    public long released()
    {
        return released.settle(connection.channel().releasedPosition());
    }

    /** Rows that were ever added. */
    public long added()
    {
        return filled;
    }

    /** Whether all is accepted, and nothing of it is read any more. */
    public boolean isComplete()
    {
        return !isActive && connection.channel().releasedPosition() >= sourcePosition;
    }

    public Connection connection()
    {
        return connection;
    }

    /**
     * Report what is under way.
     *
     * @param wait to fill.
     * @return false if all is accepted and released.
     */
    public boolean awaits(final Wait wait)
    {
        return connection.awaits(wait, sourcePosition, isActive);
    }
}
