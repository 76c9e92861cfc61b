/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.combine;

import dev.transload.engine.link.Credit;
import dev.transload.engine.link.CreditReturn;
import dev.transload.engine.link.PendingHeads;
import dev.transload.engine.memory.ArenaMap;
import dev.transload.engine.memory.Geometry;
import dev.transload.engine.memory.Section;
import dev.transload.engine.memory.SignalMap;
import dev.transload.engine.memory.Stage;
import dev.transload.engine.route.ForwardRoutes;
import dev.transload.engine.run.CombineCall;
import dev.transload.engine.run.EngineThread;
import dev.transload.engine.wire.Wait;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.spi.SignalRegion;

/**
 * One home node as a channel's combine forwarder sees it: G sub-rings of rows in, one ring of partial sums out. The own
 * node's ring is written in place; others are sent on ({@link PartialSums}).
 */
public final class Home
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final EngineThread thread;
    private final SignalRegion signals;
    private final CombineLane lane;
    private final int node;
    private final PartialSums outgoing;
    private final Credit credit;
    private final CreditReturn[] returns;
    private final long[] tails;
    private final long[] heads;
    private final PendingHeads[] consumed;
    private final PendingHeads produced = new PendingHeads();
    private final Reduction reduction = new Reduction();
    private final ReductionList sums;
    private final int slots;
    private final int subSlots;
    private final int upChunk;
    private CombineCall call;
    private ForwardRoutes routes;
    private int row;
    private int rows;
    private int collected;
    private long tail;
    private long sumsPosition;

    /**
     * Of a channel.
     *
     * @param geometry sizes.
     * @param map      memory.
     * @param thread   which drives it.
     * @param signals  own signals of the scale-up stage.
     * @param lane     shared state of the channel.
     * @param node     home.
     * @param outgoing sums on their way to that node, null for the own one.
     * @param credit   head of its ring, null for the own node.
     * @param returns  of credit for the sub-rings, by local rank.
     */
    public Home(
        final Geometry geometry, final ArenaMap map, final EngineThread thread, final SignalRegion signals,
        final CombineLane lane, final int node, final PartialSums outgoing, final Credit credit,
        final CreditReturn[] returns)
    {
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.signals = signals;
        this.lane = lane;
        this.node = node;
        this.outgoing = outgoing;
        this.credit = credit;
        this.returns = returns;
        this.tails = new long[geometry.locals()];
        this.heads = new long[geometry.locals()];
        this.consumed = new PendingHeads[geometry.locals()];
        for (int local = 0; local < consumed.length; local++)
        {
            consumed[local] = new PendingHeads();
        }

        this.slots = geometry.outRing();
        this.subSlots = geometry.subRing();
        this.upChunk = geometry.config().scaleUp().chunk();
        this.sums = thread.kernels().allocateReduction(upChunk, upChunk * geometry.locals());
    }

    void begin(final CombineCall next)
    {
        call = next;
        routes = call.routes().forward();
        row = 0;
        rows = routes.rows(lane.channel(), node);
        collected = 0;
        reduction.source(map.rowsUpIn.arena().region(Stage.SCALE_UP), ElementType.BF16)
            .target(target().arena().region(Stage.SCALE_UP), geometry.partialType())
            .hidden(call.hidden());
        if (null != outgoing)
        {
            outgoing.begin(call);
        }
    }

    private Section target()
    {
        return null == outgoing ? map.partialsOutIn : map.partialsOutOut;
    }

    int step()
    {
        int work = settle();
        if (0 == collected && row < rows && thread.kernels().completedPosition() >= sumsPosition && hasRoom())
        {
            work += collect();
        }

        if (collected > 0)
        {
            work += submit();
        }

        return null == outgoing ? work : work + outgoing.step(tail, sumsPosition, row == rows);
    }

    private boolean hasRoom()
    {
        return produced.hasRoom() && consumed[0].hasRoom();
    }

    private int settle()
    {
        final long completed = thread.kernels().completedPosition();
        int work = 0;
        for (int local = 0; local < consumed.length; local++)
        {
            work += returns[local].report(consumed[local].settle(completed));
        }

        if (null == outgoing)
        {
            lane.ownTail().setRelease(produced.settle(completed));
        }

        return work;
    }

    private int collect()
    {
        refresh();
        final long needed = tail + Math.min(upChunk, rows - row) - slots;
        final long head = null == credit ? lane.ownHead().getAcquire() : credit.head(needed);
        long room = Math.min(upChunk, slots - (tail - head));
        while (room > 0 && null != outgoing && !outgoing.isReleased(tail + room - 1))
        {
            room--;
        }

        sums.clear();
        int count = 0;
        while (count < room && row + count < rows && isReady(row + count))
        {
            sum(row + count, tail + count);
            count++;
        }

        collected = count;
        return count;
    }

    private void refresh()
    {
        boolean isNew = false;
        for (int local = 0; local < tails.length; local++)
        {
            final long seen = signals.getAcquire(SignalMap.combineTailUp(geometry, lane.channel(), local, node));
            isNew |= seen > tails[local];
            tails[local] = seen;
            thread.tally().found(Stage.SCALE_UP, seen - heads[local]);
        }

        if (isNew)
        {
            thread.acquire(Stage.SCALE_UP, map.rowsUpIn.arena().region(Stage.SCALE_UP));
        }
    }

    private boolean isReady(final int index)
    {
        for (int local = 0; local < tails.length; local++)
        {
            if (heads[local] == tails[local] && routes.isForwarded(lane.channel(), node, index, local))
            {
                return false;
            }
        }

        return true;
    }

    private void sum(final int index, final long target)
    {
        final int slot = (int)(target % slots);
        sums.beginGroup(target().offset(ringEntry() + slot), 0, 0);
        final Section weightTarget = null == outgoing ? map.partialWeightsOutIn : map.partialWeightsOutOut;
        final int weightAt = weightTarget.index(ringEntry() + slot);
        final int weightBytes = call.weightBytes();
        for (int at = 0; at < weightBytes; at += Float.BYTES)
        {
            weightTarget.buffer().putFloat(weightAt + at, 0f);
        }

        for (int local = 0; local < heads.length; local++)
        {
            if (routes.isForwarded(lane.channel(), node, index, local))
            {
                final long entry =
                    geometry.subRingStart(lane.channel(), local, node) + heads[local] % subSlots;
                sums.addSource(map.rowsUpIn.offset(entry), 1f);
                addWeights(weightTarget, weightAt, map.weightsUpIn.index(entry), weightBytes);
                heads[local]++;
            }
        }
    }

    private void addWeights(final Section target, final int to, final int from, final int bytes)
    {
        for (int at = 0; at < bytes; at += Float.BYTES)
        {
            target.buffer().putFloat(
                to + at, target.buffer().getFloat(to + at) + map.weightsUpIn.buffer().getFloat(from + at));
        }
    }

    private long ringEntry()
    {
        return null == outgoing ? geometry.outRingStart(lane.channel(), node) : outgoing.ringEntry();
    }

    private int submit()
    {
        final long position = thread.kernels().reduceRows(reduction, sums, 0, collected);
        if (position < 0)
        {
            return 0;
        }

        sumsPosition = position;
        for (int local = 0; local < heads.length; local++)
        {
            consumed[local].add(position, heads[local]);
        }

        tail += collected;
        row += collected;
        collected = 0;
        if (null == outgoing)
        {
            produced.add(position, tail);
        }

        return 1;
    }

    boolean isComplete()
    {
        if (row < rows || collected > 0 || thread.kernels().completedPosition() < sumsPosition || !areReturned())
        {
            return false;
        }

        return null == outgoing ? produced.isEmpty() : outgoing.isComplete(tail);
    }

    private boolean areReturned()
    {
        for (int local = 0; local < consumed.length; local++)
        {
            if (!consumed[local].isEmpty() || returns[local].isDue(heads[local]))
            {
                return false;
            }
        }

        return true;
    }

    boolean awaits(final Wait wait)
    {
        if (row < rows && 0 == collected)
        {
            for (int local = 0; local < tails.length; local++)
            {
                if (heads[local] == tails[local] && routes.isForwarded(lane.channel(), node, row, local))
                {
                    return wait.set(geometry.world().rankAt(geometry.world().node(), local), lane.channel(),
                        Wait.Counter.SCALE_UP_TAIL, heads[local] + 1, tails[local]);
                }
            }

            return wait.set(geometry.world().rankAt(node, geometry.world().local()), lane.channel(),
                Wait.Counter.SCALE_OUT_HEAD, tail + 1 - slots,
                null == credit ? lane.ownHead().getAcquire() : credit.head(0));
        }

        return null != outgoing && outgoing.awaits(wait);
    }
}
