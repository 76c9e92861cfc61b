/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.ThreadResources;
import dev.transload.engine.ring.Credit;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;

/** One other home node as a channel's combine forwarder sees it: G streams of rows in, one ring of partial sums out. */
public final class Home
{
    private final Geometry geometry;
    private final ThreadResources thread;
    private final int channel;
    private final int node;
    private final ReturnedRows returned;
    private final PartialSums outgoing;
    private final Credit credit;
    private final Reduction reduction;
    private final RowTable sums;
    private final float[] weights;
    private final int slots;
    private final int upChunk;
    private CombineCall call;
    private int row;
    private int rows;
    private int collected;
    private long tail;
    private long sumsPosition;

    /**
     * Of a channel.
     *
     * @param geometry sizes.
     * @param thread   which drives it.
     * @param channel  lane.
     * @param node     home.
     * @param returned rows of the node's ranks.
     * @param outgoing sums on their way to that node.
     * @param credit   head of its ring.
     */
    public Home(
        final Geometry geometry, final ThreadResources thread, final int channel, final int node,
        final ReturnedRows returned, final PartialSums outgoing, final Credit credit)
    {
        this.geometry = geometry;
        this.thread = thread;
        this.channel = channel;
        this.node = node;
        this.returned = returned;
        this.outgoing = outgoing;
        this.credit = credit;
        this.slots = geometry.outRing();
        this.upChunk = geometry.config().scaleUp().chunk();
        this.reduction = new Reduction(geometry.locals());
        this.sums = thread.kernels().allocateTable(upChunk, upChunk * geometry.locals());
        this.weights = new float[geometry.config().maxTopk()];
    }

    void begin(final CombineCall next)
    {
        call = next;
        returned.begin(call);
        outgoing.begin(call);
        row = 0;
        rows = returned.tokens();
        collected = 0;
        outgoing.writtenBy(reduction.hidden(call.hidden()));
    }

    int step()
    {
        int work = returned.settle(thread.kernels().completedPosition());
        if (0 == collected && returned.areKnown(reduction) && row < rows && returned.hasRoom() &&
            thread.kernels().completedPosition() >= sumsPosition)
        {
            work += collect();
        }

        if (collected > 0)
        {
            work += submit();
        }

        return work + outgoing.step(tail, sumsPosition, row == rows);
    }

    private int collect()
    {
        returned.refresh();
        final long needed = tail + Math.min(upChunk, rows - row) - slots;
        long room = Math.min(upChunk, slots - (tail - credit.head(needed)));
        while (room > 0 && !outgoing.isReleased(tail + room - 1))
        {
            room--;
        }

        sums.clear();
        int count = 0;
        while (count < room && row + count < rows && returned.isReady(row + count))
        {
            sum(row + count, tail + count);
            count++;
        }

        collected = count;
        return count;
    }

    private void sum(final int index, final long target)
    {
        for (int k = 0; k < weights.length; k++)
        {
            weights[k] = 0f;
        }

        sums.beginRow(outgoing.sumRow(target));
        returned.take(index, sums, weights);
        outgoing.weights(target, weights);
    }

    private int submit()
    {
        final long position = thread.kernels().reduceRows(reduction, sums, 0, collected);
        if (position < 0)
        {
            return 0;
        }

        sumsPosition = position;
        returned.submitted(position);
        tail += collected;
        row += collected;
        collected = 0;
        return 1;
    }

    boolean isComplete()
    {
        return row == rows && 0 == collected && thread.kernels().completedPosition() >= sumsPosition &&
            returned.areReturned() && outgoing.isComplete(tail);
    }

    boolean awaits(final Wait wait)
    {
        final boolean isLeft = row < rows && 0 == collected;
        return isLeft && (returned.awaits(wait, row) || awaitsCredit(wait)) || outgoing.awaits(wait);
    }

    private boolean awaitsCredit(final Wait wait)
    {
        final long needed = tail + 1 - slots;
        return needed > credit.head(0) && wait.set(geometry.world().rankAt(node, geometry.world().local()), channel,
            WaitCounter.SCALE_OUT_HEAD, needed, credit.head(0));
    }
}
