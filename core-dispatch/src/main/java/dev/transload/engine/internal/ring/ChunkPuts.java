/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.observe.ChunkEvent;
import dev.transload.engine.internal.observe.FlightRecording;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.WorkQueue;

/**
 * Chunks of rows on their way to one peer: puts, then a signal that tells of them, handed on as far as the channel
 * takes them. A row may lie in two planes, its elements and what goes with them. One chunk at a time.
 */
public abstract class ChunkPuts
{
    /** Plane of the rows' elements. */
    public static final int ROWS = 0;
    /** Plane of what goes with them, scales or weights, if it does not lie behind them. */
    public static final int EXTRAS = 1;
    static final int PLANES = 2;

    final MemoryRegion[] sources = new MemoryRegion[PLANES];
    final RemoteRegion[] targets = new RemoteRegion[PLANES];
    final PendingHeads released = new PendingHeads();
    long sourcePosition;
    private final Connection connection;
    private final boolean isStaging;
    private final String title;
    private int signal;
    private long delta;
    private int rows;
    private long bytes;
    private boolean isActive;
    private ChunkEvent event;

    /**
     * To one peer, on the thread that drives the connection.
     *
     * @param isStaging whether rows only change memory within this rank, which counts apart.
     */
    ChunkPuts(final Connection connection, final boolean isStaging)
    {
        this.connection = connection;
        this.isStaging = isStaging;
        this.title = isStaging ? "staged" : Stage.SCALE_OUT == connection.stage() ? "scale-out" : "scale-up";
    }

    /** Put the next part; false if the channel does not take it now. */
    abstract boolean put();

    /** Whether a part is left to put; moves on to the plane that has it. */
    abstract boolean hasNext();

    /** The chunk is accepted: its sources are released when the channel passes {@link #sourcePosition}. */
    abstract void accepted();

    final void begin(final int index, final long toAdd, final int rowsCounted, final long bytesInPlace)
    {
        signal = index;
        delta = toAdd;
        rows = rowsCounted;
        bytes = bytesInPlace;
        isActive = true;
        event = FlightRecording.isOn() ? ChunkEvent.start() : null;
    }

    /** What was put counts as moved. */
    final void moved(final long length)
    {
        bytes += length;
    }

    /** Have chunks that begin from now on read their sources only when row kernels have completed a position. */
    public final boolean startsAfter(final WorkQueue kernels, final long position)
    {
        return connection.isAccepted(connection.channel().startAfter(kernels, position));
    }

    /** Whether something of a chunk is left to hand on. */
    public final boolean isActive()
    {
        return isActive;
    }

    /** Hand on what the channel takes. */
    public final int advance()
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
        if (hasNext())
        {
            return put();
        }

        if (delta > 0 && !connection.isAccepted(connection.channel().signal(connection.signals(), signal, delta)))
        {
            return false;
        }

        isActive = false;
        accepted();
        account();
        return true;
    }

    private void account()
    {
        if (isStaging)
        {
            connection.counters().staged(bytes);
        }
        else
        {
            connection.counters().moved(connection.stage(), rows, bytes);
        }

        if (null != event)
        {
            event.finish(connection.ownRank(), connection.peer(), connection.channelIndex(), title, rows, bytes);
            event = null;
        }
    }

    /** Forget what was under way. */
    final void reset()
    {
        released.reset();
        isActive = false;
    }

    /** Rows, of all that were sent, whose sources nothing reads any more. */
    final long settled()
    {
        return released.settle(connection.channel().releasedPosition());
    }

    /** Whether all is accepted, and nothing of it is read any more. */
    public final boolean isComplete()
    {
        return !isActive && connection.channel().releasedPosition() >= sourcePosition;
    }

    public final Connection connection()
    {
        return connection;
    }

    /**
     * Report what is under way.
     *
     * @return false if all is accepted and released.
     */
    public final boolean isWaiting(final Wait wait)
    {
        return connection.isWaiting(wait, sourcePosition, isActive);
    }
}
