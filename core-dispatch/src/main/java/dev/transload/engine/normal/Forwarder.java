/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.connect.ThreadResources;
import dev.transload.engine.ring.Credit;
import dev.transload.engine.wire.LaneMeta;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.spi.SignalRegion;

/**
 * Carries a channel's rows on to one local rank: round-robin over source nodes, from the scale-out rings (the own
 * node's rows straight from the caller's tensor) to that rank's {@link UpRing}, the rows whose mask has its bit. It
 * hands on each source node's lane meta before the first of its rows.
 */
public final class Forwarder extends Role
{
    private static final int SCANS_PER_CHUNK = 8;

    private final Geometry geometry;
    private final ArenaMap map;
    private final DispatchLane lane;
    private final ThreadResources thread;
    private final SignalRegion signals;
    private final int local;
    private final LaneRelay relay;
    private final UpRing ring;
    private final ListedRows listed;
    private final Sources sources;
    private final ListedEntries entries;
    private final int chunk;
    private DispatchCall call;
    private long dispatches;
    private int nextNode;

    /**
     * Of a channel to a local rank.
     *
     * @param board    of the engine.
     * @param geometry sizes.
     * @param map      memory.
     * @param lane     shared state of the channel.
     * @param thread   which runs it.
     * @param signals  own signals of the scale-out stage, null in a world of one node.
     * @param link     to the local rank.
     * @param listing  link to it for listed rows; another one where metadata must not wait for rows of other channels.
     * @param credit   head of its ring.
     * @param local    destination.
     */
    public Forwarder(
        final Board board, final Geometry geometry, final ArenaMap map, final DispatchLane lane,
        final ThreadResources thread, final SignalRegion signals, final Connection link, final Connection listing,
        final Credit credit, final int local)
    {
        super(board, "forwarder", Traffic.DISPATCH_SCALE_UP);
        this.geometry = geometry;
        this.map = map;
        this.lane = lane;
        this.thread = thread;
        this.signals = signals;
        this.local = local;
        final RowMeta layout = new RowMeta(geometry.maskWords(), geometry.config().maxTopk());
        this.relay = new LaneRelay(geometry, map, signals, lane.channel(), local);
        this.ring = new UpRing(geometry, map, link, credit, lane.channel(), local, layout);
        this.listed = new ListedRows(listing, geometry.firstListed(lane.channel(), geometry.world().local(), local),
            geometry.endListed(lane.channel(), geometry.world().local(), local),
            SignalMap.dispatchListedUp(geometry, lane.channel(), geometry.world().local()), ring.places(),
            geometry.isListedByOne());
        this.chunk = geometry.config().scaleUp().chunk();
        this.sources = new Sources(geometry, map, lane, thread, signals, link, ring, local);
        this.entries = new ListedEntries(geometry.world(), lane.channel(), sources, ring, local);
    }

    @Override
    protected boolean begin(final Call next)
    {
        if (!(next instanceof DispatchCall))
        {
            return false;
        }

        call = (DispatchCall)next;
        dispatches++;
        ring.begin(call);
        listed.choose(false);
        sources.begin();
        return true;
    }

    @Override
    protected int step()
    {
        int work = learn();
        work += ring.transfer().advance();
        work += sources.settle();
        if (listed.isOn())
        {
            return work + entries.send() + listed.advance();
        }

        if (ring.transfer().isActive() || !isOpen())
        {
            return work;
        }

        for (int i = 0; i < geometry.nodes() && !ring.transfer().isActive(); i++)
        {
            final int node = nextNode;
            nextNode = (nextNode + 1) % geometry.nodes();
            final Source source = sources.of(node);
            if (source.isKnown() && !source.meta().isActive() && source.head() < source.end() &&
                source.pending().hasRoom())
            {
                work += forward(source) + sources.settle();
            }
        }

        return work;
    }

    private boolean isOpen()
    {
        if (!ring.isOpen() && thread.exposures().isKnown(local, call.number(), call.form(geometry)))
        {
            ring.open(thread.exposures().of(local));
        }

        return ring.isOpen();
    }

    /** The lane meta says which way the rows take: where they may be listed, once the rank says what it exposes. */
    private boolean isPathChosen()
    {
        if (!call.isListed())
        {
            return true;
        }

        if (!isOpen())
        {
            return false;
        }

        listed.choose(ring.exposure().isOpen());
        entries.begin(call.routes().home());
        if (call.isReplayable())
        {
            lane.choose(local, call.number(), listed.isOn());
        }

        return true;
    }

    private int path()
    {
        if (!listed.isOn())
        {
            return LaneMeta.PATH_RING;
        }

        return call.isReplayable() ? LaneMeta.PATH_REPLAY :
            entries.areSifted() ? LaneMeta.PATH_SIFTED : LaneMeta.PATH_LIST;
    }

    private int learn()
    {
        int work = 0;
        for (int node = 0; node < geometry.nodes(); node++)
        {
            final Source source = sources.of(node);
            if (!source.isKnown() && relay.isAnnounced(node, dispatches) && isPathChosen())
            {
                source.announce(relay.announce(call, node, set(), path(), source.meta()));
                ring.places().lane(node, map.laneUpOut.buffer(),
                    map.laneUpOut.index(geometry.laneUp(set(), lane.channel(), local, node)));
                if (listed.isOn())
                {
                    beginListed(source);
                }
                else if (0 == local)
                {
                    call.routes().forward().begin(lane.channel(), node, source.rows());
                }

                work++;
            }

            work += source.meta().advance();
        }

        return work;
    }

    private void beginListed(final Source source)
    {
        listed.begin(call, ring.exposure());
        if (geometry.isListedByOne())
        {
            // By a link of its own, whose fences hold back nothing else: rows move while metadata is read.
            listed.advance();
        }

        if (call.isReplayable())
        {
            source.passAll();
            sources.publish(source, source.head());
        }
        else
        {
            if (0 == local)
            {
                call.routes().forward().recordOwn(lane.channel(), source.ring().node(), call.routes().home());
            }

            // Ahead of rows that the CPU copies: a fence behind them would hold back what tells of metadata.
            source.meta().advance();
            entries.send();
        }
    }

    private int forward(final Source source)
    {
        final long available = Math.min(sources.available(source), source.end());
        if (available == source.head())
        {
            return 0;
        }

        final SourceRing rows = source.ring();
        ring.beginChunk(rows.rows(call), rows.scales(call), rows.metas());
        final int room = ring.room();
        final long before = source.head();
        rows.begin(before);
        for (int scans = SCANS_PER_CHUNK * chunk; scans > 0 && source.head() < available; scans--)
        {
            final long entry = rows.entry();
            final boolean isHere = rows.isForwarded(entry);
            if (isHere && ring.picked() == room)
            {
                break;
            }

            if (0 == local)
            {
                rows.record(call.routes().forward(), source.row(), entry);
            }

            if (isHere)
            {
                rows.pick(call, entry, ring);
            }

            source.pass();
            rows.pass();
        }

        if (ring.picked() > 0)
        {
            final int sent = ring.send();
            sources.carry(source);
            return sent;
        }

        return sources.skip(source, before);
    }

    private int set()
    {
        return (int)((dispatches - 1) % ArenaMap.SETS);
    }

    @Override
    protected boolean isComplete()
    {
        return !ring.transfer().isActive() && !sources.areCarried() && listed.isComplete() && sources.areDrained();
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        if (!ring.isOpen())
        {
            return thread.exposures().awaits(wait, local, lane.channel(), call.number());
        }

        if (listed.isOn())
        {
            return listed.awaits(wait) || awaitsCreditForMetadata(wait) || awaitsTransfers(wait);
        }

        final int own = geometry.world().local();
        for (int node = 0; node < geometry.nodes(); node++)
        {
            final Source source = sources.of(node);
            if (!source.isKnown() && null != signals)
            {
                return wait.set(geometry.world().rankAt(node, own), lane.channel(), WaitCounter.SCALE_OUT_LANE,
                    dispatches, signals.getAcquire(SignalMap.laneOut(geometry, lane.channel(), node)));
            }

            if (source.isKnown() && source.head() < source.end() && source.tail() == source.head())
            {
                return wait.set(geometry.world().rankAt(node, own), lane.channel(), WaitCounter.SCALE_OUT_TAIL,
                    source.end(), source.tail());
            }

            if (source.isKnown() && source.head() < source.end())
            {
                return ring.awaitsCredit(wait) || awaitsTransfers(wait);
            }
        }

        return awaitsTransfers(wait);
    }

    private boolean awaitsTransfers(final Wait wait)
    {
        return ring.awaits(wait) || sources.awaitsMetas(wait);
    }

    /** Beside listed rows, which wait for no metadata: that of the own node's rows still passes the ring. */
    private boolean awaitsCreditForMetadata(final Wait wait)
    {
        final Source source = sources.of(geometry.world().node());
        final boolean isLeft = source.isKnown() && source.head() < source.end() && source.tail() > source.head();
        return isLeft && ring.awaitsCredit(wait);
    }
}
