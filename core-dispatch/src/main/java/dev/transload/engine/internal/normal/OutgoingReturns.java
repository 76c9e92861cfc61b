/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.plan.ChannelPlaces;
import dev.transload.engine.internal.plan.ReceiveLayout;
import dev.transload.engine.internal.ring.RingWriter;
import dev.transload.engine.internal.ring.RowPuts;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;

/**
 * A rank's expert rows of a stream on their way back to its relay. Rows that the relay reads in place stay where they
 * are: nothing is done but to wait until it has. Else rank-major rows go into a ring there, straight from the caller's
 * tensor, and expert-major ones after those of a token are summed, since only this rank knows which they are.
 */
public final class OutgoingReturns implements PartsRole.Part<CombineCall>
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ThreadResources thread;
    private final Connection connection;
    private final int channel;
    private final int source;
    private final int signal;
    private final long ringHere;
    private final long ringThere;
    private final RingWriter writer;
    private final int chunk;
    private final Reduction reduction = new Reduction();
    private final RowTable sums;
    private final ChannelPlaces places;
    private RowPuts puts;
    private CombineCall call;
    private boolean isExposed;
    private boolean areSumsSubmitted;
    private int firstRow;
    private int rows;
    private int sent;
    private int collected;
    private long sumsPosition;

    /**
     * Of a stream.
     *
     * @param stream index among those that the relay has in the channel.
     * @param signal of the relay that counts the rows.
     */
    public OutgoingReturns(
        final Geometry geometry, final ArenaMap map, final ThreadResources thread, final Connection connection,
        final int channel, final int relay, final int stream, final int signal, final RingWriter writer)
    {
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.connection = connection;
        this.channel = channel;
        this.source = geometry.relays().source(channel, relay, stream);
        this.signal = signal;
        this.ringHere = (long)geometry.streamUp(channel, relay, stream) * geometry.subRing();
        this.ringThere = (long)geometry.streamUp(channel, geometry.world().local(), stream) * geometry.subRing();
        this.writer = writer;
        this.chunk = geometry.config().scaleUp().chunk();
        this.places = new ChannelPlaces(geometry);
        this.sums = thread.kernels().allocateTable(chunk, Math.multiplyExact(chunk, geometry.config().maxTopk()));
    }

    @Override
    public void begin(final CombineCall next)
    {
        if (null == puts)
        {
            puts = new RowPuts(connection, geometry.subRing());
        }

        call = next;
        final ReceiveLayout experts = call.plan().receiveLayout();
        firstRow = experts.channelStart(channel, source);
        rows = experts.channelRows(channel, source);
        places.begin(experts, channel, source);
        sent = 0;
        collected = 0;
        areSumsSubmitted = false;
        writer.begin();
        isExposed = call.isExposedTo(connection, map);
        if (isExposed)
        {
            writer.fill(rows);
            sent = rows;
            puts.use(RowPuts.ROWS, null, null, 0);
            puts.use(RowPuts.EXTRAS, null, null, 0);
            if (rows > 0)
            {
                puts.send(signal, 0, rows, (long)rows * (call.rowBytes() + call.weightBytes()));
                puts.advance();
            }

            return;
        }

        final boolean isExpanded = call.plan().isExpanded();
        puts.use(RowPuts.ROWS, isExpanded ? map.rowsUpOut.arena().region(Stage.SCALE_UP) : call.rows(),
            connection.remote(map.rowsUpIn), call.rowBytes());
        puts.use(RowPuts.EXTRAS,
            0 == call.weightBytes() ? null : map.weightsUpOut.arena().region(Stage.SCALE_UP),
            connection.remote(map.weightsUpIn), call.weightBytes());
        reduction.source(0, call.rows(), call.rowOffset(0), call.rowBytes(), ElementType.BF16)
            .target(map.rowsUpOut.arena().region(Stage.SCALE_UP), map.rowsUpOut.offset(ringHere),
            map.rowsUpOut.stride(), ElementType.BF16)
            .hidden(call.hidden());
    }

    @Override
    public int step()
    {
        int work = puts.advance();
        if (sent < rows && 0 == collected && !puts.isActive() &&
            thread.kernels().completedPosition() >= sumsPosition)
        {
            work += collect();
        }

        return collected > 0 ? work + send() : work;
    }

    private int collect()
    {
        final int wanted = Math.min(chunk, rows - sent);
        if (writer.room(wanted) < wanted || puts.room() < wanted)
        {
            return 0;
        }

        final boolean isExpanded = call.plan().isExpanded();
        sums.clear();
        areSumsSubmitted = false;
        for (int i = 0; i < wanted; i++)
        {
            final int slot = writer.slot(sent + i);
            final int row = firstRow + sent + i;
            puts.add(isExpanded ? map.rowsUpOut.offset(ringHere + slot) : call.rowOffset(row),
                map.rowsUpIn.offset(ringThere + slot));
            if (isExpanded)
            {
                places.advance();
                sum(slot);
            }

            if (call.weightBytes() > 0)
            {
                writeWeights(row, map.weightsUpOut.index(ringHere + slot));
                puts.addExtras(map.weightsUpOut.offset(ringHere + slot), map.weightsUpIn.offset(ringThere + slot));
            }
        }

        collected = wanted;
        return wanted;
    }

    private void sum(final int slot)
    {
        sums.beginRow(slot);
        for (int k = 0, topk = call.plan().sendLayout().topk(); k < topk; k++)
        {
            final int place = places.place(k);
            if (place >= 0)
            {
                sums.add(0, place);
            }
        }
    }

    private void writeWeights(final int row, final int at)
    {
        final boolean isExpanded = call.plan().isExpanded();
        for (int k = 0, topk = call.plan().sendLayout().topk(); k < topk; k++)
        {
            final int place = isExpanded ? places.place(k) : row;
            final float weight = place < 0 ? 0f : call.weight(place, isExpanded ? 0 : k);
            map.weightsUpOut.buffer().putFloat(at + k * Float.BYTES, weight);
        }
    }

    private int send()
    {
        if (call.plan().isExpanded())
        {
            final RowKernels kernels = thread.kernels();
            if (!areSumsSubmitted)
            {
                final long position = kernels.reduceRows(reduction, sums, 0, collected);
                if (position < 0)
                {
                    return 0;
                }

                areSumsSubmitted = true;
                sumsPosition = position;
            }

            if (!connection.isAccepted(connection.channel().startAfter(kernels, sumsPosition)))
            {
                return 0;
            }
        }

        sent += collected;
        writer.fill(collected);
        puts.send(signal, writer.tell(), collected);
        collected = 0;
        return 1 + puts.advance();
    }

    @Override
    public boolean isComplete()
    {
        return sent == rows && 0 == collected && puts.isComplete() &&
            thread.kernels().completedPosition() >= sumsPosition && (!isExposed || writer.isGivenBack());
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        if (isExposed && !writer.isGivenBack())
        {
            return wait.set(connection.peer(), channel, WaitCounter.SCALE_UP_HEAD, writer.end(), writer.head());
        }

        final int wanted = Math.min(chunk, rows - sent);
        if (wanted > 0 && 0 == collected && writer.room(wanted) < wanted)
        {
            return wait.set(connection.peer(), channel, WaitCounter.SCALE_UP_HEAD, writer.needed() + wanted - 1,
                writer.head());
        }

        return puts.isWaiting(wait);
    }
}
