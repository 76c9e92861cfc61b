/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.WorkQueue;

/**
 * A ring whose rows go on to another ring of this rank, from the payload's memory to host memory or back: the scale-up
 * transport puts chunks of slots to the own rank (rules CON-4, MEM-8) and adds to a signal there. One put moves a
 * chunk, which a device's copy engine does beside what its processors do. Each direction has a connection of its own.
 */
public final class Staging
{
    private final Connection self;
    private final SignalRegion signals;
    private final int tailSignal;
    private final Section source;
    private final long sourceStart;
    private final Section target;
    private final long targetStart;
    private final RingPuts puts;
    private long base;

    /**
     * For one ring.
     *
     * @param self        scale-up connection to the own rank.
     * @param signals     own signals of the scale-up stage.
     * @param tailSignal  index among them, of rows that have arrived.
     * @param source      section of the ring that rows come from.
     * @param sourceStart entry of its slot 0.
     * @param target      section of the ring that they go to, exported by the scale-up transport.
     * @param targetStart entry of its slot 0.
     */
    public Staging(
        final Connection self, final SignalRegion signals, final int tailSignal, final Section source,
        final long sourceStart, final Section target, final long targetStart, final int slots)
    {
        this.self = self;
        this.signals = signals;
        this.tailSignal = tailSignal;
        this.source = source;
        this.sourceStart = sourceStart;
        this.target = target;
        this.targetStart = targetStart;
        this.puts = new RingPuts(self, slots, true);
    }

    /**
     * A call begins.
     *
     * @param slotBytes distance of slots in both rings, all of which is copied.
     */
    public void begin(final long slotBytes)
    {
        base += puts.sent();
        puts.begin();
        puts.use(RingPuts.ROWS, source.arena().region(Stage.SCALE_UP), source.offset(sourceStart),
            self.remote(target), target.offset(targetStart), slotBytes, slotBytes);
    }

    /**
     * Whether a chunk can begin.
     *
     * @return true if the one before is accepted.
     */
    public boolean isFree()
    {
        return puts.isFree();
    }

    /** Have chunks that begin from now on read their sources only when row kernels have completed a position. */
    public boolean startsAfter(final WorkQueue kernels, final long position)
    {
        return puts.startsAfter(kernels, position);
    }

    /**
     * Begin the next chunk.
     *
     * @param rows of it, positive.
     */
    public int copy(final int rows)
    {
        return 1 + puts.send(rows, tailSignal, rows, 0);
    }

    /** Hand on what the channel takes. */
    public int advance()
    {
        return puts.advance();
    }

    /** Rows of all chunks begun. */
    public int begun()
    {
        return puts.sent();
    }

    /** Rows that are in the target; device work that reads them acquires its region first (rule ORD-3). */
    public int arrived()
    {
        return (int)(signals.getAcquire(tailSignal) - base);
    }

    /** Rows whose sources the transport reads no more. */
    public int released()
    {
        return puts.released();
    }

    /**
     * Whether all chunks are in the target and their sources released.
     *
     * @return true if nothing is under way.
     */
    public boolean isComplete()
    {
        return arrived() == puts.sent() && puts.isComplete();
    }

    /** Report rows which are under way. */
    public boolean isWaiting(final Wait wait)
    {
        final int arrived = arrived();
        return arrived < puts.sent() ?
            wait.set(self.peer(), self.channelIndex(), WaitCounter.STAGED_TAIL, base + puts.sent(), base + arrived) :
            puts.isWaiting(wait);
    }
}
