/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.plan.SendTable;
import dev.transload.engine.internal.ring.RingPuts;
import dev.transload.engine.internal.ring.Staging;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.RowScatter;
import dev.transload.spi.RemoteRegion;

/**
 * A stream's rows on their way through host memory: row kernels gather a chunk into a send buffer on the device, one
 * copy takes it to host memory, and from there one put takes it to the relay, while the chunks behind it are copied.
 */
public final class StagedRows
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ThreadResources thread;
    private final Staging staging;
    private final RingPuts puts;
    private final long ring;
    private final int chunk;
    private final RowScatter gather = new RowScatter(1);
    private SendTable table;
    private int rows;
    private int gathered;
    private long position;

    /**
     * Of a channel to a node.
     *
     * @param staging from the send buffer to host memory.
     */
    public StagedRows(
        final Geometry geometry, final ArenaMap map, final ThreadResources thread, final Staging staging,
        final Connection connection, final int channel, final int node)
    {
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.staging = staging;
        this.puts = new RingPuts(connection, geometry.outRing(), false);
        this.ring = ((long)channel * geometry.nodes() + node) * geometry.outRing();
        this.chunk = geometry.config().scaleOut().chunk();
    }

    void begin(
        final DispatchCall call, final SendTable sends, final int count, final RemoteRegion target,
        final long targetStart)
    {
        table = sends;
        table.open(count, Call.Kind.DISPATCH == call.kind(), thread.kernels());
        rows = count;
        gathered = 0;
        staging.begin(call.slotBytes());
        puts.begin();
        puts.use(RingPuts.ROWS, map.payloadOut.arena().region(Stage.SCALE_OUT), map.payloadOut.offset(ring), target,
            targetStart, call.slotBytes(), call.rowBytes() + (long)call.scaleBytes());
        gather.source(call.rows(Stage.SCALE_UP), call.rowOffset(0), call.rowBytes(), call.rowBytes());
        gather.target(0, map.payloadPacked.arena().region(Stage.SCALE_UP), map.payloadPacked.offset(ring),
            call.slotBytes());
        final boolean isScaled = call.scaleBytes() > 0;
        gather.scales(isScaled ? call.scales(Stage.SCALE_UP) : null, isScaled ? call.scaleOffset(0) : 0,
            call.scaleBytes(), call.scaleBytes());
        gather.scalesTarget(0, isScaled ? map.payloadPacked.arena().region(Stage.SCALE_UP) : null,
            map.payloadPacked.offset(ring) + call.rowBytes(), call.slotBytes());
    }

    /** Gather and copy on, of the rows that are in the send table. */
    int advance(final int listed)
    {
        int work = puts.advance() + staging.advance();
        final int count = Math.min(listed - gathered, chunk);
        final boolean isDue = count == chunk || count > 0 && gathered + count == rows;
        final int slots = geometry.outRing();
        if (isDue && gathered == staging.begun() && gathered + count - staging.released() <= slots)
        {
            work += gather(count);
        }

        final int waiting = gathered - staging.begun();
        if (waiting > 0 && staging.isFree() && gathered - puts.released() <= slots &&
            staging.startsAfter(thread.kernels(), position))
        {
            work += staging.copy(waiting);
        }

        return work;
    }

    private int gather(final int wanted)
    {
        final int count =
            table.fill(gathered, wanted, geometry.outRing(), thread.kernels().completedPosition());
        final long submitted = 0 == count ? -1 :
            thread.kernels().scatterRows(gather, table.table(gathered), table.index(gathered), count);
        if (submitted < 0)
        {
            return 0;
        }

        position = submitted;
        gathered += count;
        table.read(gathered, position);
        return 1;
    }

    /** Rows that can be sent. */
    int ready()
    {
        return staging.arrived();
    }

    boolean isFree()
    {
        return puts.isFree();
    }

    int send(final int count, final int signal, final long delta)
    {
        return 1 + puts.send(count, signal, delta, 0);
    }

    boolean isComplete()
    {
        return puts.isComplete() && staging.isComplete();
    }

    boolean isWaiting(final Wait wait)
    {
        return puts.isWaiting(wait) || staging.isWaiting(wait);
    }
}
