/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.plan.ForwardTable;
import dev.transload.engine.internal.ring.MetaTransfer;
import dev.transload.engine.internal.ring.PendingHeads;
import dev.transload.engine.internal.ring.Staging;
import dev.transload.engine.internal.wire.MetadataBlock;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;

/**
 * A stream at its relay: its blocks are handed on to the ranks of the node and placed in the forward table, and its
 * rows go on as far as they have come and are placed. The own stream comes from this rank: blocks from its sender,
 * rows from the caller's tensor.
 */
public final class IncomingStream
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ChannelState state;
    private final ThreadResources thread;
    private final SignalRegion signals;
    private final int stream;
    private final int source;
    private final boolean isOwn;
    private final MetaTransfer[] handing;
    private final Staging staging;
    private final Section blocks;
    private final long firstSlot;
    private final long ring;
    private final MetadataBlock block;
    private final int[] starts;
    private final PendingHeads[] pending;
    private DispatchCall call;
    private ForwardTable table;
    private boolean isKnown;
    private boolean areStartsKnown;
    private int rows;
    private int forwarded;
    private int arrived;
    private int published;
    private long handedOn;
    private long planned;
    private long lastBlock;
    private long base;
    private long end;

    /**
     * A stream of a channel.
     *
     * @param signals own signals of the scale-out stage, null in a world of one node.
     * @param stream  index among those that this rank relays in the channel.
     * @param handing of blocks to each local rank, null for the own one.
     * @param staging to the payload's memory, null where nothing is staged.
     */
    public IncomingStream(
        final Geometry geometry, final ArenaMap map, final ChannelState state, final ThreadResources thread,
        final SignalRegion signals, final int stream, final MetaTransfer[] handing,
        final Staging staging)
    {
        final int channel = state.channel();
        this.geometry = geometry;
        this.map = map;
        this.state = state;
        this.thread = thread;
        this.signals = signals;
        this.stream = stream;
        this.source = geometry.relays().source(channel, geometry.world().local(), stream);
        this.isOwn = source == geometry.world().rank();
        this.handing = handing;
        this.staging = staging;
        this.blocks = isOwn ? map.blocksOwn : map.blocksIn;
        this.firstSlot = (long)(isOwn ? channel : geometry.stream(channel, stream)) * MetadataBlock.SLOTS;
        this.ring = (long)geometry.stream(channel, stream) * geometry.outRing();
        this.block = new MetadataBlock(geometry.maskWords());
        this.starts = new int[geometry.locals() * Math.max(1, geometry.maxLocalExperts())];
        this.pending = new PendingHeads[geometry.locals()];
        for (int local = 0; local < pending.length; local++)
        {
            pending[local] = new PendingHeads();
        }
    }

    void begin(final DispatchCall next)
    {
        call = next;
        table = call.plan().forwardTable(state.channel(), stream);
        isKnown = false;
        areStartsKnown = false;
        forwarded = 0;
        arrived = 0;
        published = 0;
        base = (end + geometry.outRing() - 1) / geometry.outRing() * geometry.outRing();
        end = base;

        for (final PendingHeads one : pending)
        {
            one.reset();
        }

        if (null != staging)
        {
            staging.begin(call.slotBytes());
        }
    }

    /** Copy on what has arrived in host memory. */
    int stage()
    {
        if (null == staging || !isKnown)
        {
            return 0;
        }

        final int work = staging.advance();
        final int count =
            Math.min(arrivedBy(tail()) - staging.begun(), geometry.config().scaleOut().chunk());
        return count > 0 && staging.isFree() ? work + staging.copy(count) : work;
    }

    /** The counts are known: how many rows and blocks are to come. */
    void learn()
    {
        isKnown = true;
        rows = call.plan().receiveLayout().streamRows(state.channel(), source);
        end = base + rows;
        if (isPlanning())
        {
            lastBlock = handedOn + (rows + geometry.blockRows() - 1) / geometry.blockRows();
            table.begin(rows, call.plan().sendLayout().topk(),
                call.plan().isExpanded() ? call.plan().receiveLayout().localExperts() : 0,
                isOwn ? 0 : geometry.outRing(), thread.kernels());
        }
        else
        {
            table.rewind();
        }
    }

    private boolean isPlanning()
    {
        return Call.Kind.DISPATCH == call.kind();
    }

    int source()
    {
        return source;
    }

    int stream()
    {
        return stream;
    }

    boolean isOwn()
    {
        return isOwn;
    }

    ForwardTable table()
    {
        return table;
    }

    int rows()
    {
        return rows;
    }

    int forwarded()
    {
        return forwarded;
    }

    /** Rows that can go on now: their places are known, and they have come. */
    int ready()
    {
        final int placed = table.placed();
        if (!isOwn && arrived < placed)
        {
            final int seen =
                null == staging ? arrivedBy(tail()) : staging.arrived();
            if (seen > arrived)
            {
                thread.counters().found(Stage.SCALE_OUT, seen - forwarded);
                final Stage writer = map.isStaged() ? Stage.SCALE_UP : Stage.SCALE_OUT;
                thread.acquire(writer, map.payloadIn.arena().region(writer));
                arrived = seen;
            }
        }

        return Math.min(Math.min(placed, table.end(forwarded)), isOwn ? rows : arrived) - forwarded;
    }

    /**
     * Positions begin at slot 0 of the ring with each call, as those of
     * {@link dev.transload.engine.internal.ring.RingWriter} do.
     */
    private int arrivedBy(final long tail)
    {
        return (int)Math.max(0, tail - base);
    }

    private long tail()
    {
        return signals.getAcquire(SignalMap.rowsOut(geometry, state.channel(), stream));
    }

    /** Where the rows are read: by token, or by slot. */
    MemoryRegion region(final boolean areScales)
    {
        return !isOwn ? map.payloadIn.arena().region(Stage.SCALE_UP) :
            areScales ? call.scales(Stage.SCALE_UP) : call.rows(Stage.SCALE_UP);
    }

    /** Offset of own row 0 of the table in that region. */
    long base(final boolean areScales)
    {
        return !isOwn ? map.payloadIn.offset(ring) + (areScales ? call.rowBytes() : 0) :
            areScales ? call.scaleOffset(0) : call.rowOffset(0);
    }

    /** Distance of own rows of the table. */
    long stride(final boolean areScales)
    {
        return !isOwn ? call.slotBytes() : areScales ? call.scaleBytes() : call.rowBytes();
    }

    /** Hand a block on to the ranks of the node, all of them: it counts for those too that get none of its rows. */
    int handOn()
    {
        int work = 0;
        boolean isIdle = true;
        for (final MetaTransfer one : handing)
        {
            if (null != one)
            {
                work += one.advance();
                isIdle &= !one.isActive();
            }
        }

        if (!isIdle || !isKnown || !isPlanning() || handedOn == lastBlock || handedOn == seenBlocks())
        {
            return work;
        }

        final int slot = (int)(handedOn % MetadataBlock.SLOTS);
        for (int local = 0; local < handing.length; local++)
        {
            if (null != handing[local])
            {
                hand(handing[local], slot);
                handing[local].advance();
            }
        }

        handedOn++;
        state.handedOn(stream).setRelease(handedOn);
        return work + 1;
    }

    private void hand(final MetaTransfer to, final int slot)
    {
        if (to.connection().hasWindow(blocks))
        {
            to.beginSignal();
            return;
        }

        block.open(blocks.address(firstSlot + slot), call.tag(), blockRow(handedOn));
        to.begin(firstSlot + slot, (long)geometry.streamUp(
            state.channel(), geometry.world().local(), stream) * MetadataBlock.SLOTS + slot, block.bytes());
        to.connection().counters().moved(Stage.SCALE_UP, 0, block.bytes());
    }

    private long seenBlocks()
    {
        return isOwn ? state.ownBlocks().getAcquire() :
            signals.getAcquire(SignalMap.blocksOut(geometry, state.channel(), stream));
    }

    /** First row of a block. */
    private int blockRow(final long number)
    {
        final long left = lastBlock - number;
        final int count = (rows + geometry.blockRows() - 1) / geometry.blockRows();
        return (int)(count - left) * geometry.blockRows();
    }

    /** Plan the rows of a block, and place rows; the node's ranks have said where their rows begin. */
    int place()
    {
        final int work = isKnown && isPlanning() && planned < handedOn ? plan() : 0;
        return isKnown ? work + table.place(thread.kernels().completedPosition()) : 0;
    }

    private int plan()
    {
        final int localExperts = call.plan().receiveLayout().localExperts();
        if (!areStartsKnown)
        {
            readStarts(localExperts);
        }

        block.open(blocks.address(firstSlot + planned % MetadataBlock.SLOTS), call.tag(), table.planned());
        table.plan(block, starts, geometry.world().first(geometry.world().node()) * localExperts);
        planned++;
        state.planned(stream).setRelease(planned);
        return block.rows();
    }

    private void readStarts(final int localExperts)
    {
        areStartsKnown = true;
        final int index = geometry.relays().indexOf(geometry.world().local(), source);
        final int perRank = call.plan().isExpanded() ? localExperts : 1;
        for (int local = 0; local < geometry.locals(); local++)
        {
            for (int i = 0; i < perRank; i++)
            {
                starts[local * perRank + i] = thread.peerMemories().of(local).start(index * perRank + i);
            }
        }
    }

    /**
     * Rows went on; their slots are free once work for each rank passes its position.
     *
     * @param position that row kernels pass when they have read the table, 0 where they do not read it.
     */
    void forward(final int count, final long position)
    {
        forwarded += count;
        table.read(forwarded, position);
    }

    boolean hasRoom()
    {
        return pending[0].hasRoom();
    }

    /** What has gone on is read until a position is passed. */
    void reads(final int local, final long position)
    {
        pending[local].add(position, forwarded);
    }

    /** Rows that nothing reads any more, as far as a rank's work is concerned. */
    int settle(final int local, final long position)
    {
        return (int)pending[local].settle(position);
    }

    /** Tell the coordinator how many rows nothing reads any more. */
    int publish(final int gone)
    {
        final int count = null == staging ? gone : Math.min(gone, staging.released());
        if (count == published)
        {
            return 0;
        }

        published = count;
        state.forwarded(stream).setRelease(base + count);
        return 1;
    }

    boolean isComplete()
    {
        if (!isKnown || published < rows || null != staging && !staging.isComplete() ||
            isPlanning() && handedOn < lastBlock)
        {
            return false;
        }

        for (final MetaTransfer one : handing)
        {
            if (null != one && !one.isReleased())
            {
                return false;
            }
        }

        return true;
    }

    boolean isWaiting(final Wait wait)
    {
        if (!isKnown)
        {
            return false;
        }

        if (isPlanning() && handedOn < lastBlock && !isOwn && seenBlocks() == handedOn)
        {
            return wait.set(source, state.channel(), WaitCounter.SCALE_OUT_BLOCKS, handedOn + 1, seenBlocks());
        }

        if (!isOwn && forwarded < rows && forwarded < table.placed() && arrivedBy(tail()) == forwarded)
        {
            return wait.set(source, state.channel(), WaitCounter.SCALE_OUT_TAIL, end, tail());
        }

        return null != staging && staging.isWaiting(wait) || MetaTransfer.isAnyWaiting(handing, wait);
    }
}
