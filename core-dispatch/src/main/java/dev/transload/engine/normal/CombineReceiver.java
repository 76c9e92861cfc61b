/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.ThreadResources;
import dev.transload.engine.plan.SendLayout;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import java.util.Arrays;

/**
 * Brings a channel's tokens home: biases, then the nodes' partial sums, nodes ascending, rounded to BF16. The own
 * node's partial sum is taken from its rows on the way, other nodes' come through rings. Where all rows are read in
 * place, a combine that repeats one submits the list of sums that was kept then, and looks at no row.
 */
public final class CombineReceiver extends Role
{
    /** Tokens whose weights are summed in a duty cycle. */
    private static final int WEIGHED_AT_ONCE = 64;

    /** Of a kept list's places: row length, sums, biases; then come those of the rows. */
    private static final int OWN_PLACES = 4;

    private final Geometry geometry;
    private final ArenaMap map;
    private final ThreadResources thread;
    private final int channel;
    private final int ownNode;
    private final int locals;
    private final ReturnedRows own;
    private final ArrivedSums[] others;
    private final SumLists lists;
    private final Reduction reduction;
    private final float[] weights;
    private final float[] ownWeights;
    private final long[] places;
    private CombineCall call;
    private SendLayout routes;
    private int topk;
    private int token;
    private int lastToken;
    private int ownToken;
    private int collected;
    private int weighed;
    private boolean areKnown;
    private boolean areInParts;
    private boolean areTaken;
    private boolean isWritten;
    private long lastPosition;

    /**
     * Of a channel.
     *
     * @param board    of the engine.
     * @param geometry sizes.
     * @param map      memory.
     * @param thread   which runs it.
     * @param channel  lane.
     * @param own      rows of the own node's ranks.
     * @param others   sums of other nodes by node, null for the own one.
     */
    public CombineReceiver(
        final Board board, final Geometry geometry, final ArenaMap map, final ThreadResources thread, final int channel,
        final ReturnedRows own, final ArrivedSums[] others)
    {
        super(board, "combine-receiver");
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.channel = channel;
        this.ownNode = geometry.world().node();
        this.locals = geometry.locals();
        this.own = own;
        this.others = others;
        this.weights = new float[geometry.config().maxTopk()];
        this.ownWeights = new float[geometry.config().maxTopk()];
        this.reduction = new Reduction(geometry.nodes() > 1 ? locals + 1 : locals);
        this.places = new long[OWN_PLACES + 2 * locals];
        this.lists = new SumLists(
            thread.kernels(), Math.min(geometry.nodes() - 1 + locals, geometry.config().maxTopk()));
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
        topk = call.weightBytes() / Float.BYTES;
        token = routes.firstToken(channel);
        lastToken = routes.firstToken(channel + 1);
        ownToken = 0;
        collected = 0;
        weighed = token;
        areKnown = false;
        areTaken = false;
        isWritten = false;
        lists.begin();
        own.begin(call);
        for (final ArrivedSums other : others)
        {
            if (null != other)
            {
                other.begin(call);
                ArrivedSums.readBy(reduction, locals, map, geometry);
            }
        }

        // A sum of one part that nothing rounds has the same bits without it, unless biases are summed before.
        areInParts = others.length > 1 || null != call.bias(0);
        reduction.partType(geometry.partialType())
            .target(call.outputRows(), call.outputOffset(0), call.rowBytes(), ElementType.BF16)
            .biases(call.bias(0), call.biasOffset(0, 0), call.bias(1), call.biasOffset(1, 0), call.rowBytes())
            .hidden(call.hidden());
        return true;
    }

    @Override
    protected int step()
    {
        int work = settle();
        if (0 == collected && areKnown() && token < lastToken && own.hasRoom() && lists.isFree())
        {
            work += collect();
        }

        if (collected > 0)
        {
            work += submit();
        }

        if (lists.areWritten() && token == lastToken && !areTaken)
        {
            work += weigh();
        }

        if (!isWritten && token == lastToken && (!lists.areWritten() || areTaken))
        {
            isWritten = true;
            call.topkWritten();
        }

        return work;
    }

    private int settle()
    {
        final long completed = thread.kernels().completedPosition();
        int work = own.settle(completed);
        for (final ArrivedSums other : others)
        {
            work += null == other ? 0 : other.settle(completed);
        }

        return work;
    }

    private boolean areKnown()
    {
        if (!areKnown && own.areKnown(reduction))
        {
            areKnown = true;
            if (1 == others.length && token < lastToken && own.areInPlace())
            {
                keep();
            }
        }

        return areKnown;
    }

    private void keep()
    {
        places[0] = call.rowBytes();
        places[1] = call.outputOffset(0);
        for (int bias = 0; bias < 2; bias++)
        {
            places[2 + bias] = null == call.bias(bias) ? -1 : call.biasOffset(bias, 0);
        }

        own.places(places, OWN_PLACES);
        lists.keep(call.routes(), lastToken - token, places);
    }

    private int collect()
    {
        own.refresh();
        for (final ArrivedSums other : others)
        {
            if (null != other)
            {
                other.refresh();
            }
        }

        final int most = Math.min(lists.limit(), lastToken - token);
        if (lists.areWritten())
        {
            collected = own.areAllHere() ? most : 0;
        }
        else if (isReady(token))
        {
            write(lists.open(), most);
        }

        return collected;
    }

    private void write(final RowTable sums, final int most)
    {
        while (collected < most && isReady(token + collected))
        {
            sum(sums, token + collected);
            collected++;
        }
    }

    private boolean isReady(final int candidate)
    {
        for (int node = 0; node < others.length; node++)
        {
            if (routes.isInNode(candidate, node) &&
                !(node == ownNode ? own.isReady(ownToken) : others[node].isReady()))
            {
                return false;
            }
        }

        return true;
    }

    private void sum(final RowTable sums, final int one)
    {
        sums.beginRow(one);
        Arrays.fill(weights, 0, topk, 0f);
        for (int node = 0; node < others.length; node++)
        {
            if (routes.isInNode(one, node))
            {
                if (areInParts)
                {
                    sums.beginPart();
                }

                if (node == ownNode)
                {
                    sumOwn(sums);
                }
                else
                {
                    others[node].take(sums, locals, weights, topk);
                }
            }
        }

        call.outputWeights(one, weights);
    }

    /** Weights of the own node are summed by themselves first; they are all there are where it is the only one. */
    private void sumOwn(final RowTable sums)
    {
        if (1 == others.length)
        {
            own.take(ownToken++, sums, weights);
            return;
        }

        Arrays.fill(ownWeights, 0, topk, 0f);
        own.take(ownToken++, sums, ownWeights);
        for (int k = 0; k < topk; k++)
        {
            weights[k] += ownWeights[k];
        }
    }

    private int submit()
    {
        final long position = lists.submit(reduction, collected);
        if (position < 0)
        {
            return 0;
        }

        lastPosition = position;
        if (!lists.areWritten())
        {
            own.submitted(position);
        }

        for (final ArrivedSums other : others)
        {
            if (null != other)
            {
                other.submitted(position);
            }
        }

        token += collected;
        collected = 0;
        return 1;
    }

    /** While the kernels sum what was written before; rows are given back when both are done. */
    private int weigh()
    {
        final int end = 0 == topk ? lastToken : Math.min(lastToken, weighed + WEIGHED_AT_ONCE);
        for (; topk > 0 && weighed < end; weighed++)
        {
            Arrays.fill(weights, 0, topk, 0f);
            if (routes.isInNode(weighed, ownNode))
            {
                own.weigh(ownToken++, weights);
            }

            call.outputWeights(weighed, weights);
        }

        if (end == lastToken)
        {
            own.takeAll();
            own.submitted(lastPosition);
            areTaken = true;
        }

        return 1;
    }

    @Override
    protected boolean isComplete()
    {
        if (token < lastToken || collected > 0 || lists.areWritten() && !areTaken || !own.areReturned())
        {
            return false;
        }

        for (final ArrivedSums other : others)
        {
            if (null != other && !other.isComplete())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        if (token == lastToken || collected > 0)
        {
            return false;
        }

        if (lists.areWritten())
        {
            return own.awaitsAny(wait);
        }

        if (own.awaits(wait, routes.isInNode(token, ownNode) ? ownToken : own.tokens()))
        {
            return true;
        }

        for (int node = 0; node < others.length; node++)
        {
            if (null != others[node] && !others[node].isReady() && routes.isInNode(token, node))
            {
                return others[node].awaits(wait);
            }
        }

        return false;
    }
}
