/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Section;
import dev.transload.engine.ring.PendingHeads;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/**
 * Copies a sender's rows from the caller's tensor into the send halves, in batches by row kernels, and releases each
 * row when its copy is done.
 */
public final class Packer
{
    private final Geometry geometry;
    private final DispatchLane lane;
    private final Section payload;
    private final RowKernels kernels;
    private final RowList[] rows;
    private final RowList[] scales;
    private final long[][] rowOfEntry;
    private final long[] filled;
    private final long[] submitted;
    private final long[] released;
    private final PendingHeads[] pending;
    private DispatchCall call;

    /**
     * For one sender.
     *
     * @param geometry sizes.
     * @param map      memory.
     * @param lane     shared state of the channel.
     * @param kernels  of the sender's thread.
     */
    public Packer(final Geometry geometry, final ArenaMap map, final DispatchLane lane, final RowKernels kernels)
    {
        final int nodes = geometry.nodes();
        this.geometry = geometry;
        this.lane = lane;
        this.payload = map.payloadOutOut;
        this.kernels = kernels;
        this.rows = new RowList[nodes];
        this.scales = new RowList[nodes];
        this.rowOfEntry = new long[nodes][geometry.outRing()];
        this.filled = new long[nodes];
        this.submitted = new long[nodes];
        this.released = new long[nodes];
        this.pending = new PendingHeads[nodes];
        for (int node = 0; node < nodes; node++)
        {
            rows[node] = kernels.allocateRows(geometry.outRing());
            scales[node] = kernels.allocateRows(geometry.outRing());
            pending[node] = new PendingHeads();
        }
    }

    void begin(final DispatchCall next)
    {
        call = next;
        for (int node = 0; node < rows.length; node++)
        {
            rows[node].rowLength(call.rowBytes());
            scales[node].rowLength(call.scaleBytes());
        }
    }

    boolean hasRoom(final int node)
    {
        return filled[node] - released[node] < geometry.outRing();
    }

    void pack(final int node, final long row, final int token)
    {
        final int entry = (int)(filled[node]++ % geometry.outRing());
        final long slot = geometry.otherRingStart(lane.channel(), node, geometry.world().node()) +
            row % geometry.outRing();
        rowOfEntry[node][entry] = row;
        rows[node].set(entry, call.rowOffset(token), payload.offset(slot));
        if (call.scaleBytes() > 0)
        {
            scales[node].set(entry, call.scaleOffset(token), payload.offset(slot) + call.rowBytes());
        }
    }

    int step()
    {
        int work = 0;
        for (int node = 0; node < rows.length; node++)
        {
            while (submitted[node] < filled[node] && pending[node].hasRoom() && submit(node))
            {
                work++;
            }

            final long copied = pending[node].settle(kernels.completedPosition());
            for (; released[node] < copied; released[node]++)
            {
                lane.half(node).fill(rowOfEntry[node][(int)(released[node] % geometry.outRing())]);
                work++;
            }
        }

        return work;
    }

    private boolean submit(final int node)
    {
        final int from = (int)(submitted[node] % geometry.outRing());
        final int count = (int)Math.min(filled[node] - submitted[node], geometry.outRing() - from);
        final MemoryRegion target = payload.arena().region(Stage.SCALE_UP);
        final long position = kernels.copyRows(call.rows(Stage.SCALE_UP), target, rows[node], from, count);
        if (position < 0)
        {
            return false;
        }

        long last = position;
        if (call.scaleBytes() > 0)
        {
            last = kernels.copyRows(call.scales(Stage.SCALE_UP), target, scales[node], from, count);
            if (last < 0)
            {
                // The rows are copied again with the next try, to the same places with the same bytes.
                return false;
            }
        }

        submitted[node] += count;
        pending[node].add(last, submitted[node]);
        return true;
    }

    boolean isEmpty()
    {
        for (int node = 0; node < rows.length; node++)
        {
            if (released[node] < filled[node])
            {
                return false;
            }
        }

        return true;
    }
}
