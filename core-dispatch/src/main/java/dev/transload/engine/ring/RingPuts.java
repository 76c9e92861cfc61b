/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import dev.transload.engine.connect.Connection;
import dev.transload.engine.observe.ChunkEvent;
import dev.transload.engine.observe.FlightRecording;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Stage;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.WorkQueue;

/**
 * Slots of a ring here on their way to the same slots of a ring at one peer: one put for each plane of a chunk, two
 * where it goes round the ring's end, then a signal that tells of it. To this rank itself, rows change memory.
 */
public final class RingPuts
{
    /** Plane of the rows' elements. */
    public static final int ROWS = 0;
    /** Plane of what goes with them, if it has slots of its own. */
    public static final int EXTRAS = 1;

    private static final int PLANES = 2;

    private final Connection connection;
    private final int slots;
    private final boolean isStaging;
    private final MemoryRegion[] sources = new MemoryRegion[PLANES];
    private final RemoteRegion[] targets = new RemoteRegion[PLANES];
    private final long[] from = new long[PLANES];
    private final long[] to = new long[PLANES];
    private final long[] stride = new long[PLANES];
    private final long[] length = new long[PLANES];
    private final PendingHeads released = new PendingHeads();
    private int plane;
    private int first;
    private int next;
    private int end;
    private int signal;
    private long delta;
    private long bytes;
    private long sourcePosition;
    private boolean isActive;
    private ChunkEvent event;

    /**
     * To one peer.
     *
     * @param connection to it.
     * @param slots      of the rings.
     * @param isStaging  whether rows only change memory within this rank, which counts apart.
     */
    public RingPuts(final Connection connection, final int slots, final boolean isStaging)
    {
        this.connection = connection;
        this.slots = slots;
        this.isStaging = isStaging;
    }

    /** A call begins; nothing is under way. */
    public void begin()
    {
        released.reset();
        first = 0;
        next = 0;
        end = 0;
        isActive = false;
    }

    /**
     * Choose a plane for the call.
     *
     * @param index       of the plane.
     * @param source      region, null to leave the plane out.
     * @param sourceStart offset of slot 0 there.
     * @param target      region of the peer.
     * @param targetStart offset of slot 0 there.
     * @param slotStride  distance of slots at both ends.
     * @param rowBytes    bytes of a slot that are sent.
     */
    public void use(
        final int index, final MemoryRegion source, final long sourceStart, final RemoteRegion target,
        final long targetStart, final long slotStride, final long rowBytes)
    {
        sources[index] = source;
        targets[index] = target;
        from[index] = sourceStart;
        to[index] = targetStart;
        stride[index] = slotStride;
        length[index] = null == source ? 0 : rowBytes;
    }

    /**
     * Whether a chunk can begin.
     *
     * @return true if the one before is accepted.
     */
    public boolean isFree()
    {
        return !isActive && released.hasRoom();
    }

    /** Have chunks that begin from now on read their sources only when row kernels have completed a position. */
    public boolean startsAfter(final WorkQueue kernels, final long position)
    {
        return connection.isAccepted(connection.channel().startAfter(kernels, position));
    }

    /**
     * Begin a chunk of rows behind those before.
     *
     * @param count        of rows, at most the slots.
     * @param index        of the signal that tells of them.
     * @param toAdd        to that signal.
     * @param bytesInPlace which need no put and count as moved with them.
     * @return operations accepted.
     */
    public int send(final int count, final int index, final long toAdd, final long bytesInPlace)
    {
        first = end;
        next = end;
        end += count;
        plane = 0;
        signal = index;
        delta = toAdd;
        bytes = bytesInPlace;
        isActive = true;
        event = FlightRecording.isOn() ? ChunkEvent.start() : null;
        return advance();
    }

    /** Hand on what the channel takes. */
    public int advance()
    {
        int work = 0;
        while (isActive && stepOn())
        {
            work++;
        }

        return work;
    }

    private boolean stepOn()
    {
        while (plane < PLANES && (0 == length[plane] || next == end))
        {
            plane++;
            next = first;
        }

        if (plane < PLANES)
        {
            return put();
        }

        if (!connection.isAccepted(connection.channel().signal(connection.signals(), signal, delta)))
        {
            return false;
        }

        isActive = false;
        released.add(sourcePosition, end);
        account();
        return true;
    }

    private boolean put()
    {
        final int slot = next % slots;
        final int count = Math.min(end - next, slots - slot);
        final long size = (count - 1) * stride[plane] + length[plane];
        final long position = connection.channel().put(sources[plane], from[plane] + slot * stride[plane],
            targets[plane], to[plane] + slot * stride[plane], size);
        if (!connection.isAccepted(position))
        {
            return false;
        }

        sourcePosition = position;
        bytes += count * length[plane];
        next += count;
        return true;
    }

    private void account()
    {
        final int rows = end - first;
        if (isStaging)
        {
            connection.tally().staged(bytes);
        }
        else
        {
            connection.tally().moved(connection.stage(), rows, bytes);
        }

        if (null != event)
        {
            event.finish(connection.ownRank(), connection.peer(), connection.lane(), isStaging ? "staged" :
                Stage.SCALE_OUT == connection.stage() ? "scale-out" : "scale-up", rows, bytes);
            event = null;
        }
    }

    /** Rows that were sent. */
    public int sent()
    {
        return end;
    }

    /** Rows whose sources nothing reads any more. */
    public int released()
    {
        return (int)released.settle(connection.channel().releasedPosition());
    }

    /** Whether all is accepted, and nothing of it is read any more. */
    public boolean isComplete()
    {
        return !isActive && connection.channel().releasedPosition() >= sourcePosition;
    }

    public Connection connection()
    {
        return connection;
    }

    /**
     * Report what is under way.
     *
     * @param wait to fill.
     * @return false if all is accepted and released.
     */
    public boolean awaits(final Wait wait)
    {
        return connection.awaits(wait, sourcePosition, isActive);
    }
}
