/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.plan.ReceiveLayout;
import dev.transload.engine.wire.EncodedWord;
import dev.transload.engine.wire.LaneMeta;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.world.Geometry;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where the rows of a channel from one forwarder belong: rank prefix + channel prefix + position, so that the output is
 * ordered by source rank and token whatever the timing. Writes their metadata to the output, as the ring brings it or,
 * of rows that are replayed, as it was kept. Listed rows come past the ring, with entries there for them, for all rows
 * of their source, or none.
 */
final class Delivery
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final int channel;
    private final int forwarder;
    private final RowMeta layout;
    private final long ring;
    private final boolean[] isKnown;
    private final int[] missing;
    private final int[] delivered;
    private int[][] cursors = new int[0][];
    private DispatchCall call;
    private int localExperts;
    private int firstExpert;
    private int topk;
    private boolean isExpanded;
    private boolean isListed;

    Delivery(final Geometry geometry, final ArenaMap map, final int channel, final int forwarder)
    {
        this.geometry = geometry;
        this.map = map;
        this.channel = channel;
        this.forwarder = forwarder;
        this.layout = new RowMeta(geometry.maskWords(), geometry.config().maxTopk());
        this.ring = geometry.upRingStart(channel, forwarder);
        this.isKnown = new boolean[geometry.nodes()];
        this.missing = new int[geometry.nodes()];
        this.delivered = new int[geometry.nodes()];
    }

    void begin(final DispatchCall next)
    {
        call = next;
        localExperts = call.routes().home().experts() / geometry.world().size();
        firstExpert = geometry.world().rank() * localExperts;
        topk = call.routes().home().topk();
        isExpanded = call.routes().isExpanded();
        isListed = false;
        Arrays.fill(isKnown, false);
        Arrays.fill(missing, 0);
        Arrays.fill(delivered, 0);
        if (cursors.length < geometry.nodes() || cursors[0].length < localExperts)
        {
            cursors = new int[geometry.nodes()][localExperts];
        }
    }

    boolean isKnown(final int node)
    {
        return isKnown[node];
    }

    /** Whether the rows come past the ring, see {@link #listedRows}. */
    boolean isListed()
    {
        return isListed;
    }

    /** Read a source node's lane meta; the output stands. */
    void enter(final int node, final int set)
    {
        final UnsafeBuffer metas = map.laneUpIn.buffer();
        final int at = map.laneUpIn.index(geometry.laneUp(set, channel, forwarder, node));
        final int rank = geometry.world().rankAt(node, forwarder);
        final ReceiveLayout experts = call.routes().experts();
        experts.lane(channel, rank, EncodedWord.get(metas, at + LaneMeta.UP_START),
            EncodedWord.get(metas, at + LaneMeta.UP_END));
        final int path = EncodedWord.get(metas, at + LaneMeta.UP_PATH);
        isListed = LaneMeta.PATH_RING != path;
        if (LaneMeta.PATH_REPLAY == path)
        {
            call.metadata().restore(call.routes().delivered(), channel, rank);
        }
        else if (isExpanded)
        {
            for (int expert = 0; expert < localExperts; expert++)
            {
                open(node, expert, experts.expertStart(expert, rank) +
                    EncodedWord.get(metas, at + LaneMeta.expertStartUp(expert)));
            }
        }
        else
        {
            open(node, 0, experts.laneStart(channel, rank));
        }

        missing[node] = EncodedWord.get(metas, at + LaneMeta.UP_ENTRIES);
        EncodedWord.clear(metas, at, LaneMeta.upBytes(localExperts));
        isKnown[node] = true;
    }

    /** A range of the output is to be filled: by all rows of the lane, or expert-major by those for an expert. */
    private void open(final int node, final int range, final int row)
    {
        cursors[node][range] = row;
        if (call.isKept())
        {
            call.routes().delivered().first(channel, geometry.world().rankAt(node, forwarder), range, row);
        }
    }

    /** All entries of a source node have come. */
    private void conclude(final int node)
    {
        final int rank = geometry.world().rankAt(node, forwarder);
        if (!isListed)
        {
            call.arrived(channel, rank);
        }

        if (call.isKept())
        {
            for (int range = 0, end = isExpanded ? localExperts : 1; range < end; range++)
            {
                call.metadata().keep(call.routes().delivered(), channel, rank, range, cursors[node][range]);
            }
        }
    }

    /**
     * Rows past the ring that this lane is to see come: its own, those of all lanes, or none where another lane sees
     * them, see {@link Geometry#lister}.
     */
    int listedRows()
    {
        final int rank = geometry.world().rankAt(geometry.world().node(), forwarder);
        final ReceiveLayout experts = call.routes().experts();
        return geometry.listsAll(channel, forwarder, geometry.world().local()) ?
            experts.rankPrefix(rank) - experts.rankStart(rank) :
            geometry.isListedByOne() ? 0 : experts.laneRows(channel, rank);
    }

    /** Rows that come past the ring have come. */
    void concludeListed()
    {
        call.arrived(channel, geometry.world().rankAt(geometry.world().node(), forwarder));
    }

    /** Deliver a piece of the ring, of at most so many entries; returns how many, 0 where no lane meta is seen yet. */
    int deliver(final Batch batch, final int slot, final int most)
    {
        if (isListed && !isExpanded)
        {
            return deliverEntries(slot, Math.min(most, missing[geometry.world().node()]));
        }

        int count = 0;
        while (count < most && deliver(batch, slot + count))
        {
            count++;
        }

        return count;
    }

    private int deliverEntries(final int slot, final int count)
    {
        final int node = geometry.world().node();
        cursors[node][0] = call.metadata().entries(cursors[node][0], layout, map.rowMetaUpIn.buffer(),
            map.rowMetaUpIn.index(ring + slot), (int)map.rowMetaUpIn.stride(), count);
        missing[node] -= count;
        if (count > 0 && 0 == missing[node])
        {
            conclude(node);
        }

        return count;
    }

    private boolean deliver(final Batch batch, final int slot)
    {
        final UnsafeBuffer metas = map.rowMetaUpIn.buffer();
        final int at = map.rowMetaUpIn.index(ring + slot);
        final int rank = layout.sourceRank(metas, at);
        final int node = 1 == missing.length ? 0 : rank / geometry.locals();
        if (0 == missing[node])
        {
            return false;
        }

        if (isExpanded)
        {
            deliverExpanded(batch, at, slot, node, rank);
        }
        else
        {
            final int row = cursors[node][0]++;
            place(batch, row, layout.sourceToken(metas, at), map.payloadUpIn.offset(ring + slot));
            call.metadata().selections(row, layout, metas, at);
        }

        if (0 == --missing[node])
        {
            conclude(node);
        }

        return true;
    }

    private void deliverExpanded(final Batch batch, final int at, final int slot, final int node, final int rank)
    {
        final UnsafeBuffer metas = map.rowMetaUpIn.buffer();
        final int row = call.routes().experts().laneStart(channel, rank) + delivered[node];
        boolean isHere = false;
        for (int k = 0; k < topk; k++)
        {
            final int expert = layout.expert(metas, at, k) - firstExpert;
            if (expert >= 0 && expert < localExperts)
            {
                final int place = cursors[node][expert]++;
                place(batch, place, layout.sourceToken(metas, at), map.payloadUpIn.offset(ring + slot));
                call.metadata().selection(place, expert, layout.weight(metas, at, k));
                call.routes().experts().place(row, k, place);
                isHere = true;
            }
        }

        delivered[node] += isHere ? 1 : 0;
    }

    private void place(final Batch batch, final int row, final int token, final long from)
    {
        call.metadata().source(row, token);
        if (call.isExposed())
        {
            return;
        }

        batch.add(from, call.outputOffset(row));
        if (call.scaleBytes() > 0)
        {
            batch.addScales(from + call.rowBytes(), call.outputScaleOffset(row));
        }
    }

    boolean isComplete()
    {
        for (final boolean isOne : isKnown)
        {
            if (!isOne)
            {
                return false;
            }
        }

        return 0 == missing();
    }

    /** Entries that were announced and have not come. */
    int missing()
    {
        int rows = 0;
        for (final int one : missing)
        {
            rows += one;
        }

        return rows;
    }
}
