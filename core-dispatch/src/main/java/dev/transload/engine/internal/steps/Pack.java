/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepScales;
import dev.transload.spi.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import org.agrona.UnsafeApi;

/** PACK: rows from slots to their places. */
final class Pack implements Primitive
{
    private static final long NOT_SUBMITTED = -1;

    private final Parts parts;
    private final Peers peers;
    private final Call call;
    private final Starts starts;
    private final Await done;
    private final List<Slots> slots = new ArrayList<>();
    private final boolean[] isPacked;

    /** Slots of one region, which many ranks write. */
    private final class Slots
    {
        private final MemoryRegion region;
        private final RowTable table;
        private final RowScatter scatter = new RowScatter(1);
        private long position;

        Slots(final MemoryRegion region)
        {
            this.region = region;
            final int rows = peers.ranks() * call.shape.maxTokens();
            this.table = parts.kernels().allocateTable(
                rows, rows * Math.min(call.shape.maxTopk(), call.shape.localExperts()));
        }

        void begin(final OwnOutput output)
        {
            table.clear();
            for (int source = 0; source < peers.ranks(); source++)
            {
                if (region == peers.ownSlots(source) && peers.isActive(source) &&
                    (StepPlacement.SLOTS == call.placement || peers.isFar(source)))
                {
                    list(source, done.value(source), output);
                }
            }

            final long base = parts.slots().row(call.number, 0, 0);
            final boolean hasScalePlane = call.isFp8 && StepScales.ROWS == parts.arguments().scales();
            scatter.source(region, base, parts.slots().rowStride(), (int)call.rowBytes());
            scatter.target(0, output.rows, output.rowsAt, call.rowBytes());
            scatter.scales(hasScalePlane ? region : null, base + call.hidden, parts.slots().rowStride(),
                hasScalePlane ? call.scaleBytes() : 0);
            scatter.scalesTarget(
                0, hasScalePlane ? output.scales : null, output.scalesAt, call.scaleBytes());
            position = NOT_SUBMITTED;
        }

        private void list(final int source, final int filled, final OwnOutput output)
        {
            final boolean isScaledHere = call.isFp8 && StepScales.ROWS != parts.arguments().scales();
            for (int slot = 0; slot < filled; slot++)
            {
                final long header = peers.header(call.number, source, slot);
                table.beginRow(source * call.shape.maxTokens() + slot);
                for (int i = 0; i < Headers.places(header); i++)
                {
                    final int local = Headers.local(header, i);
                    final int place = local * call.shape.expertRows() + starts.start(source, local) +
                        Headers.slot(header, i);
                    table.add(0, place);
                    UnsafeApi.putInt(output.srcInfo + (long)place * Integer.BYTES, Headers.token(header));
                    if (isScaledHere)
                    {
                        ScaleWords.write(region.address() + parts.slots().row(call.number, source, slot) + call.hidden,
                            output.scales.address() + output.scalesAt, parts.arguments().scales(), call.hidden,
                            call.shape.expertRows(), place);
                    }
                }
            }
        }

        boolean isDone()
        {
            if (position < 0)
            {
                position = parts.kernels().scatterRows(scatter, table, 0, table.rows());
            }

            return position >= 0 && parts.kernels().completedPosition() >= position;
        }
    }

    Pack(final Parts parts, final Starts starts, final Await done)
    {
        this.parts = parts;
        this.peers = parts.peers();
        this.call = parts.call();
        this.starts = starts;
        this.done = done;
        this.isPacked = new boolean[peers.ranks()];
        for (int rank = 0; rank < peers.ranks(); rank++)
        {
            final MemoryRegion region = peers.ownSlots(rank);
            if (null != region && slots.stream().noneMatch((known) -> known.region == region))
            {
                slots.add(new Slots(region));
            }
        }
    }

    @Override
    public void begin(final long nowNs)
    {
        if (StepPlacement.SLOTS == call.placement)
        {
            starts.orderWhatHasCome(nowNs);
        }

        for (int rank = 0; rank < isPacked.length; rank++)
        {
            isPacked[rank] = peers.isActive(rank);
        }

        final OwnOutput output = peers.ownOutput(parts.arguments().output(), call);
        for (int i = 0; i < slots.size(); i++)
        {
            slots.get(i).begin(output);
        }
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        boolean isDone = true;
        for (int i = 0; i < slots.size(); i++)
        {
            isDone &= slots.get(i).isDone();
        }

        return isDone;
    }

    /** Whether a rank's rows were there. */
    boolean hasPacked(final int rank)
    {
        return isPacked[rank];
    }
}
