/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepFifo;

/** SEND_FAR of a dispatch: rows and headers to send blocks, and by chunk to the FIFO. */
final class SendRows implements Primitive
{
    private final Peers peers;
    private final Call call;
    private final Place place;

    SendRows(final Parts parts, final Place place)
    {
        this.peers = parts.peers();
        this.call = parts.call();
        this.place = place;
    }

    @Override
    public void begin(final long nowNs)
    {
        place.begin(nowNs);
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        if (!place.isDone(nowNs))
        {
            return false;
        }

        for (int rank = 0; rank < peers.ranks(); rank++)
        {
            if (peers.isActive(rank) && peers.isFar(rank))
            {
                post(rank, place.slotsOf(rank));
            }
        }

        return true;
    }

    private void post(final int rank, final int rows)
    {
        final int each = peers.slots.chunkRows();
        for (int chunk = 0; chunk < peers.slots.rowChunks(rows); chunk++)
        {
            final int first = chunk * each;
            final int count = Math.min(each, rows - first);
            if (count > 0)
            {
                peers.post(rank, StepFifo.HEADERS, call.number, first, count);
                peers.postRows(rank, StepFifo.ROWS, call.number, first, count, call.slotBytes());
            }

            peers.write(rank, peers.sends.landed(call.number, peers.peer(rank).farIndex(), chunk), call.number, rows);
            peers.post(rank, StepFifo.ROWS_TOLD, call.number, chunk, 0);
        }
    }

    /** Rows for a rank. */
    int count(final int rank)
    {
        return place.slotsOf(rank);
    }
}
