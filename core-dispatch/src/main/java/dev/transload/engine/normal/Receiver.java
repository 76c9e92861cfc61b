/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.connect.ThreadResources;
import dev.transload.engine.ring.CreditReturn;
import dev.transload.engine.ring.PendingHeads;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;

/**
 * Takes a channel's rows from one forwarder's ring and has them delivered: payload that passed the ring is copied to
 * its final place by row kernels, and slots are free again once that is done. Listed rows pass the ring by.
 */
public final class Receiver extends Role
{
    private static final int BATCHES = 4;

    /** Metadata beside rows that move by themselves: other roles of the thread have more urgent things to do. */
    private static final int LISTED_ENTRIES_A_STEP = 128;

    private final Geometry geometry;
    private final ArenaMap map;
    private final int channel;
    private final int forwarder;
    private final ThreadResources thread;
    private final SignalRegion signals;
    private final CreditReturn credit;
    private final Delivery delivery;
    private final Batch[] batches = new Batch[BATCHES];
    private final PendingHeads pending = new PendingHeads();
    private final ListedArrivals listed;
    private final int slots;
    private final int chunk;
    private DispatchCall call;
    private Batch filled;
    private boolean isWritten;
    private long dispatches;
    private long tail;
    private long next;
    private long head;
    private int nextBatch;

    /**
     * Of a channel, from one forwarder.
     *
     * @param board     of the engine.
     * @param geometry  sizes.
     * @param map       memory.
     * @param channel   lane.
     * @param forwarder local rank that the rows come from.
     * @param thread    which runs it.
     * @param signals   own signals of the scale-up stage.
     * @param credit    return of it to the forwarder.
     */
    public Receiver(
        final Board board, final Geometry geometry, final ArenaMap map, final int channel, final int forwarder,
        final ThreadResources thread, final SignalRegion signals, final CreditReturn credit)
    {
        super(board, "receiver");
        this.geometry = geometry;
        this.map = map;
        this.channel = channel;
        this.forwarder = forwarder;
        this.thread = thread;
        this.signals = signals;
        this.credit = credit;
        this.listed = new ListedArrivals(geometry, signals, channel, forwarder);
        this.delivery = new Delivery(geometry, map, channel, forwarder);
        this.slots = geometry.upRing();
        this.chunk = geometry.config().scaleUp().chunk();
        for (int i = 0; i < BATCHES; i++)
        {
            batches[i] = new Batch(thread.kernels(), chunk * geometry.config().maxTopk());
        }
    }

    @Override
    protected boolean begin(final Call under)
    {
        if (!(under instanceof DispatchCall))
        {
            return false;
        }

        call = (DispatchCall)under;
        dispatches++;
        delivery.begin(call);
        isWritten = false;
        return true;
    }

    @Override
    protected int step()
    {
        int work = learn();
        head = pending.settle(thread.kernels().completedPosition());
        work += credit.report(head);
        if (listed.haveJustCome())
        {
            acquire();
            delivery.concludeListed();
            work++;
        }

        if (null != filled)
        {
            return work + submit();
        }

        final Batch batch = batches[nextBatch];
        if (call.isOutputReady() && pending.hasRoom() &&
            thread.kernels().completedPosition() >= batch.position() && hasRows())
        {
            work += collect(batch);
        }

        if (!isWritten && delivery.isComplete())
        {
            isWritten = true;
            call.topkWritten();
        }

        return work;
    }

    private int learn()
    {
        int work = 0;
        for (int node = 0; node < geometry.nodes(); node++)
        {
            // The output stands before a lane is entered: both sides write the same tables of the handle.
            if (!delivery.isKnown(node) && call.isOutputReady() &&
                signals.getAcquire(SignalMap.laneUp(geometry, channel, forwarder, node)) >= dispatches)
            {
                delivery.enter(node, (int)((dispatches - 1) % ArenaMap.SETS));
                if (delivery.isListed())
                {
                    listed.expect(delivery.listedRows(), ListedRows.signalOfScales(call));
                }

                work++;
            }
        }

        return work;
    }

    private boolean hasRows()
    {
        if (next == tail)
        {
            tail = signals.getAcquire(SignalMap.dispatchTailUp(geometry, channel, forwarder));
            if (next < tail)
            {
                thread.tally().found(Stage.SCALE_UP, tail - next);
                acquire();
            }
        }

        return next < tail;
    }

    private int collect(final Batch batch)
    {
        batch.begin(call.rowBytes(), call.scaleBytes());
        final long first = next;
        int count = 1;
        final int most = delivery.isListed() ? Math.min(chunk, LISTED_ENTRIES_A_STEP) : chunk;
        while (count > 0 && next < tail && next - first < most)
        {
            final int slot = (int)(next % slots);
            count = delivery.deliver(
                batch, slot, (int)Math.min(Math.min(tail - next, first + most - next), slots - slot));
            next += count;
        }

        if (next == first)
        {
            return 0;
        }

        batch.end(next);
        filled = batch;
        nextBatch = (nextBatch + 1) % BATCHES;
        return (int)(next - first) + submit();
    }

    private int submit()
    {
        if (!filled.submit(call, ring()))
        {
            return 0;
        }

        pending.add(filled.position(), filled.head());
        filled = null;
        return 1;
    }

    private void acquire()
    {
        if (!call.isExposed())
        {
            thread.acquire(Stage.SCALE_UP, ring());
            return;
        }

        thread.acquire(Stage.SCALE_UP, call.outputRows());
        if (call.scaleBytes() > 0)
        {
            thread.acquire(Stage.SCALE_UP, call.outputScales());
        }
    }

    private MemoryRegion ring()
    {
        return map.payloadUpIn.arena().region(Stage.SCALE_UP);
    }

    @Override
    protected boolean isComplete()
    {
        return null == filled && pending.isEmpty() && !credit.isDue(head) && delivery.isComplete() &&
            listed.isComplete();
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        final int rank = geometry.world().rankAt(geometry.world().node(), forwarder);
        for (int node = 0; node < geometry.nodes(); node++)
        {
            if (call.isOutputReady() && !delivery.isKnown(node))
            {
                return wait.set(rank, channel, WaitCounter.SCALE_UP_LANE, dispatches,
                    signals.getAcquire(SignalMap.laneUp(geometry, channel, forwarder, node)));
            }
        }

        if (!call.isOutputReady())
        {
            return false;
        }

        if (listed.awaits(wait, rank, channel))
        {
            return true;
        }

        if (!pending.isEmpty())
        {
            return wait.set(geometry.world().rank(), channel, WaitCounter.KERNELS, pending.awaited(),
                thread.kernels().completedPosition());
        }

        return wait.set(rank, channel, WaitCounter.SCALE_UP_TAIL, next + delivery.missing(), tail);
    }
}
