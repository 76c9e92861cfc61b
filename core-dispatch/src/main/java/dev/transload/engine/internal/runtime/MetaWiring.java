/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.normal.ClearToSendRole;
import dev.transload.engine.internal.normal.Confirmation;
import dev.transload.engine.internal.normal.Notify;
import dev.transload.engine.internal.ring.MetaTransfer;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.SignalRegion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/** Makes, on the first thread, the conductor and the roles that every call needs once: counts and clear to send. */
public final class MetaWiring
{
    private static final int NO_CHANNEL = -1;

    private MetaWiring()
    {
    }

    /**
     * Make them.
     *
     * @param threads    of the engine; all other roles are assigned to them.
     * @param outSignals own signals of the scale-out stage, null in a world of one node.
     * @param upSignals  own signals of the scale-up stage.
     * @param oldestOpen tells the oldest memory of this rank that is still open.
     * @param exchange   of failures between ranks.
     * @param isConfirmed whether calls end only when all ranks are done with them.
     */
    public static Conductor wire(
        final Board board, final Geometry geometry, final ArenaMap map, final List<ProgressThread> threads,
        final SignalRegion outSignals, final SignalRegion upSignals, final LongSupplier oldestOpen,
        final FailureExchange exchange, final CallStatistics book, final boolean isConfirmed)
    {
        final ProgressThread first = threads.get(0);
        final List<Connection> connections = new ArrayList<>();
        final int ownNode = geometry.world().node();
        final int ownLocal = geometry.world().local();
        final MetaTransfer[] outTransfers = new MetaTransfer[geometry.nodes()];
        for (int node = 0; node < outTransfers.length; node++)
        {
            if (node != ownNode && geometry.world().hasRanks(node))
            {
                final Connection connection = first.connection(
                    Stage.SCALE_OUT, NO_CHANNEL, geometry.relays().relay(geometry.world().rank(), node, 0),
                    Connection.Use.GENERAL);
                connections.add(connection);
                outTransfers[node] = new MetaTransfer(
                    connection, map.notifyOutOut, map.notifyOutIn, SignalMap.notifyOut(geometry.world().rank()));
            }
        }

        final MetaTransfer[] upTransfers = new MetaTransfer[geometry.locals()];
        for (int local = 0; local < upTransfers.length; local++)
        {
            if (local != ownLocal && !geometry.isAbsent(local))
            {
                final Connection connection = first.connection(
                    Stage.SCALE_UP, NO_CHANNEL, geometry.world().rankAt(ownNode, local), Connection.Use.GENERAL);
                connections.add(connection);
                upTransfers[local] = new MetaTransfer(
                    connection, map.notifyUpOut, map.notifyUpIn, SignalMap.notifyUp(ownLocal));
            }
        }

        final MetaTransfer[] clears = new MetaTransfer[geometry.locals()];
        for (int local = 0; local < clears.length; local++)
        {
            clears[local] = geometry.isAbsent(local) ? null : new MetaTransfer(
                first.connection(
                    Stage.SCALE_UP, NO_CHANNEL, geometry.world().rankAt(ownNode, local), Connection.Use.GENERAL),
                map.clearToSendOut, map.clearToSendIn, SignalMap.clearToSend(geometry, ownLocal));
        }

        first.add(new Notify(geometry, map, first, outSignals, upSignals, outTransfers, upTransfers));
        first.add(new ClearToSendRole(geometry, map, clears, oldestOpen));
        final Confirmation confirmation = !isConfirmed ? null : new Confirmation(geometry, outSignals, upSignals,
            signals(outTransfers, SignalMap.confirmedOut(geometry, geometry.world().rank())),
            signals(upTransfers, SignalMap.confirmedUp(geometry, ownLocal)));
        final Conductor conductor =
            new Conductor(board, geometry, map, threads, exchange, connections, book, confirmation);
        first.conduct(conductor);
        return conductor;
    }

    /** To the same ranks, without messages. */
    private static MetaTransfer[] signals(final MetaTransfer[] transfers, final int signal)
    {
        return Arrays.stream(transfers).map((transfer) -> null == transfer ? null :
            new MetaTransfer(transfer.connection(), null, null, signal)).toArray(MetaTransfer[]::new);
    }
}
