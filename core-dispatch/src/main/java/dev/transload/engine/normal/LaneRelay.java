/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Section;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.plan.SendLayout;
import dev.transload.engine.ring.MetaTransfer;
import dev.transload.engine.wire.EncodedWord;
import dev.transload.engine.wire.LaneMeta;
import dev.transload.engine.world.Geometry;
import dev.transload.spi.SignalRegion;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Takes a channel's lane metas from the source nodes and hands each forwarder's part of them on to its local rank; the
 * own node's meta comes from the own routes.
 */
final class LaneRelay
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final SignalRegion signals;
    private final int channel;
    private final int local;

    LaneRelay(
        final Geometry geometry, final ArenaMap map, final SignalRegion signals, final int channel, final int local)
    {
        this.geometry = geometry;
        this.map = map;
        this.signals = signals;
        this.channel = channel;
        this.local = local;
    }

    boolean isAnnounced(final int node, final long dispatches)
    {
        return node == geometry.world().node() ||
            signals.getAcquire(SignalMap.laneOut(geometry, channel, node)) >= dispatches;
    }

    /** Begins to hand on a meta, with the path of its rows; returns the channel's rows from that node to this one. */
    int announce(
        final DispatchCall call, final int node, final int set, final int path, final MetaTransfer transfer)
    {
        final int localExperts = call.routes().home().experts() / geometry.world().size();
        final long entry = geometry.laneUp(set, channel, local, node);
        final int at = map.laneUpOut.index(entry);
        final int rows = node == geometry.world().node() ?
            writeOwn(call.routes().home(), at, localExperts) : copy(call, node, set, at);
        final UnsafeBuffer out = map.laneUpOut.buffer();
        EncodedWord.put(out, at + LaneMeta.UP_PATH, path);
        EncodedWord.put(out, at + LaneMeta.UP_ENTRIES, LaneMeta.PATH_REPLAY == path ? 0 : LaneMeta.PATH_LIST == path ?
            rows : EncodedWord.get(out, at + LaneMeta.UP_END) - EncodedWord.get(out, at + LaneMeta.UP_START));
        transfer.begin(entry, geometry.laneUp(set, channel, geometry.world().local(), node),
            LaneMeta.upBytes(localExperts));
        return rows;
    }

    private int copy(final DispatchCall call, final int node, final int set, final int at)
    {
        final Section in = map.laneOutIn;
        final int from = in.index(geometry.laneOut(set, channel, node));
        requireEqualExperts(call, node, EncodedWord.get(in.buffer(), from + LaneMeta.experts(geometry)));
        final int localExperts = call.routes().home().experts() / geometry.world().size();
        copyWord(from + LaneMeta.rankStart(local), at + LaneMeta.UP_START);
        copyWord(from + LaneMeta.rankEnd(geometry, local), at + LaneMeta.UP_END);
        for (int expert = 0; expert < localExperts; expert++)
        {
            copyWord(from + LaneMeta.expertStart(geometry, local * localExperts + expert),
                at + LaneMeta.expertStartUp(expert));
        }

        return EncodedWord.get(in.buffer(), from + LaneMeta.nodeEnd(geometry)) -
            EncodedWord.get(in.buffer(), from + LaneMeta.nodeStart(geometry));
    }

    /** The lane meta may come before the notify message that is compared in full. */
    private void requireEqualExperts(final DispatchCall call, final int node, final int theirs)
    {
        final int own = call.routes().home().experts();
        if (own != theirs)
        {
            throw call.mismatch(geometry.world().rank(), geometry.world().rankAt(node, geometry.world().local()),
                "E is " + own + " here and " + theirs + " there");
        }
    }

    private void copyWord(final int from, final int to)
    {
        EncodedWord.put(map.laneUpOut.buffer(), to, EncodedWord.get(map.laneOutIn.buffer(), from));
    }

    private int writeOwn(final SendLayout home, final int at, final int localExperts)
    {
        final Section out = map.laneUpOut;
        final int node = geometry.world().node();
        final int rank = geometry.world().rankAt(node, local);
        EncodedWord.put(out.buffer(), at + LaneMeta.UP_START, home.rankStart(channel, rank));
        EncodedWord.put(out.buffer(), at + LaneMeta.UP_END, home.rankStart(channel + 1, rank));
        for (int expert = 0; expert < localExperts; expert++)
        {
            EncodedWord.put(out.buffer(), at + LaneMeta.expertStartUp(expert),
                home.expertStart(channel, rank * localExperts + expert));
        }

        return home.rowsToNode(channel, node);
    }
}
