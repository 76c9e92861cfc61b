/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.PeerMemory;
import dev.transload.engine.plan.SendLayout;
import dev.transload.engine.ring.RowSet;
import dev.transload.engine.wire.EncodedWord;
import dev.transload.engine.wire.LaneMeta;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.world.Geometry;
import dev.transload.spi.RowList;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where a channel's rows belong in the output of one local rank, as its receiver would reckon it: first row of the
 * source rank, plus that rank's rows in the channels before, plus position; expert-major likewise for each expert.
 */
final class Places
{
    private final Geometry geometry;
    private final RowMeta layout;
    private final int local;
    private int[] next = new int[0];
    private DispatchCall call;
    private PeerMemory exposure;
    private int firstExpert;
    private int perNode;

    Places(final Geometry geometry, final RowMeta layout, final int local)
    {
        this.geometry = geometry;
        this.layout = layout;
        this.local = local;
    }

    void begin(final DispatchCall next)
    {
        call = next;
        exposure = null;
        perNode = call.starts(geometry) / geometry.nodes();
        firstExpert = geometry.world().rankAt(geometry.world().node(), local) *
            (call.routes().home().experts() / geometry.world().size());
        if (this.next.length < perNode * geometry.nodes())
        {
            this.next = new int[perNode * geometry.nodes()];
        }
    }

    /** Ranks of a node. */
    int locals()
    {
        return geometry.locals();
    }

    /** A source node's lane meta, as handed on. */
    void lane(final int node, final UnsafeBuffer buffer, final int at)
    {
        for (int i = 0; i < perNode; i++)
        {
            next[node * perNode + i] = EncodedWord.get(
                buffer, at + (call.routes().isExpanded() ? LaneMeta.expertStartUp(i) : LaneMeta.UP_START));
        }
    }

    /** The own rows of a channel and those behind it come next, whatever the lane meta says of this channel's. */
    void beginOwn(final int channel)
    {
        final SendLayout home = call.routes().home();
        final int first = geometry.world().node() * perNode;
        final int rank = geometry.world().rankAt(geometry.world().node(), local);
        for (int i = 0; i < perNode; i++)
        {
            next[first + i] = call.routes().isExpanded() ?
                home.expertStart(channel, firstExpert + i) : home.rankStart(channel, rank);
        }
    }

    void open(final PeerMemory one)
    {
        exposure = one;
    }

    /** Add the places of a row. */
    void add(
        final RowSet payload, final RowSet scales, final int node, final UnsafeBuffer metas, final int at,
        final long rowFrom, final long scalesFrom)
    {
        if (!call.routes().isExpanded())
        {
            add(payload, scales, node, rowFrom, scalesFrom);
            return;
        }

        for (int k = 0, topk = call.routes().home().topk(); k < topk; k++)
        {
            final int expert = layout.expert(metas, at, k) - firstExpert;
            if (expert >= 0 && expert < perNode)
            {
                add(payload, scales, node * perNode + expert, rowFrom, scalesFrom);
            }
        }
    }

    /** How many places the own rows of channels [channel, end) have. */
    int count(final int channel, final int end)
    {
        final SendLayout home = call.routes().home();
        final int rank = geometry.world().rankAt(geometry.world().node(), local);
        if (!call.routes().isExpanded())
        {
            return home.rankStart(end, rank) - home.rankStart(channel, rank);
        }

        int count = 0;
        for (int expert = firstExpert; expert < firstExpert + perNode; expert++)
        {
            count += home.expertStart(end, expert) - home.expertStart(channel, expert);
        }

        return count;
    }

    /** Add the places of own rows, or of their scales, of tokens [token, last), behind those added before; how many. */
    int addOwn(final RowSet set, final boolean areScales, final int token, final int last)
    {
        return call.routes().isExpanded() ? addExpanded(set, areScales, token, last) :
            addRankMajor(set, areScales, token, last);
    }

    /** They follow each other there, so that all but the token's place is known beforehand. */
    private int addRankMajor(final RowSet set, final boolean areScales, final int token, final int last)
    {
        final SendLayout home = call.routes().home();
        final int node = geometry.world().node();
        final long bytes = areScales ? call.scaleBytes() : call.rowBytes();
        final long from = areScales ? call.scaleOffset(0) : call.rowOffset(0);
        long to = exposure.offset(areScales ? 1 : 0) + ((long)exposure.start(node) + next[node]) * bytes;
        final long first = set.nextAddress();
        final long end = first + (long)set.room() * RowList.STRIDE;
        long entry = first;
        for (int i = token; i < last; i++)
        {
            if (home.isInRank(i, node, local))
            {
                if (entry == end)
                {
                    throw new IllegalStateException("the list has no room for row " + i + ": it was counted wrong");
                }

                UnsafeApi.putLong(entry, from + i * bytes);
                UnsafeApi.putLong(entry + Long.BYTES, to);
                to += bytes;
                entry += RowList.STRIDE;
            }
        }

        final int rows = (int)((entry - first) / RowList.STRIDE);
        set.added(rows);
        next[node] += rows;
        return rows;
    }

    private int addExpanded(final RowSet set, final boolean areScales, final int token, final int last)
    {
        final SendLayout home = call.routes().home();
        final int node = geometry.world().node();
        final long bytes = areScales ? call.scaleBytes() : call.rowBytes();
        final long from = areScales ? call.scaleOffset(0) : call.rowOffset(0);
        final long to = exposure.offset(areScales ? 1 : 0);
        int rows = 0;
        for (int i = token; i < last; i++)
        {
            if (home.isInRank(i, node, local))
            {
                rows++;
                for (int k = 0, topk = home.topk(); k < topk; k++)
                {
                    final int expert = home.expert(i, k) - firstExpert;
                    if (expert >= 0 && expert < perNode)
                    {
                        final int start = node * perNode + expert;
                        set.add(from + i * bytes, to + ((long)exposure.start(start) + next[start]++) * bytes);
                    }
                }
            }
        }

        return rows;
    }

    private void add(
        final RowSet payload, final RowSet scales, final int start, final long rowFrom, final long scalesFrom)
    {
        final long row = (long)exposure.start(start) + next[start]++;
        payload.add(rowFrom, exposure.offset(0) + row * call.rowBytes());
        if (call.scaleBytes() > 0)
        {
            scales.add(scalesFrom, exposure.offset(1) + row * call.scaleBytes());
        }
    }
}
