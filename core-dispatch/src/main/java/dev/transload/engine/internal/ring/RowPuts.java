/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;

/**
 * Rows on their way to one peer by puts of a list's entries, of which a row has one in each plane. Entries are used in
 * turn, again once the channel has released them (rule ROW-3).
 */
public final class RowPuts extends ChunkPuts
{
    private final int capacity;
    private final RowList[] lists = new RowList[PLANES];
    private final int[] rowBytes = new int[PLANES];
    private final long[] accepted = new long[PLANES];
    private int plane;
    private long filled;
    private long pended;

    /**
     * For one peer, on the thread that drives the connection.
     *
     * @param capacity rows whose entries may be in use.
     */
    public RowPuts(final Connection connection, final int capacity)
    {
        super(connection, false);
        this.capacity = capacity;
        for (int i = 0; i < PLANES; i++)
        {
            lists[i] = connection.transport().allocateRows(capacity);
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
     * @param source region, null to leave the plane out.
     * @param length of a row in bytes.
     */
    public void use(final int index, final MemoryRegion source, final RemoteRegion target, final int length)
    {
        sources[index] = source;
        targets[index] = target;
        rowBytes[index] = null == source ? 0 : length;
        lists[index].rowLength(rowBytes[index]);
    }

    /**
     * Rows that can be added now.
     *
     * @return count, 0 while a chunk is on its way.
     */
    public int room()
    {
        return isActive() || !released.hasRoom() ? 0 : (int)(capacity - (filled - settled()));
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
        begin(index, toAdd, rowsCounted, 0);
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
        begin(index, toAdd, rowsCounted, bytesInPlace);
    }

    /**
     * Tell of rows that row kernels write in place, once they have: a channel that was told to wait for them would keep
     * back all that comes behind.
     *
     * @param index  of the signal that tells.
     * @param count  rows that count as moved.
     * @param length bytes that do.
     * @return false to call again.
     */
    public boolean signalAfter(
        final RowKernels kernels, final long position, final int index, final RingWriter writer,
        final int count, final long length)
    {
        if (!isActive())
        {
            if (kernels.completedPosition() < position)
            {
                return false;
            }

            begin(index, writer.tell(), count, length);
        }

        advance();
        return !isActive();
    }

    @Override
    boolean hasNext()
    {
        for (plane = 0; plane < PLANES; plane++)
        {
            if (0 == rowBytes[plane])
            {
                accepted[plane] = filled;
            }
            else if (accepted[plane] < filled)
            {
                return true;
            }
        }

        return false;
    }

    @Override
    boolean put()
    {
        final int entry = (int)(accepted[plane] % capacity);
        final int run = (int)Math.min(filled - accepted[plane], capacity - entry);
        final long before = connection().channel().position();
        final long position = connection().channel().putRows(sources[plane], targets[plane], lists[plane], entry, run);
        if (!connection().isAccepted(position))
        {
            return false;
        }

        final long taken = position - before;
        accepted[plane] += taken;
        moved(taken * rowBytes[plane]);
        sourcePosition = position;
        return taken > 0;
    }

    @Override
    void accepted()
    {
        if (filled > pended)
        {
            pended = filled;
            released.add(sourcePosition, filled);
        }
    }

    /** Rows, of all that were ever added, whose sources and entries nothing reads any more. */
    public long released()
    {
        return settled();
    }

    /** Rows that were ever added. */
    public long added()
    {
        return filled;
    }
}
