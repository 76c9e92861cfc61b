/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.steps;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepScales;
import dev.transload.spi.MemoryRegion;
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
    private final RowTable table;
    private final RowScatter scatter = new RowScatter(1);
    private long position;

    Pack(final Parts parts, final Starts starts, final Await done)
    {
        this.parts = parts;
        this.peers = parts.peers();
        this.call = parts.call();
        this.starts = starts;
        this.done = done;
        final int slots = peers.ranks() * call.shape.maxTokens();
        this.table = parts.kernels().allocateTable(
            slots, slots * Math.min(call.shape.maxTopk(), call.shape.localExperts()));
    }

    @Override
    public void begin(final long nowNs)
    {
        if (StepPlacement.SLOTS == call.placement)
        {
            starts.orderWhatHasCome(nowNs);
        }

        final StepOutput output = peers.output(peers.ownRank, parts.arguments().output());
        table.clear();
        for (int source = 0; source < peers.ranks(); source++)
        {
            if (peers.isActive(source) && StepPlacement.SLOTS == call.placement)
            {
                list(source, done.value(source), output);
            }
        }

        final MemoryRegion slots = peers.peer(peers.ownRank).slots();
        final long base = parts.slots().row(call.number, 0, 0);
        final boolean hasScalePlane = call.isFp8 && StepScales.ROWS == parts.arguments().scales();
        scatter.source(slots, base, parts.slots().rowStride(), (int)call.rowBytes());
        scatter.target(0, output.rows(), 0, call.rowBytes());
        scatter.scales(hasScalePlane ? slots : null, base + call.hidden, parts.slots().rowStride(),
            hasScalePlane ? call.scaleBytes() : 0);
        scatter.scalesTarget(0, hasScalePlane ? output.rows() : null,
            StepOutput.scalesOffset(call.places(), call.hidden), call.scaleBytes());
        position = NOT_SUBMITTED;
    }

    private void list(final int source, final int slots, final StepOutput output)
    {
        final boolean isScaledHere = call.isFp8 && StepScales.ROWS != parts.arguments().scales();
        for (int slot = 0; slot < slots; slot++)
        {
            final long header = peers.address(peers.ownRank, parts.slots().header(call.number, source, slot));
            table.beginRow(source * call.shape.maxTokens() + slot);
            for (int i = 0; i < Headers.places(header); i++)
            {
                final int local = Headers.local(header, i);
                final int place = local * call.shape.expertRows() + starts.start(source, local) +
                    Headers.slot(header, i);
                table.add(0, place);
                UnsafeApi.putInt(output.info().address() + (long)place * Integer.BYTES, Headers.token(header));
                if (isScaledHere)
                {
                    ScaleWords.write(peers.peer(peers.ownRank).slots().address() +
                        parts.slots().row(call.number, source, slot) + call.hidden,
                        output.rows().address() + StepOutput.scalesOffset(call.places(), call.hidden),
                        parts.arguments().scales(), call.hidden, call.shape.expertRows(), place);
                }
            }
        }
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        if (position < 0)
        {
            position = parts.kernels().scatterRows(scatter, table, 0, table.rows());
        }

        return position >= 0 && parts.kernels().completedPosition() >= position;
    }
}
