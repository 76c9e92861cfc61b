/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.internal.plan.Plan;
import dev.transload.engine.internal.plan.ReceiveLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Rows that came by one plan, in the order of another one that was routed from the same selections without some ranks:
 * those of lost sources are left out. Through host memory, since it is done once for a combine that a loss falls upon.
 */
final class RowMoves
{
    private static final int BUFFER_BYTES = 4 << 20;

    private final NormalEngine engine;
    private final MaskedCall<?> call;
    private final Plan from;
    private final Plan to;

    /**
     * For a call.
     *
     * @param call which keeps the moved rows until it ends.
     * @param from plan by which rows came.
     * @param to   plan of the engine.
     */
    RowMoves(final NormalEngine engine, final MaskedCall<?> call, final Plan from, final Plan to)
    {
        this.engine = engine;
        this.call = call;
        this.from = from;
        this.to = to;
    }

    /** Copy of the rows that are left, in memory of the same kind; padding is zero. */
    Tensor move(final Tensor rows)
    {
        final long bytes = Math.max(1, to.rows() * rows.rowBytes());
        final TensorMemory memory = rows.memory().kind().isHost() ?
            engine.allocateHost(bytes) : engine.allocatePayload(bytes);
        call.add(memory);
        final Tensor moved = new Tensor(memory, 0, rows.type(), to.rows(), rows.columns());
        final ByteBuffer buffer = ByteBuffer.allocateDirect((int)Math.max(rows.rowBytes(), BUFFER_BYTES))
            .order(ByteOrder.nativeOrder());
        final ReceiveLayout old = from.receiveLayout();
        final ReceiveLayout now = to.receiveLayout();
        for (int rank = 0; rank < engine.world().size(); rank++)
        {
            if (!to.isExpanded())
            {
                copy(rows, old.rankStart(rank), moved, now.rankStart(rank), now.rankPrefix(rank) - now.rankStart(rank),
                    buffer);
            }

            for (int expert = 0; to.isExpanded() && expert < now.localExperts(); expert++)
            {
                copy(rows, old.expertStart(expert, rank), moved, now.expertStart(expert, rank),
                    now.expertRows(expert, rank), buffer);
            }
        }

        return moved;
    }

    private static void copy(
        final Tensor source, final int first, final Tensor target, final int place, final int count,
        final ByteBuffer buffer)
    {
        final int most = (int)(buffer.capacity() / source.rowBytes());
        for (int done = 0; done < count; done += most)
        {
            buffer.clear().limit((int)(Math.min(most, count - done) * source.rowBytes()));
            source.copyToHost(first + done, buffer);
            target.copyFromHost(place + done, buffer.flip());
        }
    }
}
