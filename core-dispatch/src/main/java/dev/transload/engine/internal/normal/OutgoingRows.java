/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.plan.SendTable;
import dev.transload.engine.internal.ring.RingWriter;
import dev.transload.engine.internal.ring.RowPuts;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;

/**
 * The rows of a channel's stream to another node, on their way into the ring at the relay, a chunk at a time: straight
 * from the caller's tensor, or where the scale-out transport does not move the payload's kind, by way of host memory.
 */
public final class OutgoingRows implements PartsRole.Part<DispatchCall>
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ChannelState state;
    private final Connection connection;
    private final int node;
    private final int signal;
    private final long ringThere;
    private final RingWriter writer;
    private final StagedRows staged;
    private final int chunk;
    private RowPuts puts;
    private DispatchCall call;
    private SendTable table;
    private int rows;
    private int sent;
    private long listedBefore;
    private long listedAfter;

    /**
     * Of a channel to a node.
     *
     * @param stream index of the stream at the relay.
     * @param signal of the relay that counts the rows.
     * @param staged takes the rows through host memory, null where they need not.
     */
    public OutgoingRows(
        final Geometry geometry, final ArenaMap map, final ChannelState state, final Connection connection,
        final int node, final int stream, final int signal, final RingWriter writer, final StagedRows staged)
    {
        this.geometry = geometry;
        this.map = map;
        this.state = state;
        this.connection = connection;
        this.node = node;
        this.signal = signal;
        this.ringThere = (long)geometry.stream(state.channel(), stream) * geometry.outRing();
        this.writer = writer;
        this.staged = staged;
        this.chunk = geometry.config().scaleOut().chunk();
    }

    @Override
    public void begin(final DispatchCall next)
    {
        call = next;
        table = call.plan().sendTable(state.channel(), node);
        rows = call.plan().sendLayout().rowsToNode(state.channel(), node);
        sent = 0;
        listedBefore = listedAfter;
        listedAfter += Call.Kind.DISPATCH == call.kind() ? rows : 0;
        writer.begin();
        if (null != staged)
        {
            staged.begin(call, table, rows, connection.remote(map.wirePayloadIn), map.wirePayloadIn.offset(ringThere));
            return;
        }

        if (null == puts)
        {
            puts = new RowPuts(connection, geometry.outRing());
        }

        puts.use(RowPuts.ROWS, call.rows(Stage.SCALE_OUT), connection.remote(map.wirePayloadIn), call.rowBytes());
        puts.use(RowPuts.EXTRAS, 0 == call.scaleBytes() ? null : call.scales(Stage.SCALE_OUT),
            connection.remote(map.wirePayloadIn), call.scaleBytes());
    }

    @Override
    public int step()
    {
        final int work = null == staged ? puts.advance() : staged.advance(listed());
        final int ready = (null == staged ? listed() : staged.ready()) - sent;
        final int count = Math.min(ready, chunk);
        // Chunks are staged as they are to be sent: what has arrived is due.
        final boolean isDue = count == chunk || count > 0 && (sent + count == rows || null != staged);
        final boolean isFree = null == staged ? puts.room() >= count : staged.isFree();
        return isDue && isFree && writer.room(count) == count ? work + send(count) : work;
    }

    /** Rows that are in the send table. */
    private int listed()
    {
        return Call.Kind.DISPATCH == call.kind() ?
            (int)(state.listed(node).getAcquire() - listedBefore) : rows;
    }

    private int send(final int count)
    {
        writer.fill(count);
        sent += count;
        if (null != staged)
        {
            return staged.send(count, signal, writer.tell());
        }

        for (int row = sent - count; row < sent; row++)
        {
            final int token = table.token(row);
            final long target = map.wirePayloadIn.offset(ringThere) + writer.slot(row) * call.slotBytes();
            puts.add(call.rowOffset(token), target);
            if (call.scaleBytes() > 0)
            {
                puts.addExtras(call.scaleOffset(token), target + call.rowBytes());
            }
        }

        puts.send(signal, writer.tell(), count);
        return 1 + puts.advance();
    }

    @Override
    public boolean isComplete()
    {
        return sent == rows && (null == staged ? puts.isComplete() : staged.isComplete());
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        final int wanted = Math.min(chunk, rows - sent);
        if (wanted > 0 && writer.room(wanted) < wanted)
        {
            return wait.set(connection.peer(), state.channel(), WaitCounter.SCALE_OUT_HEAD,
                writer.needed() + wanted - 1, writer.head());
        }

        return null == staged ? puts.isWaiting(wait) : staged.isWaiting(wait);
    }
}
