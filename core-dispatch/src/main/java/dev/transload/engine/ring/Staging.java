/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.Section;
import dev.transload.engine.wire.Wait;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;

/**
 * A ring whose rows go between the payload's memory and host memory of this rank, a chunk at a time: the scale-up
 * transport puts them to the own rank (rules CON-4, MEM-8) and adds to a signal there. Copies run while the wire moves
 * other chunks, and no queue of row kernels stands still for them.
 */
public final class Staging
{
    private final Connection self;
    private final SignalRegion signals;
    private final int tailSignal;
    private final Section target;
    private final int slots;
    private RingTransfer transfer;
    private RowSet payload;
    private RowSet scales;
    private long begun;
    private long released;

    /**
     * For one ring.
     *
     * @param self       scale-up link to the own rank.
     * @param signals    own signals of the scale-up stage.
     * @param tailSignal index among them, of rows that have arrived.
     * @param target     section that the rows go to, exported by the scale-up transport.
     * @param slots      of the ring.
     */
    public Staging(
        final Connection self, final SignalRegion signals, final int tailSignal, final Section target, final int slots)
    {
        this.self = self;
        this.signals = signals;
        this.tailSignal = tailSignal;
        this.target = target;
        this.slots = slots;
    }

    /**
     * Choose what the rows of a call are.
     *
     * @param rows        region of the rows, registered with the scale-up transport.
     * @param rowBytes    bytes of each.
     * @param scaleRegion region of their scales, not used without any.
     * @param scaleBytes  bytes of each row's scales, 0 for none.
     */
    public void use(
        final MemoryRegion rows, final int rowBytes, final MemoryRegion scaleRegion, final int scaleBytes)
    {
        if (null == transfer)
        {
            bind();
        }

        payload.use(rows, rowBytes);
        scales.use(scaleRegion, scaleBytes);
    }

    /** Imports exist only once the thread has started. */
    private void bind()
    {
        payload = new RowSet(self.transport().allocateRows(slots), self.remote(target));
        scales = new RowSet(self.transport().allocateRows(slots), self.remote(target));
        transfer = new RingTransfer(true, self, slots, tailSignal, payload, scales);
    }

    /**
     * Whether a chunk can begin, its entries be set.
     *
     * @param rows of it, positive.
     * @return true if the chunk before it is accepted and its slots' entries are released.
     */
    public boolean hasRoom(final int rows)
    {
        return !transfer.isActive() && transfer.isReleased(begun + rows - 1);
    }

    /**
     * Set a row's offsets.
     *
     * @param row  absolute index.
     * @param from offset in the source region.
     * @param to   offset in the target's region.
     */
    public void set(final long row, final long from, final long to)
    {
        payload.set((int)(row % slots), from, to);
    }

    /**
     * Set the offsets of a row's scales.
     *
     * @param row  absolute index.
     * @param from offset in the source region.
     * @param to   offset in the target's region.
     */
    public void setScales(final long row, final long from, final long to)
    {
        scales.set((int)(row % slots), from, to);
    }

    /**
     * Have chunks that begin from now on read their sources only when row kernels have completed a position.
     *
     * @param kernels  which write the sources.
     * @param position returned by them.
     * @return false to retry later.
     */
    public boolean startsAfter(final RowKernels kernels, final long position)
    {
        return self.isAccepted(self.channel().startAfter(kernels, position));
    }

    /**
     * Begin the next chunk, whose entries are set.
     *
     * @param rows of it, positive.
     * @return work done.
     */
    public int begin(final int rows)
    {
        transfer.begin(begun, rows);
        begun += rows;
        return 1 + transfer.advance();
    }

    /**
     * Hand on what the channel takes.
     *
     * @return number of operations accepted.
     */
    public int advance()
    {
        return transfer.advance();
    }

    /**
     * Rows of all chunks begun.
     *
     * @return row after the last of them.
     */
    public long begun()
    {
        return begun;
    }

    /**
     * Rows that are in the target; device work that reads them acquires its region first (rule ORD-3).
     *
     * @return row after the last of them.
     */
    public long arrived()
    {
        return signals.getAcquire(tailSignal);
    }

    /**
     * Rows whose sources the transport reads no more.
     *
     * @param end at most so many are asked for.
     * @return row after the last of them, at most end.
     */
    public long released(final long end)
    {
        while (released < end && released < transfer.finished() && transfer.isReleased(released))
        {
            released++;
        }

        return released;
    }

    /**
     * Whether what was last copied from a row's slot is released.
     *
     * @param row absolute index; its slot is of no chunk under way.
     * @return true if nothing reads it.
     */
    public boolean isReleased(final long row)
    {
        return transfer.isReleased(row);
    }

    /**
     * Whether all chunks are in the target and their sources released.
     *
     * @return true if nothing is under way.
     */
    public boolean isComplete()
    {
        return arrived() == begun && !transfer.isActive() &&
            self.channel().releasedPosition() >= transfer.sourcePosition();
    }

    /**
     * Report rows which are under way.
     *
     * @param wait to fill.
     * @return false if none are.
     */
    public boolean awaits(final Wait wait)
    {
        final long arrived = arrived();
        if (arrived < begun)
        {
            return wait.set(self.peer(), self.lane(), WaitCounter.STAGED_TAIL, begun, arrived);
        }

        return transfer.awaits(wait);
    }
}
