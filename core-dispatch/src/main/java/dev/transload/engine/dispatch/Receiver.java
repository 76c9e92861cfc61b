/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.dispatch;

import dev.transload.engine.link.CreditReturn;
import dev.transload.engine.link.PendingHeads;
import dev.transload.engine.memory.ArenaMap;
import dev.transload.engine.memory.Geometry;
import dev.transload.engine.memory.SignalMap;
import dev.transload.engine.memory.Stage;
import dev.transload.engine.route.ExpertRoutes;
import dev.transload.engine.run.Board;
import dev.transload.engine.run.Call;
import dev.transload.engine.run.DispatchCall;
import dev.transload.engine.run.EngineThread;
import dev.transload.engine.run.Role;
import dev.transload.engine.wire.LaneMeta;
import dev.transload.engine.wire.MetaWord;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.wire.Wait;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;
import java.util.Arrays;

/**
 * Takes a channel's rows from one forwarder's ring to their final places: rank prefix + channel prefix + position, so
 * that the output is ordered by source rank and token whatever the timing. Ring slots are free again once the row
 * kernels have copied them.
 */
public final class Receiver extends Role
{
    private static final int BATCHES = 4;

    private final Geometry geometry;
    private final ArenaMap map;
    private final int channel;
    private final int forwarder;
    private final EngineThread thread;
    private final SignalRegion signals;
    private final CreditReturn credit;
    private final RowMeta layout;
    private final Batch[] batches = new Batch[BATCHES];
    private final PendingHeads pending = new PendingHeads();
    private final boolean[] isKnown;
    private final int[] received;
    private final int slots;
    private final int chunk;
    private int[][] expertCursors = new int[0][];
    private DispatchCall call;
    private Batch filled;
    private boolean areRowsSubmitted;
    private long dispatches;
    private long tail;
    private long next;
    private long head;
    private int nextBatch;
    private int localExperts;

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
        final EngineThread thread, final SignalRegion signals, final CreditReturn credit)
    {
        super(board, "receiver");
        this.geometry = geometry;
        this.map = map;
        this.channel = channel;
        this.forwarder = forwarder;
        this.thread = thread;
        this.signals = signals;
        this.credit = credit;
        this.layout = new RowMeta(geometry.maskWords(), geometry.config().maxTopk());
        this.isKnown = new boolean[geometry.nodes()];
        this.received = new int[geometry.nodes()];
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
        Arrays.fill(isKnown, false);
        Arrays.fill(received, 0);
        localExperts = call.routes().home().experts() / geometry.world().size();
        if (expertCursors.length < geometry.nodes() || expertCursors[0].length < localExperts)
        {
            expertCursors = new int[geometry.nodes()][localExperts];
        }

        return true;
    }

    @Override
    protected int step()
    {
        int work = learn();
        head = pending.settle(thread.kernels().completedPosition());
        work += credit.report(head);
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

        return work;
    }

    private int learn()
    {
        int work = 0;
        for (int node = 0; node < isKnown.length; node++)
        {
            // The output stands before a lane is entered: both sides write the same tables of the handle.
            if (!isKnown[node] && call.isOutputReady() &&
                signals.getAcquire(SignalMap.laneUp(geometry, channel, forwarder, node)) >= dispatches)
            {
                enter(node);
                work++;
            }
        }

        return work;
    }

    private void enter(final int node)
    {
        final int set = (int)((dispatches - 1) % ArenaMap.SETS);
        final int at = map.laneUpIn.index(geometry.laneUp(set, channel, forwarder, node));
        final int rank = geometry.world().rankAt(node, forwarder);
        final ExpertRoutes experts = call.routes().experts();
        experts.lane(channel, rank, MetaWord.get(map.laneUpIn.buffer(), at + LaneMeta.UP_START),
            MetaWord.get(map.laneUpIn.buffer(), at + LaneMeta.UP_END));
        if (call.routes().isExpanded())
        {
            for (int expert = 0; expert < localExperts; expert++)
            {
                expertCursors[node][expert] = experts.expertStart(expert, rank) +
                    MetaWord.get(map.laneUpIn.buffer(), at + LaneMeta.expertStartUp(expert));
            }
        }

        MetaWord.clear(map.laneUpIn.buffer(), at, LaneMeta.upBytes(localExperts));
        isKnown[node] = true;
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
        boolean isExpected = true;
        while (next < tail && next - first < chunk && isExpected)
        {
            isExpected = receive(batch);
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

    private boolean receive(final Batch batch)
    {
        final long entry = geometry.upRingStart(channel, forwarder) + next % slots;
        final int at = map.rowMetaUpIn.index(entry);
        final int rank = layout.sourceRank(map.rowMetaUpIn.buffer(), at);
        final int node = rank / geometry.locals();
        final ExpertRoutes experts = call.routes().experts();
        if (!isKnown[node] || received[node] == experts.laneRows(channel, rank))
        {
            // Its lane meta is not seen yet.
            return false;
        }

        final int token = layout.sourceToken(map.rowMetaUpIn.buffer(), at);
        final int row = experts.laneStart(channel, rank) + received[node]++;
        final long from = map.payloadUpIn.offset(entry);
        if (call.routes().isExpanded())
        {
            deliverExpanded(batch, at, node, row, token, from);
        }
        else
        {
            deliver(batch, at, row, token, from);
        }

        if (received[node] == experts.laneRows(channel, rank))
        {
            call.arrived(channel, rank);
        }

        next++;
        return true;
    }

    private void deliver(final Batch batch, final int at, final int row, final int token, final long from)
    {
        place(batch, row, token, from);
        final int firstExpert = geometry.world().rank() * localExperts;
        for (int k = 0, topk = call.routes().home().topk(); k < topk; k++)
        {
            // All bits set where the expert is not here: chance decides, so that a branch would be mispredicted.
            final int expert = layout.expert(map.rowMetaUpIn.buffer(), at, k) - firstExpert;
            final int elsewhere = (expert | localExperts - 1 - expert) >> Integer.SIZE - 1;
            final int weight = Float.floatToRawIntBits(layout.weight(map.rowMetaUpIn.buffer(), at, k));
            call.outputTopk(row, k, expert | elsewhere, Float.intBitsToFloat(weight & ~elsewhere));
        }
    }

    private void deliverExpanded(
        final Batch batch, final int at, final int node, final int row, final int token, final long from)
    {
        final int firstExpert = geometry.world().rank() * localExperts;
        for (int k = 0, topk = call.routes().home().topk(); k < topk; k++)
        {
            final int expert = layout.expert(map.rowMetaUpIn.buffer(), at, k) - firstExpert;
            if (expert >= 0 && expert < localExperts)
            {
                final int place = expertCursors[node][expert]++;
                place(batch, place, token, from);
                call.outputTopk(place, 0, expert, layout.weight(map.rowMetaUpIn.buffer(), at, k));
                call.routes().experts().place(row, k, place);
            }
        }
    }

    private void place(final Batch batch, final int row, final int token, final long from)
    {
        call.outputSource(row, token);
        if (call.isExposed())
        {
            return;
        }

        batch.add(from, call.outputOffset(row));
        if (call.scaleBytes() > 0)
        {
            batch.addScales(from + call.rowBytes(), call.outputScaleOffset(row));
        }
    }

    private int submit()
    {
        final RowKernels kernels = thread.kernels();
        if (0 == filled.count())
        {
            filled.submitted(kernels.completedPosition());
        }
        else if (!submit(kernels))
        {
            return 0;
        }

        pending.add(filled.position(), filled.head());
        areRowsSubmitted = false;
        filled = null;
        return 1;
    }

    private boolean submit(final RowKernels kernels)
    {
        if (!areRowsSubmitted)
        {
            final long position = kernels.copyRows(ring(), call.outputRows(), filled.rows(), 0, filled.count());
            if (position < 0)
            {
                return false;
            }

            filled.submitted(position);
            areRowsSubmitted = true;
        }

        if (call.scaleBytes() > 0)
        {
            final long position = kernels.copyRows(ring(), call.outputScales(), filled.scales(), 0, filled.count());
            if (position < 0)
            {
                return false;
            }

            filled.submitted(position);
        }

        return true;
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
        if (null != filled || !pending.isEmpty() || credit.isDue(head))
        {
            return false;
        }

        for (int node = 0; node < isKnown.length; node++)
        {
            if (!isKnown[node] || received[node] <
                call.routes().experts().laneRows(channel, geometry.world().rankAt(node, forwarder)))
            {
                return false;
            }
        }

        return true;
    }

    @Override
    protected boolean awaits(final Wait wait)
    {
        final int rank = geometry.world().rankAt(geometry.world().node(), forwarder);
        for (int node = 0; node < isKnown.length; node++)
        {
            if (call.isOutputReady() && !isKnown[node])
            {
                return wait.set(rank, channel, Wait.Counter.SCALE_UP_LANE, dispatches,
                    signals.getAcquire(SignalMap.laneUp(geometry, channel, forwarder, node)));
            }
        }

        if (!call.isOutputReady())
        {
            return false;
        }

        if (!pending.isEmpty())
        {
            return wait.set(geometry.world().rank(), channel, Wait.Counter.KERNELS, pending.awaited(),
                thread.kernels().completedPosition());
        }

        return wait.set(rank, channel, Wait.Counter.SCALE_UP_TAIL, next + missing(), tail);
    }

    private int missing()
    {
        int rows = 0;
        for (int node = 0; node < received.length; node++)
        {
            rows += call.routes().experts().laneRows(channel, geometry.world().rankAt(node, forwarder)) -
                received[node];
        }

        return rows;
    }
}
