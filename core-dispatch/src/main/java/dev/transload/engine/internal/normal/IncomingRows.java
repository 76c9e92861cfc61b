/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.plan.ChannelPlaces;
import dev.transload.engine.internal.plan.ReceiveLayout;
import dev.transload.engine.internal.ring.CreditReturn;
import dev.transload.engine.internal.ring.PendingHeads;
import dev.transload.engine.internal.ring.RingReader;
import dev.transload.engine.internal.wire.MetadataBlock;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.SignalRegion;

/**
 * A stream as a rank of the node sees it: its blocks are read for the output's metadata, where the relay has them if
 * its memory is mapped; its rows come to their places, or into a ring, from which they are copied there.
 */
public final class IncomingRows
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ChannelState state;
    private final ThreadResources thread;
    private final SignalRegion signals;
    private final Connection connection;
    private final int relay;
    private final int stream;
    private final int source;
    private final boolean isOwnRelay;
    private final CreditReturn blockReturn;
    private final RingReader reader;
    private final MetadataBlock block;
    private final PendingHeads copied = new PendingHeads();
    private final int[] next;
    private final ChannelPlaces places;
    private final long ring;
    private DispatchCall call;
    private boolean isKnown;
    private int streamRows;
    private int blockRows;
    private int rows;
    private int firstRow;
    private int found;
    private int taken;
    private boolean haveArrived;
    private long read;
    private long lastBlock;

    /**
     * A stream of a channel.
     *
     * @param signals     own signals of the scale-up stage.
     * @param stream      index among those that it relays in the channel.
     * @param blockReturn of credit for blocks, null where this rank is the relay.
     */
    public IncomingRows(
        final Geometry geometry, final ArenaMap map, final ChannelState state, final ThreadResources thread,
        final SignalRegion signals, final Connection connection, final int relay, final int stream,
        final CreditReturn blockReturn, final RingReader reader)
    {
        this.geometry = geometry;
        this.map = map;
        this.state = state;
        this.thread = thread;
        this.signals = signals;
        this.connection = connection;
        this.relay = relay;
        this.stream = stream;
        this.source = geometry.relays().source(state.channel(), relay, stream);
        this.isOwnRelay = relay == geometry.world().local();
        this.blockReturn = blockReturn;
        this.reader = reader;
        this.block = new MetadataBlock(geometry.maskWords());
        this.next = new int[Math.max(1, geometry.maxLocalExperts())];
        this.places = new ChannelPlaces(geometry);
        this.ring = (long)geometry.streamUp(state.channel(), relay, stream) * geometry.subRing();
    }

    void begin(final DispatchCall call)
    {
        this.call = call;
        isKnown = false;
        found = 0;
        taken = 0;
        haveArrived = false;
        copied.reset();
        reader.begin();
    }

    /** The counts are known. */
    void learn()
    {
        final ReceiveLayout experts = call.plan().receiveLayout();
        isKnown = true;
        streamRows = experts.streamRows(state.channel(), source);
        rows = experts.channelRows(state.channel(), source);
        firstRow = experts.channelStart(state.channel(), source);
        places.begin(experts, state.channel(), source);
        blockRows = 0;
        if (Call.Kind.DISPATCH == call.kind())
        {
            lastBlock = read + (streamRows + geometry.blockRows() - 1) / geometry.blockRows();
        }
        else
        {
            found = rows;
        }
    }

    /** Give back blocks that were read. */
    int reportBlocks()
    {
        return null == blockReturn ? 0 : blockReturn.report(read);
    }

    /** Read the next block, if it has come. */
    int readBlock()
    {
        if (read == lastBlock || announced() <= read)
        {
            return 0;
        }

        block.open(address(), call.tag(), blockRows);
        if (call.plan().isExpanded())
        {
            readExpertMajor();
        }
        else
        {
            found += call.metadata().rankMajor(block, firstRow + found);
        }

        blockRows += block.rows();
        read++;
        if (null == blockReturn)
        {
            state.read(stream).setRelease(read);
        }
        else
        {
            blockReturn.report(read);
        }

        return block.rows();
    }

    private void readExpertMajor()
    {
        final int local = geometry.world().local();
        final ReceiveLayout experts = call.plan().receiveLayout();
        final int localExperts = experts.localExperts();
        for (int expert = 0; expert < localExperts; expert++)
        {
            next[expert] = experts.expertStart(expert, source) + block.prefix(local * localExperts + expert);
        }

        if (0 == blockRows)
        {
            experts.channelPlaces(state.channel(), source, next);
        }

        found += call.metadata().expertMajor(block, next, experts.selections(state.channel(), source));
    }

    private long announced()
    {
        return isOwnRelay ? state.handedOn(stream).getAcquire() :
            signals.getAcquire(SignalMap.blocksUp(geometry, state.channel(), relay, stream));
    }

    private long address()
    {
        final long slot = read % MetadataBlock.SLOTS;
        final boolean isFromRelay = source == geometry.world().first(geometry.world().node()) + relay;
        final Section there = isFromRelay ? map.blocksOwn : map.blocksIn;
        final long entry = MetadataBlock.SLOTS *
            (long)(isFromRelay ? state.channel() : geometry.stream(state.channel(), stream)) + slot;
        if (isOwnRelay)
        {
            return there.address(entry);
        }

        return connection.hasWindow(there) ? connection.remote(there).window().address() + there.offset(entry) :
            map.blocksUpIn.address(
            (long)geometry.streamUp(state.channel(), relay, stream) * MetadataBlock.SLOTS + slot);
    }

    boolean areBlocksRead()
    {
        return isKnown && read == lastBlock && (null == blockReturn || blockReturn.isReported(read));
    }

    /** Take rows that have come. */
    int take(final RingCopies copies)
    {
        if (call.isExposed())
        {
            return takePlaced();
        }

        if (0 == rows)
        {
            arriveAll();
        }

        int work = reader.consumed((int)copied.settle(thread.kernels().completedPosition()));
        final int ready = Math.min(found, arrived()) - taken;
        if (ready > 0 && copied.hasRoom() && copies.isFree())
        {
            thread.acquire(Stage.SCALE_UP, map.payloadUpIn.arena().region(Stage.SCALE_UP));
            work += copy(copies, ready);
        }

        return work;
    }

    private int arrived()
    {
        return reader.arrived(tail());
    }

    private long tail()
    {
        return signals.getAcquire(SignalMap.rowsUp(geometry, state.channel(), relay, stream));
    }

    private int takePlaced()
    {
        if (haveArrived || arrived() < rows)
        {
            return 0;
        }

        taken = rows;
        reader.pass(rows);
        if (rows > 0)
        {
            thread.acquire(Stage.SCALE_UP, call.outputRows());
            if (call.scaleBytes() > 0)
            {
                thread.acquire(Stage.SCALE_UP, call.outputScales());
            }
        }

        arriveAll();
        return 1;
    }

    private void arriveAll()
    {
        if (taken == rows && !haveArrived)
        {
            haveArrived = true;
            call.arrived(state.channel(), source);
        }
    }

    private int copy(final RingCopies copies, final int ready)
    {
        final boolean isExpanded = call.plan().isExpanded();
        final int topk = call.plan().sendLayout().topk();
        final int count = Math.min(ready, isExpanded ? copies.capacity() / topk : copies.capacity());
        thread.counters().found(Stage.SCALE_UP, ready);
        for (int row = taken; row < taken + count; row++)
        {
            final long from = map.payloadUpIn.offset(ring + reader.slot(row));
            if (!isExpanded)
            {
                copies.add(from, firstRow + row);
            }

            else
            {
                places.advance();
            }

            for (int k = 0; isExpanded && k < topk; k++)
            {
                final int place = places.place(k);
                if (place >= 0)
                {
                    copies.add(from, place);
                }
            }
        }

        taken += count;
        return count;
    }

    /** Have what was taken copied; false until the kernels took all of it. */
    boolean submit(final RingCopies copies)
    {
        if (!copies.submit(map.payloadUpIn.arena().region(Stage.SCALE_UP)))
        {
            return false;
        }

        copied.add(copies.position(), taken);
        arriveAll();
        return true;
    }

    int taken()
    {
        return taken;
    }

    boolean isComplete()
    {
        return isKnown && taken == rows && haveArrived && copied.isEmpty() && areBlocksRead() &&
            (call.isExposed() || !reader.isDue());
    }

    boolean isWaiting(final Wait wait)
    {
        final int rank = connection.peer();
        if (read < lastBlock && announced() <= read)
        {
            return wait.set(rank, state.channel(), WaitCounter.SCALE_UP_BLOCKS, read + 1, announced());
        }

        if (!copied.isEmpty())
        {
            return wait.set(geometry.world().rank(), state.channel(), WaitCounter.KERNELS, copied.oldestPosition(),
                thread.kernels().completedPosition());
        }

        if (taken < rows || rows > 0 && !haveArrived)
        {
            return wait.set(rank, state.channel(), WaitCounter.SCALE_UP_TAIL, reader.tail(rows), tail());
        }

        return reader.isDue() && !call.isExposed() && reader.isWaiting(wait);
    }
}
