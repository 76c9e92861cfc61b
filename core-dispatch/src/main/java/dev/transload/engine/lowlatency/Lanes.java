/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.RowKernels;
import java.util.Arrays;

/** What one buffer set's call sends to all other ranks. A rank that does not take it in time is masked. */
final class Lanes
{
    private final int ownRank;
    private final int ranks;
    private final int channels;
    private final PeerLink[] links;
    private final RankMask mask;
    private final WaitTimeout patience;
    private final Lane[] lanes;
    private final boolean[] isAddressed;
    private RowKernels kernels;
    private long madePosition;
    private long storedPosition;

    Lanes(
        final int ownRank, final Slots slots, final PeerLink[] links, final RankMask mask,
        final WaitTimeout patience)
    {
        this.ownRank = ownRank;
        this.ranks = slots.ranks();
        this.channels = slots.channels();
        this.links = links;
        this.mask = mask;
        this.patience = patience;
        this.lanes = new Lane[ranks * channels];
        this.isAddressed = new boolean[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            for (int channel = 0; channel < channels && rank != ownRank; channel++)
            {
                lanes[rank * channels + channel] = new Lane(
                    links[rank], channel, links[rank].allocateRows(Math.max(1, slots.rowsPerLane())));
            }
        }
    }

    Lane lane(final int rank, final int channel)
    {
        return lanes[rank * channels + channel];
    }

    /** Begin a call that sends to nobody yet. */
    void begin()
    {
        Arrays.fill(isAddressed, false);
        kernels = null;
        madePosition = 0;
        storedPosition = Long.MAX_VALUE;
    }

    /** Rows that are put are what kernels make. */
    void startAfter(final RowKernels maker, final long position)
    {
        kernels = maker;
        madePosition = position;
    }

    /** Rows that are not put are stored by kernels, at an unknown position until this is called. */
    void tellAfter(final RowKernels storer, final long position)
    {
        kernels = storer;
        storedPosition = position;
    }

    /** The call sends to a rank. */
    void address(final int rank)
    {
        isAddressed[rank] = true;
    }

    boolean isAddressed(final int rank)
    {
        return isAddressed[rank] && mask.isActive(rank);
    }

    /**
     * Send on. The first rank is another one on each rank, so that they are not all written to at once.
     *
     * @param set    of the call.
     * @param credit uses of the set that a rank must have answered before it is written to; −1 for none.
     * @param nowNs  by the calls' clock.
     * @return work done.
     */
    int doWork(final int set, final int credit, final long nowNs)
    {
        int work = 0;
        for (int i = 1; i < ranks; i++)
        {
            final int rank = (ownRank + i) % ranks;
            if (isAddressed(rank) && !isSent(rank))
            {
                work += send(rank, set, credit, nowNs);
            }
        }

        return work;
    }

    private int send(final int rank, final int set, final int credit, final long nowNs)
    {
        final PeerLink link = links[rank];
        if (mask.maskIfGone(rank))
        {
            return 1;
        }

        final boolean isFree =
            credit < 0 || link.isSignalled(Slots.ANSWERED, set, link.uses(set) - credit);
        int work = 0;
        for (int channel = 0; channel < channels && isFree; channel++)
        {
            work += lane(rank, channel).doWork(kernels, position(lane(rank, channel)));
        }

        if (isFree && isBehindKernels(rank))
        {
            // A peer is not to blame for rows that this rank has not made: its time begins when they are.
            patience.renew(rank, nowNs);
        }
        else if (!isSent(rank) && !patience.isPatient(rank, nowNs))
        {
            mask.mask(rank, isFree ? "it did not take what was sent to it in time" :
                "it did not release the rows of an earlier dispatch in time");
        }

        return work;
    }

    private long position(final Lane lane)
    {
        return lane.isStored() ? storedPosition : madePosition;
    }

    /** Whether rows are still being made or stored by kernels of this rank: nobody else keeps the call waiting. */
    private boolean isBehindKernels(final int rank)
    {
        boolean isBehind = false;
        for (int channel = 0; channel < channels && null != kernels; channel++)
        {
            final Lane lane = lane(rank, channel);
            isBehind |= lane.hasUnsentRows() && kernels.completedPosition() < position(lane);
        }

        return isBehind;
    }

    private boolean isSent(final int rank)
    {
        for (int channel = 0; channel < channels; channel++)
        {
            if (!lane(rank, channel).isSent())
            {
                return false;
            }
        }

        return true;
    }

    boolean isSent()
    {
        for (int rank = 0; rank < ranks; rank++)
        {
            if (isAddressed(rank) && !isSent(rank))
            {
                return false;
            }
        }

        return true;
    }

    /** Whether local memory may change; who still reads it when time is up is masked. */
    boolean isReleased(final long nowNs)
    {
        boolean isReleased = true;
        for (int rank = 0; rank < ranks; rank++)
        {
            if (isAddressed(rank) && !isReleased(rank) && !mask.maskIfGone(rank))
            {
                isReleased = false;
                if (!patience.isPatient(rank, nowNs))
                {
                    mask.mask(rank, "its transport did not take what was sent to it in time");
                }
            }
        }

        return isReleased;
    }

    private boolean isReleased(final int rank)
    {
        for (int channel = 0; channel < channels; channel++)
        {
            if (!lane(rank, channel).isReleased())
            {
                return false;
            }
        }

        return true;
    }

    long bytes()
    {
        long bytes = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            for (int channel = 0; channel < channels && isAddressed[rank]; channel++)
            {
                bytes += lane(rank, channel).bytes();
            }
        }

        return bytes;
    }
}
