/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.ring.PendingHeads;
import dev.transload.engine.internal.ring.RingPuts;
import dev.transload.engine.internal.ring.RingWriter;
import dev.transload.engine.internal.ring.Staging;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.wire.Weights;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;
import java.util.Arrays;

/**
 * The partial sums of a stream on their way from its relay home: row kernels sum what the ranks of the node return,
 * into the ring at home where that is mapped, else into a send buffer, from which they are put by chunks; staged ones
 * are copied to host memory before.
 */
public final class OutgoingSums implements PartsRole.Part<CombineCall>
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ThreadResources thread;
    private final NodeReturns returns;
    private final Connection connection;
    private final int channel;
    private final int signal;
    private final long ringHere;
    private final long ringThere;
    private final RingWriter writer;
    private final Staging staging;
    private final int chunk;
    private final int upChunk;
    private final Reduction reduction;
    private final RowTable scratch;
    private final float[] weights;
    private final RingPuts puts;
    private final PendingHeads made = new PendingHeads();
    private MemoryRegion window;
    private CombineCall call;
    private int rows;
    private int collected;
    private int summed;
    private int sent;
    private long sumsPosition;

    /**
     * Of a stream.
     *
     * @param returns rows of the node's ranks.
     * @param stream  index among those that this rank relays in the channel.
     * @param signal  of the home that counts the sums.
     * @param staging of the send buffer, null where nothing is staged.
     */
    public OutgoingSums(
        final Geometry geometry, final ArenaMap map, final ThreadResources thread, final NodeReturns returns,
        final Connection connection, final int channel, final int stream, final int signal, final RingWriter writer,
        final Staging staging)
    {
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.returns = returns;
        this.connection = connection;
        this.channel = channel;
        this.signal = signal;
        this.ringHere = (long)geometry.stream(channel, stream) * geometry.outRing();
        this.ringThere = ((long)channel * geometry.nodes() + geometry.world().node()) * geometry.outRing();
        this.writer = writer;
        this.staging = staging;
        this.puts = new RingPuts(connection, geometry.outRing(), false);
        this.chunk = geometry.config().scaleOut().chunk();
        this.upChunk = geometry.config().scaleUp().chunk();
        this.reduction = new Reduction(geometry.locals());
        this.scratch = thread.kernels().allocateTable(upChunk, Math.multiplyExact(upChunk, geometry.locals()));
        this.weights = new float[geometry.config().maxTopk()];
    }

    @Override
    public void begin(final CombineCall next)
    {
        call = next;
        window = null == staging ? connection.remote(map.wirePartialsIn).window() : null;
        returns.begin(call);
        rows = returns.table().rows();
        collected = 0;
        summed = 0;
        sent = 0;
        made.reset();
        writer.begin();
        puts.begin();
        final long sumBytes = call.sumBytes(geometry);
        puts.use(RingPuts.ROWS, null == window ? map.wirePartialsOut.arena().region(Stage.SCALE_OUT) : null,
            map.wirePartialsOut.offset(ringHere), connection.remote(map.wirePartialsIn),
            map.wirePartialsIn.offset(ringThere), sumBytes, sumBytes);
        puts.use(RingPuts.EXTRAS, 0 == call.weightBytes() ? null :
            map.partialWeightsOut.arena().region(Stage.SCALE_OUT), map.partialWeightsOut.offset(ringHere),
            connection.remote(map.partialWeightsIn), map.partialWeightsIn.offset(ringThere), geometry.weightStride(),
            call.weightBytes());
        if (null == window)
        {
            reduction.target(map.partialsOut.arena().region(Stage.SCALE_UP), map.partialsOut.offset(ringHere),
                sumBytes, geometry.partialType());
        }
        else
        {
            reduction.target(window, map.partialsIn.offset(ringThere), sumBytes, geometry.partialType());
        }

        reduction.hidden(call.hidden());
        if (null != staging)
        {
            staging.begin(sumBytes);
        }
    }

    @Override
    public int step()
    {
        final RowKernels kernels = thread.kernels();
        int work = returns.settle(kernels.completedPosition()) + puts.advance();
        if (returns.areKnown(reduction))
        {
            if (0 == rows)
            {
                returns.finish();
            }

            if (0 == collected && summed < rows && returns.hasRoom() && made.hasRoom() && isFree(kernels))
            {
                work += collect();
            }

            work += collected > 0 ? submit(kernels) : 0;
        }

        if (null != staging)
        {
            work += staging.advance() + stage(kernels);
        }

        return work + send(kernels);
    }

    /** The scratch table is written again only when the kernels are done with it. */
    private boolean isFree(final RowKernels kernels)
    {
        return returns.areInPlace() || kernels.completedPosition() >= sumsPosition;
    }

    private int collect()
    {
        returns.refresh();
        int room = writer.room(Math.min(Math.min(upChunk, rows - summed), returns.table().end(summed) - summed));
        // What was last sent from a slot, weights at least, is to be released before the slot is written again.
        room = Math.min(room, geometry.outRing() - (summed - puts.released()));
        if (null != staging)
        {
            room = Math.min(room, geometry.outRing() - (summed - staging.released()));
        }

        final boolean isWritten = returns.areInPlace();
        if (!isWritten)
        {
            scratch.clear();
        }

        while (collected < room && returns.isReady(summed + collected))
        {
            final int row = summed + collected;
            if (!isWritten)
            {
                scratch.beginRow(writer.slot(row));
                returns.take(row, scratch);
            }

            collected++;
        }

        return collected;
    }

    /** The kernels sum meanwhile, if they are a device's. */
    private void weigh(final int end)
    {
        for (int row = summed; row < end; row++)
        {
            Arrays.fill(weights, 0f);
            returns.weigh(row, weights);
            Weights.write(map.partialWeightsOut.buffer(), map.partialWeightsOut.index(ringHere + writer.slot(row)),
                call.weightBytes() / Float.BYTES, weights);
        }
    }

    private int submit(final RowKernels kernels)
    {
        final long position = returns.areInPlace() ?
            kernels.reduceRows(reduction, returns.table().table(summed), returns.table().index(summed), collected) :
            kernels.reduceRows(reduction, scratch, 0, collected);
        if (position < 0)
        {
            return 0;
        }

        sumsPosition = position;
        if (call.weightBytes() > 0)
        {
            weigh(summed + collected);
        }

        summed += collected;
        collected = 0;
        made.add(position, summed);
        writer.fill(summed - writer.filled());
        returns.submitted(position, summed, returns.areInPlace(), summed == rows);
        return 1;
    }

    private int stage(final RowKernels kernels)
    {
        final int staged = staging.begun();
        final int count = Math.min(summed - staged, chunk);
        final boolean isDue = count == chunk || count > 0 && summed == rows;
        return isDue && staged + count - puts.released() <= geometry.outRing() && staging.isFree() &&
            staging.startsAfter(kernels, sumsPosition) ? staging.copy(count) : 0;
    }

    private int send(final RowKernels kernels)
    {
        final int count = Math.min(ready(kernels) - sent, chunk);
        // Sums at home are told of as they are made; chunks are staged as they are to be sent.
        final boolean isDue = count > 0 && (count == chunk || sent + count == rows || isThere());
        if (!isDue || !puts.isFree() || !isThere() && !puts.startsAfter(kernels, sumsPosition))
        {
            return 0;
        }

        sent += count;
        return 1 + puts.send(
            count, signal, writer.tell(sent), null == window ? 0 : count * call.sumBytes(geometry));
    }

    /** Whether sums that are ready are also made: they can be told of, or put, without the device. */
    private boolean isThere()
    {
        return null != staging || null != window;
    }

    /** Sums that can be told of now. */
    private int ready(final RowKernels kernels)
    {
        final int done = (int)made.settle(kernels.completedPosition());
        return null != staging ? staging.arrived() : null != window ? done : summed;
    }

    @Override
    public boolean isComplete()
    {
        return sent == rows && puts.isComplete() && thread.kernels().completedPosition() >= sumsPosition &&
            returns.areReturned() && (null == staging || staging.isComplete());
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        if (summed < rows && 0 == collected)
        {
            if (returns.isWaiting(wait, summed))
            {
                return true;
            }

            if (writer.room(1) < 1)
            {
                return wait.set(
                    connection.peer(), channel, WaitCounter.SCALE_OUT_HEAD, writer.needed(), writer.head());
            }
        }

        return puts.isWaiting(wait) || null != staging && staging.isWaiting(wait);
    }
}
