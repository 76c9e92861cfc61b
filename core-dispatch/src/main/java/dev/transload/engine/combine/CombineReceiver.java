/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.combine;

import dev.transload.engine.link.CreditReturn;
import dev.transload.engine.link.PendingHeads;
import dev.transload.engine.link.Staging;
import dev.transload.engine.memory.ArenaMap;
import dev.transload.engine.memory.Geometry;
import dev.transload.engine.memory.SignalMap;
import dev.transload.engine.memory.Stage;
import dev.transload.engine.route.HomeRoutes;
import dev.transload.engine.run.Board;
import dev.transload.engine.run.Call;
import dev.transload.engine.run.CombineCall;
import dev.transload.engine.run.EngineThread;
import dev.transload.engine.run.Role;
import dev.transload.engine.wire.Wait;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.spi.SignalRegion;

/**
 * Brings a channel's tokens home: biases, then the nodes' partial sums, nodes ascending, rounded to BF16. The own
 * node's partial sum is taken from its rows on the way, other nodes' come through rings; those that came into host
 * memory are copied to the payload's memory first.
 */
public final class CombineReceiver extends Role
{
    private static final int TOKENS_A_BATCH = 64;
    private static final int BATCHES = 4;

    private final Geometry geometry;
    private final ArenaMap map;
    private final EngineThread thread;
    private final SignalRegion signals;
    private final int channel;
    private final ReturnedRows own;
    private final CreditReturn[] returns;
    private final Staging[] stagings;
    private final ReductionList[] sums = new ReductionList[BATCHES];
    private final long[] positions = new long[BATCHES];
    private final Reduction reduction;
    private final PendingHeads[] consumed;
    private final long[] tails;
    private final long[] heads;
    private final float[] weights;
    private final float[] ownWeights;
    private final int locals;
    private final int chunk;
    private CombineCall call;
    private HomeRoutes routes;
    private int token;
    private int lastToken;
    private int ownToken;
    private int collected;
    private int batch;

    /**
     * Of a channel.
     *
     * @param board    of the engine.
     * @param geometry sizes.
     * @param map      memory.
     * @param thread   which runs it.
     * @param signals  own signals of the scale-out stage, null in a world of one node.
     * @param channel  lane.
     * @param own      rows of the own node's ranks.
     * @param returns  of credit by node, null for the own one.
     * @param stagings of partial sums by node, null for the own one and where nothing is staged.
     */
    public CombineReceiver(
        final Board board, final Geometry geometry, final ArenaMap map, final EngineThread thread,
        final SignalRegion signals, final int channel, final ReturnedRows own, final CreditReturn[] returns,
        final Staging[] stagings)
    {
        super(board, "combine-receiver");
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.signals = signals;
        this.channel = channel;
        this.own = own;
        this.locals = geometry.locals();
        this.returns = returns;
        this.stagings = stagings;
        this.tails = new long[geometry.nodes()];
        this.heads = new long[geometry.nodes()];
        this.weights = new float[geometry.config().maxTopk()];
        this.ownWeights = new float[geometry.config().maxTopk()];
        this.reduction = new Reduction(locals + 1);
        this.chunk = geometry.config().scaleOut().chunk();
        this.consumed = new PendingHeads[geometry.nodes()];
        for (int node = 0; node < consumed.length; node++)
        {
            consumed[node] = new PendingHeads();
        }

        for (int i = 0; i < BATCHES; i++)
        {
            sums[i] = thread.kernels().allocateReduction(
                TOKENS_A_BATCH, TOKENS_A_BATCH * (geometry.nodes() - 1 + locals));
        }
    }

    @Override
    protected boolean begin(final Call next)
    {
        if (!(next instanceof CombineCall))
        {
            return false;
        }

        call = (CombineCall)next;
        routes = call.routes().home();
        token = routes.firstToken(channel);
        lastToken = routes.firstToken(channel + 1);
        ownToken = 0;
        collected = 0;
        own.begin(call);
        reduction.source(locals, map.partialsOutIn.arena().region(Stage.SCALE_UP), geometry.partialType())
            .partType(geometry.partialType())
            .target(call.outputRows(), ElementType.BF16)
            .biases(call.bias(0), call.bias(1))
            .hidden(call.hidden());
        for (final Staging staging : stagings)
        {
            if (null != staging)
            {
                staging.use(map.wirePartialsIn.arena().region(Stage.SCALE_UP),
                    call.hidden() * geometry.partialType().bytes(), null, 0);
            }
        }

        return true;
    }

    @Override
    protected int step()
    {
        int work = settle() + stage();
        if (0 == collected && own.areKnown(reduction) && token < lastToken && own.hasRoom() &&
            thread.kernels().completedPosition() >= positions[batch])
        {
            work += collect();
        }

        return collected > 0 ? work + submit() : work;
    }

    private int settle()
    {
        final long completed = thread.kernels().completedPosition();
        int work = own.settle(completed);
        for (int node = 0; node < consumed.length; node++)
        {
            if (!isOwn(node))
            {
                final long head = consumed[node].settle(completed);
                work += returns[node].report(null == stagings[node] ? head : stagings[node].released(head));
            }
        }

        return work;
    }

    /** What has arrived in host memory goes on to where it is summed; the same slots, so that credit guards both. */
    private int stage()
    {
        int work = 0;
        for (int node = 0; node < stagings.length; node++)
        {
            final Staging staging = stagings[node];
            if (null != staging)
            {
                work += staging.advance();
                final int count = (int)Math.min(arrivedOverWire(node) - staging.begun(), chunk);
                if (count > 0 && staging.hasRoom(count))
                {
                    work += stage(node, staging, count);
                }
            }
        }

        return work;
    }

    private int stage(final int node, final Staging staging, final int count)
    {
        for (long row = staging.begun(), end = row + count; row < end; row++)
        {
            final long entry = ring(node) + row % geometry.outRing();
            staging.set(row, map.wirePartialsIn.offset(entry), map.partialsOutIn.offset(entry));
        }

        return staging.begin(count);
    }

    private long ring(final int node)
    {
        return geometry.otherRingStart(channel, node, geometry.world().node());
    }

    private boolean isOwn(final int node)
    {
        return node == geometry.world().node();
    }

    private long arrivedOverWire(final int node)
    {
        return signals.getAcquire(SignalMap.combineTailOut(geometry, channel, node));
    }

    private int collect()
    {
        refresh();
        sums[batch].clear();
        int count = 0;
        while (count < TOKENS_A_BATCH && token + count < lastToken && isReady(token + count))
        {
            sum(token + count);
            count++;
        }

        collected = count;
        return count;
    }

    private void refresh()
    {
        own.refresh();
        boolean isNew = false;
        for (int node = 0; node < tails.length; node++)
        {
            if (!isOwn(node))
            {
                final long seen = null == stagings[node] ? arrivedOverWire(node) : stagings[node].arrived();
                isNew |= seen > tails[node];
                tails[node] = seen;
                thread.tally().found(Stage.SCALE_OUT, seen - heads[node]);
            }
        }

        if (isNew)
        {
            final Stage writer = map.isStaged() ? Stage.SCALE_UP : Stage.SCALE_OUT;
            thread.acquire(writer, map.partialsOutIn.arena().region(writer));
        }
    }

    private boolean isReady(final int candidate)
    {
        for (int node = 0; node < tails.length; node++)
        {
            if (routes.isInNode(candidate, node) &&
                (isOwn(node) ? !own.isReady(ownToken) : heads[node] == tails[node]))
            {
                return false;
            }
        }

        return true;
    }

    private void sum(final int one)
    {
        sums[batch].beginGroup(call.outputOffset(one), call.biasOffset(0, one), call.biasOffset(1, one));
        final int topk = call.weightBytes() / Float.BYTES;
        for (int k = 0; k < topk; k++)
        {
            weights[k] = 0f;
        }

        for (int node = 0; node < heads.length; node++)
        {
            if (routes.isInNode(one, node))
            {
                sums[batch].beginPart();
                if (isOwn(node))
                {
                    sumOwn(topk);
                }
                else
                {
                    sumArrived(node, topk);
                }
            }
        }

        for (int k = 0; k < topk; k++)
        {
            call.outputWeight(one, k, weights[k]);
        }
    }

    private void sumOwn(final int topk)
    {
        for (int k = 0; k < topk; k++)
        {
            ownWeights[k] = 0f;
        }

        own.take(ownToken++, sums[batch], ownWeights);
        for (int k = 0; k < topk; k++)
        {
            weights[k] += ownWeights[k];
        }
    }

    private void sumArrived(final int node, final int topk)
    {
        final long entry = ring(node) + heads[node]++ % geometry.outRing();
        sums[batch].addSource(locals, map.partialsOutIn.offset(entry), 1f);
        final int at = map.partialWeightsOutIn.index(entry);
        for (int k = 0; k < topk; k++)
        {
            weights[k] += map.partialWeightsOutIn.buffer().getFloat(at + k * Float.BYTES);
        }
    }

    private int submit()
    {
        final long position = thread.kernels().reduceRows(reduction, sums[batch], 0, collected);
        if (position < 0)
        {
            return 0;
        }

        positions[batch] = position;
        batch = (batch + 1) % BATCHES;
        own.submitted(position);
        for (int node = 0; node < heads.length; node++)
        {
            if (!isOwn(node))
            {
                consumed[node].add(position, heads[node]);
            }
        }

        token += collected;
        collected = 0;
        return 1;
    }

    @Override
    protected boolean isComplete()
    {
        if (token < lastToken || collected > 0 || !own.areReturned())
        {
            return false;
        }

        for (int node = 0; node < consumed.length; node++)
        {
            if (!consumed[node].isEmpty() || null != returns[node] && returns[node].isDue(heads[node]) ||
                null != stagings[node] && !stagings[node].isComplete())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    protected boolean awaits(final Wait wait)
    {
        if (token < lastToken && 0 == collected)
        {
            if (own.awaits(wait, isTokenOfOwn() ? ownToken : own.tokens()))
            {
                return true;
            }

            for (int node = 0; node < tails.length; node++)
            {
                if (!isOwn(node) && heads[node] == tails[node] && routes.isInNode(token, node))
                {
                    return null != stagings[node] && stagings[node].awaits(wait) ||
                        wait.set(geometry.world().rankAt(node, geometry.world().local()), channel,
                        Wait.Counter.SCALE_OUT_TAIL, heads[node] + 1, tails[node]);
                }
            }
        }

        return false;
    }

    private boolean isTokenOfOwn()
    {
        return routes.isInNode(token, geometry.world().node());
    }
}
