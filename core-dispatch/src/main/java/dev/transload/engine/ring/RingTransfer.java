/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import dev.transload.engine.connect.Connection;
import dev.transload.engine.observe.ChunkEvent;
import dev.transload.engine.observe.FlightRecording;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Stage;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;

/**
 * A chunk on its way into a peer's ring: the rows of each {@link RowSet}, then a signal that adds to the ring's tail.
 * Advanced as far as the channel takes it; one chunk at a time.
 */
public final class RingTransfer
{
    private final Connection link;
    private final int slots;
    private final int tailSignal;
    private final boolean isStaging;
    private final RowSet[] sets;
    private final long[] releases;
    private int step;
    private int accepted;
    private int firstSlot;
    private int count;
    private int rowsCounted;
    private int held;
    private boolean isHeld;
    private boolean isActive;
    private long sourcePosition;
    private long finished;
    private long chunkBytes;
    private ChunkEvent event;
    private MemoryRegion blockSource;
    private RemoteRegion blockTarget;
    private long blockFrom;
    private long blockTo;
    private long blockBytes;

    /**
     * For one ring of a peer.
     *
     * @param link       to the peer.
     * @param slots      of the ring.
     * @param tailSignal index of the tail among the peer's signals of the link's stage.
     * @param sets       kinds of bytes, put in this order.
     */
    public RingTransfer(final Connection link, final int slots, final int tailSignal, final RowSet... sets)
    {
        this(false, link, slots, tailSignal, sets);
    }

    /** With whether rows only change memory within this rank, which counts apart. */
    RingTransfer(
        final boolean isStaging, final Connection link, final int slots, final int tailSignal, final RowSet... sets)
    {
        this.isStaging = isStaging;
        this.link = link;
        this.slots = slots;
        this.tailSignal = tailSignal;
        this.sets = sets;
        this.releases = new long[slots];
    }

    /**
     * Begin a chunk whose lists are filled and whose sources are chosen.
     *
     * @param firstRow absolute index of its first row.
     * @param rows     of the chunk, positive unless {@link #signalMore} follows or rows are held.
     */
    public void begin(final long firstRow, final int rows)
    {
        begin(firstRow, rows, 0);
    }

    /**
     * Begin a chunk of which a part needs no put: it was written, or will be read, in place.
     *
     * @param firstRow     absolute index of its first row.
     * @param rows         of the chunk, positive.
     * @param bytesInPlace which count as moved with it.
     */
    public void begin(final long firstRow, final int rows, final long bytesInPlace)
    {
        firstSlot = (int)(firstRow % slots);
        count = rows;
        rowsCounted = rows;
        isHeld = false;
        step = 0;
        accepted = 0;
        chunkBytes = bytesInPlace;
        isActive = true;
        event = FlightRecording.isOn() ? ChunkEvent.start() : null;
    }

    /**
     * Have the chunk begun last add more to its signal than its rows.
     *
     * @param more to add, not negative.
     */
    public void signalMore(final int more)
    {
        count += more;
    }

    /** The chunk begun last is told with the next one's rows: it needs no signal of its own. */
    public void hold()
    {
        isHeld = true;
    }

    /**
     * Whether rows were put that nothing told of yet.
     *
     * @return true until the next chunk that is not held.
     */
    public boolean isHolding()
    {
        return held > 0;
    }

    /**
     * Begin a chunk of metadata alone; its rows count where their payload does.
     *
     * @param firstEntry absolute index of its first entry.
     * @param entries    of the chunk, positive.
     */
    public void beginEntries(final long firstEntry, final int entries)
    {
        begin(firstEntry, entries);
        rowsCounted = 0;
    }

    /**
     * Begin a chunk of metadata alone, in one piece.
     *
     * @param firstEntry absolute index of its first entry.
     * @param entries    of the chunk, positive.
     * @param from       region of the source.
     * @param fromOffset of the first byte there.
     * @param to         region of the ring.
     * @param toOffset   of the first byte there.
     * @param bytes      of the piece.
     */
    public void beginBlock(
        final long firstEntry, final int entries, final MemoryRegion from, final long fromOffset,
        final RemoteRegion to, final long toOffset, final long bytes)
    {
        beginEntries(firstEntry, entries);
        step = sets.length;
        blockSource = from;
        blockFrom = fromOffset;
        blockTarget = to;
        blockTo = toOffset;
        blockBytes = bytes;
    }

    /**
     * Whether a chunk is on its way.
     *
     * @return true until all of it is accepted.
     */
    public boolean isActive()
    {
        return isActive;
    }

    /**
     * Hand on what the channel takes.
     *
     * @return number of operations accepted.
     */
    public int advance()
    {
        int work = 0;
        while (isActive && stepOn())
        {
            work++;
        }

        return work;
    }

    /**
     * Position at which the sources of all chunks so far are released.
     *
     * @return position of the link's channel.
     */
    public long sourcePosition()
    {
        return sourcePosition;
    }

    /**
     * Rows of all chunks that are accepted entirely, and what was signalled beside them.
     *
     * @return row after the last of them.
     */
    public long finished()
    {
        return finished;
    }

    /**
     * Whether what was last sent from a row's slot is released, so that its source and its entries may be written again
     * (rules PUT-3, ROW-3): the consumer's credit says that the row arrived, not that the transport is done with it.
     *
     * @param row absolute index; its slot is of no chunk under way. True for all rows before it then, too.
     * @return true if nothing reads them.
     */
    public boolean isReleased(final long row)
    {
        return link.channel().releasedPosition() >= releases[(int)(row % slots)];
    }

    /**
     * Report what is under way.
     *
     * @param wait to fill.
     * @return false if all sources are released, and nothing is left to hand on.
     */
    public boolean awaits(final Wait wait)
    {
        return link.awaits(wait, sourcePosition, isActive);
    }

    /**
     * The link.
     *
     * @return link.
     */
    public Connection link()
    {
        return link;
    }

    private boolean stepOn()
    {
        while (step < sets.length && (!sets[step].isUsed() || 0 == sets[step].count(count)))
        {
            step++;
        }

        final Channel channel = link.channel();
        if (step < sets.length)
        {
            return putSome(channel, sets[step]);
        }

        if (null != blockSource)
        {
            return putBlock(channel);
        }

        if (isHeld)
        {
            held += count;
            end();
            return true;
        }

        if (!link.isAccepted(channel.signal(link.signals(), tailSignal, held + count)))
        {
            return false;
        }

        finished += held + count;
        held = 0;
        end();
        return true;
    }

    private void end()
    {
        for (int i = 0, slot = firstSlot, touched = Math.min(count, slots); i < touched; i++)
        {
            releases[slot] = sourcePosition;
            slot = slot + 1 == slots ? 0 : slot + 1;
        }

        isActive = false;
        account();
    }

    private void account()
    {
        if (isStaging)
        {
            link.tally().staged(chunkBytes);
        }
        else
        {
            link.tally().moved(link.stage(), rowsCounted, chunkBytes);
        }

        if (null != event)
        {
            event.finish(link.ownRank(), link.peer(), link.lane(), isStaging ? "staged" :
                Stage.SCALE_OUT == link.stage() ? "scale-out" : "scale-up", rowsCounted, chunkBytes);
            event = null;
        }
    }

    private boolean putBlock(final Channel channel)
    {
        final long position = channel.put(blockSource, blockFrom, blockTarget, blockTo, blockBytes);
        if (!link.isAccepted(position))
        {
            return false;
        }

        blockSource = null;
        chunkBytes += blockBytes;
        sourcePosition = position;
        return true;
    }

    private boolean putSome(final Channel channel, final RowSet set)
    {
        final int capacity = set.rows().capacity();
        final int entry = (set.first(firstSlot) + accepted) % capacity;
        final int run = Math.min(set.count(count) - accepted, capacity - entry);
        final long before = channel.position();
        final long position = channel.putRows(set.source(), set.target(), set.rows(), entry, run);
        if (!link.isAccepted(position))
        {
            return false;
        }

        final int taken = (int)(position - before);
        accepted += taken;
        chunkBytes += (long)taken * set.rows().rowLength();
        sourcePosition = position;
        if (accepted == set.count(count))
        {
            step++;
            accepted = 0;
        }

        return taken > 0;
    }
}
