/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.connect.ThreadResources;
import dev.transload.engine.ring.MetaTransfer;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.spi.SignalRegion;

/** A forwarder's source nodes: what has come of their rows, and which rows the forwarder is done with. */
final class Sources
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final DispatchLane lane;
    private final ThreadResources thread;
    private final SignalRegion signals;
    private final UpRing ring;
    private final int local;
    private final Source[] sources;
    private Source carried;

    /** Of a forwarder, see there. */
    Sources(
        final Geometry geometry, final ArenaMap map, final DispatchLane lane, final ThreadResources thread,
        final SignalRegion signals, final Connection link, final UpRing ring, final int local)
    {
        this.geometry = geometry;
        this.map = map;
        this.lane = lane;
        this.thread = thread;
        this.signals = signals;
        this.ring = ring;
        this.local = local;
        this.sources = new Source[geometry.nodes()];
        final RowMeta layout = new RowMeta(geometry.maskWords(), geometry.config().maxTopk());
        for (int node = 0; node < sources.length; node++)
        {
            sources[node] = new Source(new SourceRing(geometry, map, layout, lane.channel(), node, local),
                new MetaTransfer(link, map.laneUpOut, map.laneUpIn,
                SignalMap.laneUp(geometry, lane.channel(), geometry.world().local(), node)));
        }
    }

    void begin()
    {
        for (final Source source : sources)
        {
            source.begin();
        }
    }

    Source of(final int node)
    {
        return sources[node];
    }

    /** Row behind the last one that has come. */
    long available(final Source source)
    {
        if (source.tail() == source.head())
        {
            final boolean isOwn = source.ring().isOwn();
            final long seen = isOwn ? lane.ownTail().getAcquire() :
                signals.getAcquire(SignalMap.dispatchTailOut(geometry, lane.channel(), source.ring().node()));
            if (seen > source.tail() && !isOwn)
            {
                thread.tally().found(Stage.SCALE_OUT, seen - source.head());
                thread.acquire(Stage.SCALE_OUT, map.payloadOutIn.arena().region(map.payloadOutIn.arena().owner()));
            }

            source.tail(seen);
        }

        return source.tail();
    }

    /** A source's rows up to its head are in the ring's last transfer: passed for good once that released them. */
    void carry(final Source source)
    {
        carried = source;
    }

    /** Whether a transfer of them is under way. */
    boolean areCarried()
    {
        return null != carried;
    }

    /** A source's rows from one on went nowhere: passed for good together with those before. */
    int skip(final Source source, final long before)
    {
        if (source.head() == before)
        {
            return 0;
        }

        if (source.pending().isEmpty())
        {
            publish(source, source.head());
        }
        else
        {
            source.pending().add(ring.transfer().sourcePosition(), source.head());
        }

        return 1;
    }

    /** Publish heads that the transfers have released; returns how many. */
    int settle()
    {
        if (null != carried && !ring.transfer().isActive())
        {
            carried.pending().add(ring.transfer().sourcePosition(), carried.head());
            carried = null;
        }

        int work = 0;
        final long released = ring.released();
        for (final Source source : sources)
        {
            final long head = source.pending().settle(released);
            if (head > source.published())
            {
                publish(source, head);
                work++;
            }
        }

        return work;
    }

    /** Rows before this one are passed for good. */
    void publish(final Source source, final long head)
    {
        source.published(head);
        lane.forwarderHead(local, source.ring().node()).setRelease(head);
    }

    boolean areDrained()
    {
        for (final Source source : sources)
        {
            if (!source.isDrained() || !source.meta().isReleased())
            {
                return false;
            }
        }

        return true;
    }

    /** Report a lane meta that is not handed on yet. */
    boolean awaitsMetas(final Wait wait)
    {
        for (final Source source : sources)
        {
            if (source.meta().awaits(wait))
            {
                return true;
            }
        }

        return false;
    }
}
