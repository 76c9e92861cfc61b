/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.plan.CombineTable;
import dev.transload.engine.internal.plan.ForwardTable;
import dev.transload.engine.internal.plan.SendLayout;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import java.util.Arrays;

/**
 * Brings a channel's tokens home: biases, then the nodes' partial sums, nodes ascending, rounded to BF16. The own
 * node's part is summed from its rows on the way, other nodes' come through rings. Where the own node's rows are read
 * in place, the table of all sums stays with the handle: a later combine submits it as it is.
 */
public final class CombineReceiver extends Role<CombineCall>
{
    /** Sums of host memory are done when they are submitted: few at a time, or other roles wait. */
    private static final int HOST_TOKENS = 64;
    /** What is worth a launch. The first ones have fewer where the CPU writes their sums: the device begins early. */
    private static final int DEVICE_TOKENS = 512;
    private static final int FIRST_TOKENS = 64;

    private final Geometry geometry;
    private final ThreadResources thread;
    private final int channel;
    private final int ownNode;
    private final int partials;
    private final NodeReturns own;
    private final IncomingSums[] others;
    private final Reduction reduction;
    private final RowTable scratch;
    private final float[] weights;
    private final float[] ownWeights;
    private final int mostAtOnce;
    private CombineCall call;
    private SendLayout layout;
    private CombineTable kept;
    private RowTable table;
    private int firstToken;
    private int tokens;
    private int summed;
    private int collected;
    private int ownRow;
    private int weighed;
    private int limit;
    private long position;
    private boolean isWritten;
    private boolean isOpen;
    private boolean isKept;
    private boolean isForward;
    private int firstRow;

    /**
     * Of a channel.
     *
     * @param own    rows of the own node's ranks.
     * @param others sums of other nodes by node, null for the own one.
     */
    public CombineReceiver(
        final Geometry geometry, final ThreadResources thread, final int channel, final NodeReturns own,
        final IncomingSums[] others)
    {
        super(CombineCall.class, "combine-receiver");
        this.geometry = geometry;
        this.thread = thread;
        this.channel = channel;
        this.ownNode = geometry.world().node();
        this.partials = geometry.locals();
        this.own = own;
        this.others = others;
        this.reduction = new Reduction(geometry.locals() + geometry.nodes());
        this.mostAtOnce = thread.kernels().kind().isHost() ? HOST_TOKENS : DEVICE_TOKENS;
        this.scratch = thread.kernels().allocateTable(mostAtOnce, Math.multiplyExact(mostAtOnce, sources()));
        this.weights = new float[geometry.config().maxTopk()];
        this.ownWeights = new float[geometry.config().maxTopk()];
    }

    /** Most rows that a token is summed from. */
    private int sources()
    {
        return Math.min(geometry.nodes() - 1 + geometry.locals(), geometry.config().maxTopk());
    }

    @Override
    protected boolean begin(final CombineCall next)
    {
        call = next;
        layout = call.plan().sendLayout();
        kept = call.plan().combineTable(channel);
        isOpen = false;
        firstToken = layout.firstToken(channel);
        tokens = layout.firstToken(channel + 1) - firstToken;
        summed = 0;
        collected = 0;
        ownRow = 0;
        weighed = 0;
        isWritten = false;
        own.begin(call);
        for (final IncomingSums other : others)
        {
            if (null != other)
            {
                other.begin(call);
                other.readBy(reduction, partials + other.node());
            }
        }

        reduction.partType(geometry.partialType())
            .target(call.outputRows(), call.outputOffset(0), call.rowBytes(), ElementType.BF16)
            .biases(call.bias(0), call.biasOffset(0, 0), call.bias(1), call.biasOffset(1, 0), call.rowBytes())
            .hidden(call.hidden());
        return true;
    }

    /** A sum of one part that nothing rounds has the same bits without it, unless biases are summed before. */
    private boolean areInParts()
    {
        return others.length > 1 || null != call.bias(0);
    }

    @Override
    protected int step()
    {
        final RowKernels kernels = thread.kernels();
        int work = settle(kernels.completedPosition());
        if (own.areKnown(reduction))
        {
            work += own.table().rows() == 0 ? finishOwn() : 0;
            if (!isOpen)
            {
                open(kernels);
            }

            if (0 == collected && summed < tokens && hasRoom() && isFree(kernels))
            {
                work += collect();
            }

            work += collected > 0 ? submit(kernels) : 0;
        }

        if (!isWritten && summed == tokens)
        {
            isWritten = true;
            call.topkWritten();
        }

        return work;
    }

    private int finishOwn()
    {
        own.finish();
        return 0;
    }

    private void open(final RowKernels kernels)
    {
        isForward = own.areInPlace() && !areInParts() && own.table().rows() == tokens;
        isKept = own.areInPlace() && !isForward;
        isOpen = true;
        if (isForward)
        {
            kept.leaveToForwardTable();
        }
        else if (isKept)
        {
            kept.open(tokens, Math.min(sources(), layout.topk()), areInParts(), kernels);
        }

        final boolean isWritten = isForward || isKept && kept.written() > 0;
        limit = isWritten ? most() : Math.min(FIRST_TOKENS, mostAtOnce);
    }

    /** A device sums all that the forward table says by one launch, unless the CPU adds up weights meanwhile. */
    private int most()
    {
        return isForward && mostAtOnce > HOST_TOKENS && 0 == call.weightBytes() ? tokens : mostAtOnce;
    }

    private int settle(final long completed)
    {
        int work = own.settle(completed);
        for (final IncomingSums other : others)
        {
            work += null == other ? 0 : other.settle(completed);
        }

        return work;
    }

    private boolean hasRoom()
    {
        boolean isEach = own.hasRoom();
        for (final IncomingSums other : others)
        {
            isEach &= null == other || other.hasRoom();
        }

        return isEach;
    }

    private boolean isFree(final RowKernels kernels)
    {
        final long completed = kernels.completedPosition();
        return isForward || (isKept ? kept.written() > summed || kept.isFree(completed) : completed >= position);
    }

    private int collect()
    {
        own.refresh();
        for (final IncomingSums other : others)
        {
            if (null != other)
            {
                other.refresh();
            }
        }

        final int end = openTable(Math.min(tokens, summed + limit));
        if (isWritten(end))
        {
            // All rows are here, and all sums in the table.
            collected = Math.max(0, end - summed);
        }

        while (summed + collected < end && isReady(firstToken + summed + collected))
        {
            sum(summed + collected);
            collected++;
        }

        return collected;
    }

    /** Choose the table that has the next token; it may end before the last token that is wanted. */
    private int openTable(final int end)
    {
        final ForwardTable forward = own.table();
        if (isForward)
        {
            table = forward.table(summed);
            firstRow = forward.index(summed);
            return Math.min(end, Math.min(forward.end(summed), forward.placed()));
        }

        if (isKept)
        {
            table = kept.written() > summed ? kept.table(summed) : kept.writing();
            firstRow = kept.row(summed);
            return Math.min(end, kept.end(summed));
        }

        table = scratch.clear();
        firstRow = 0;
        return end;
    }

    private boolean isWritten(final int end)
    {
        return isForward || 1 == others.length && isKept && 0 == call.weightBytes() && kept.written() >= end;
    }

    private boolean isReady(final int token)
    {
        for (int node = 0; node < others.length; node++)
        {
            if (layout.isInNode(token, node) && !(node == ownNode ? own.isReady(ownRow) : others[node].isReady()))
            {
                return false;
            }
        }

        return true;
    }

    /** Take a token's rows, and write its sum if it is not in the table already. */
    private void sum(final int index)
    {
        final int token = firstToken + index;
        final boolean isNew = !isKept || index >= kept.written();
        if (isNew)
        {
            table.beginRow(token);
        }

        for (int node = 0; node < others.length; node++)
        {
            if (layout.isInNode(token, node))
            {
                if (isNew && areInParts())
                {
                    table.beginPart();
                }

                if (node != ownNode)
                {
                    final int row = others[node].take();
                    if (isNew)
                    {
                        table.add(partials + node, row);
                    }
                }
                else
                {
                    if (isNew)
                    {
                        own.take(ownRow, table);
                    }

                    ownRow++;
                }
            }
        }

        if (isNew && isKept)
        {
            kept.wrote(1);
        }
    }

    /** Add up the weights of tokens that are submitted: the kernels sum meanwhile, if they are a device's. */
    private void weigh(final int end)
    {
        for (int index = summed; index < end; index++)
        {
            final int token = firstToken + index;
            Arrays.fill(weights, 0f);
            for (int node = 0; node < others.length; node++)
            {
                if (!layout.isInNode(token, node))
                {
                    continue;
                }

                if (node == ownNode)
                {
                    weighOwn();
                }
                else
                {
                    others[node].weigh(weights);
                }
            }

            call.outputWeights(token, weights);
        }
    }

    /** Weights of the own node are summed by themselves first; they are all there are where it is the only one. */
    private void weighOwn()
    {
        if (1 == others.length)
        {
            own.weigh(weighed++, weights);
            return;
        }

        Arrays.fill(ownWeights, 0f);
        own.weigh(weighed++, ownWeights);
        for (int k = 0; k < weights.length; k++)
        {
            weights[k] += ownWeights[k];
        }
    }

    private int submit(final RowKernels kernels)
    {
        final long submitted = kernels.reduceRows(reduction, table, firstRow, collected);
        if (submitted < 0)
        {
            return 0;
        }

        position = submitted;
        if (call.weightBytes() > 0)
        {
            weigh(summed + collected);
        }

        summed += collected;
        if (isKept)
        {
            kept.read(summed, position);
        }

        collected = 0;
        limit = Math.min(most(), 2 * limit);
        own.submitted(position, isForward ? summed : ownRow, isForward, summed == tokens);
        for (final IncomingSums other : others)
        {
            if (null != other)
            {
                other.submitted(position);
            }
        }

        return 1;
    }

    @Override
    protected boolean isComplete()
    {
        if (summed < tokens || collected > 0 || thread.kernels().completedPosition() < position || !own.areReturned())
        {
            return false;
        }

        for (final IncomingSums other : others)
        {
            if (null != other && !other.isComplete())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        if (summed == tokens || collected > 0)
        {
            return false;
        }

        final int token = firstToken + summed;
        if (own.isWaiting(wait, layout.isInNode(token, ownNode) ? ownRow : own.table().placed()))
        {
            return true;
        }

        for (int node = 0; node < others.length; node++)
        {
            if (null != others[node] && !others[node].isReady() && layout.isInNode(token, node))
            {
                return others[node].isWaiting(wait);
            }
        }

        return false;
    }
}
