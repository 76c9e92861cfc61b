/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import org.agrona.BufferUtil;

/**
 * Rows of a dispatch that kernels of a device store in peers' memory through its windows, those of all peers by one
 * operation: a launch costs as much as the rows of a small call. A peer takes part if it has a window and has released
 * the slots; the others, and all where kernels copy one part after the other, are sent their rows.
 */
final class StoredRows
{
    /** Uses of the buffer set that a peer must have answered before it is written to: all but this one. */
    private static final int CREDIT = 1;

    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final RowKernels kernels;
    /** By rank · C + channel; null where kernels store nothing. */
    private final RowList[] rows;
    private final boolean[] isStored;
    private final RowCopies copies = new RowCopies();
    private BufferSet set;
    private boolean isSubmitted;
    private long position;

    StoredRows(final int ownRank, final Slots slots, final PeerLink[] links, final RowKernels kernels)
    {
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.kernels = kernels;
        this.isStored = new boolean[slots.ranks()];
        this.rows = new RowList[slots.ranks() * slots.channels()];
        for (int lane = 0; lane < rows.length && kernels.hasParallelParts(); lane++)
        {
            final boolean isOwn = lane / slots.channels() == ownRank;
            rows[lane] = kernels.allocateRows(isOwn ? 0 : Math.max(1, slots.rowsPerLane()));
        }
    }

    /** Begin a dispatch with the ranks that its lanes address. */
    void begin(final BufferSet used)
    {
        set = used;
        isSubmitted = true;
        position = 0;
        int room = RowCopies.MAX_PARTS / slots.channels();
        for (int rank = 0; rank < isStored.length; rank++)
        {
            isStored[rank] = rank != ownRank && used.lanes.isAddressed(rank) && room > 0 && isWithinReach(links[rank]);
            isSubmitted &= !isStored[rank];
            room -= isStored[rank] ? 1 : 0;
        }
    }

    private boolean isWithinReach(final PeerLink link)
    {
        return null != rows[0] && null != link.window() && link.window().kind().equals(kernels.kind()) &&
            link.isSignalled(Slots.ANSWERED, set.index, link.uses(set.index) - CREDIT);
    }

    boolean isStored(final int rank)
    {
        return isStored[rank];
    }

    /** Where the entries of a row list are, to be written in the layout of {@link RowList}. */
    long rowsAddress(final int rank, final int channel)
    {
        return BufferUtil.address(rows[rank * slots.channels() + channel].memory());
    }

    /**
     * Submit all; the first peer is another one on each rank, so that they are not all written to at once.
     *
     * @param source     of the rows.
     * @param rowsOfLane entries that were written, by rank · C + channel.
     * @return position of the kernels, or {@link RowKernels#BACK_PRESSURED}.
     */
    long submit(final MemoryRegion source, final int[] rowsOfLane)
    {
        copies.clear();
        for (int i = 1; i < isStored.length; i++)
        {
            final int rank = (ownRank + i) % isStored.length;
            for (int channel = 0; channel < slots.channels() && isStored[rank]; channel++)
            {
                add(rank, rank * slots.channels() + channel, source, rowsOfLane);
            }
        }

        final long accepted = kernels.copyRows(copies);
        isSubmitted = accepted >= 0;
        position = Math.max(0, accepted);
        return accepted;
    }

    private void add(final int rank, final int lane, final MemoryRegion source, final int[] rowsOfLane)
    {
        // Nobody writes to a rank that was masked meanwhile.
        if (set.lanes.isAddressed(rank))
        {
            rows[lane].rowLength(set.rowBytes());
            rows[lane].noteWritten();
            copies.add(source, links[rank].window(), rows[lane], 0, rowsOfLane[lane]);
        }
    }

    /** Whether the rows' source is read no more, also where ranks were masked that rows are stored at. */
    boolean isDone()
    {
        return isSubmitted && kernels.completedPosition() >= position;
    }

    /** Whether nothing is left to be submitted. */
    boolean isSubmitted()
    {
        return isSubmitted;
    }
}
