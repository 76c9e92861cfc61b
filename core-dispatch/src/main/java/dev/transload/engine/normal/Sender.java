/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Section;
import dev.transload.engine.plan.SendLayout;
import dev.transload.engine.ring.Credit;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;

/**
 * Fills the send halves of its channel's rings in token order, metadata always and payload where rows are packed. One
 * of several senders of a channel takes every n-th token; all of them agree on every row's slot.
 */
public final class Sender extends Role
{
    private static final int LEAST_TOKENS_A_STEP = 64;

    /** So many that the metadata of a step is worth an operation to each rank of the node. */
    private static final int TOKENS_A_STEP_AND_RANK = 32;

    private final Geometry geometry;
    private final DispatchLane lane;
    private final RowMeta layout;
    private final Section metas;
    private final Credit[] credits;
    private final Packer packer;
    private final int index;
    private final int senders;
    private final int tokensAStep;
    private final boolean isPlain;
    private final long[] nextRow;
    private final int[] nextSlot;
    private final long[] free;
    private DispatchCall call;
    private SendLayout routes;
    private int token;
    private int lastToken;
    private int node;
    private int fullNode = -1;
    private boolean isHeld;

    /**
     * One sender of a channel.
     *
     * @param board    of the engine.
     * @param geometry sizes.
     * @param map      memory.
     * @param lane     shared state of the channel.
     * @param credits  heads of the rings to each other node, null for the own one.
     * @param packer   of payload, or null where it is sent from the caller's tensor.
     * @param index    of this sender.
     */
    public Sender(
        final Board board, final Geometry geometry, final ArenaMap map, final DispatchLane lane,
        final Credit[] credits, final Packer packer, final int index)
    {
        super(board, "sender");
        this.geometry = geometry;
        this.lane = lane;
        this.layout = new RowMeta(geometry.maskWords(), geometry.config().maxTopk());
        this.metas = map.rowMetaOutOut;
        this.credits = credits;
        this.packer = packer;
        this.index = index;
        this.senders = geometry.config().sendersPerChannel();
        this.tokensAStep = Math.max(LEAST_TOKENS_A_STEP, TOKENS_A_STEP_AND_RANK * geometry.locals());
        this.isPlain = 1 == geometry.nodes() && 1 == senders && 1 == geometry.maskWords() && null == packer;
        this.nextRow = new long[geometry.nodes()];
        this.nextSlot = new int[geometry.nodes()];
        this.free = new long[geometry.nodes()];
    }

    @Override
    protected boolean begin(final Call next)
    {
        if (!(next instanceof DispatchCall))
        {
            return false;
        }

        call = (DispatchCall)next;
        routes = call.routes().home();
        token = routes.firstToken(lane.channel());
        lastToken = routes.firstToken(lane.channel() + 1);
        node = 0;
        fullNode = -1;
        isHeld = call.isReplayable();
        if (null != packer)
        {
            packer.begin(call);
        }

        return true;
    }

    @Override
    protected int step()
    {
        if (isHeld)
        {
            return passReplayed();
        }

        fullNode = -1;
        if (isPlain)
        {
            return sendPlain(Math.min(lastToken, token + tokensAStep));
        }

        int work = 0;
        for (int budget = tokensAStep; budget > 0 && token < lastToken && fullNode < 0; budget--)
        {
            work += sendToken();
        }

        return null == packer ? work : work + packer.step();
    }

    /** Rows that no forwarder takes from the ring count as sent. */
    private int passReplayed()
    {
        if (!lane.isChosen(call.number()))
        {
            return 0;
        }

        isHeld = false;
        if (lane.isReplayed(call.number()))
        {
            final int own = geometry.world().node();
            nextRow[own] += routes.rowsToNode(lane.channel(), own);
            nextSlot[own] = (int)(nextRow[own] % geometry.outRing());
            token = lastToken;
        }

        return 1;
    }

    /** The usual case by itself, for calls wait for it: one node, one sender of the channel, masks of one word. */
    private int sendPlain(final int end)
    {
        final int before = token;
        final int rank = geometry.world().rank();
        final SendHalf half = lane.half(0);
        final long stride = metas.stride();
        final long ring =
            metas.buffer().addressOffset() + metas.index(geometry.outRingStart(lane.channel(), 0));
        final int slots = geometry.outRing();
        long row = nextRow[0];
        int slot = nextSlot[0];
        for (; token < end; token++)
        {
            final long mask = routes.mask(token, 0, 0);
            if (0 != mask)
            {
                if (row - slots >= free[0] && !isFree(0, row - slots + 1))
                {
                    fullNode = 0;
                    break;
                }

                fillEntry(ring + slot * stride, rank, mask);
                half.fill(row++, slot);
                slot = slot + 1 == slots ? 0 : slot + 1;
            }
        }

        nextRow[0] = row;
        nextSlot[0] = slot;
        return token - before;
    }

    private void fillEntry(final long at, final int rank, final long mask)
    {
        layout.source(at, rank, token);
        layout.mask(at, 0, mask);
        copySelections(at);
    }

    private void copySelections(final long at)
    {
        routes.copyExperts(token, at + layout.topkOffset());
        call.copyWeights(token, at + layout.weightsOffset());
    }

    private int sendToken()
    {
        while (node < geometry.nodes())
        {
            if (routes.isInNode(token, node))
            {
                if ((1 == senders || token % senders == index) && !fill(nextRow[node], nextSlot[node]))
                {
                    fullNode = node;
                    return 0;
                }

                nextRow[node]++;
                nextSlot[node] = nextSlot[node] + 1 == geometry.outRing() ? 0 : nextSlot[node] + 1;
            }

            node++;
        }

        node = 0;
        token++;
        return 1;
    }

    private boolean fill(final long row, final int slot)
    {
        if (!isFree(node, row - geometry.outRing() + 1))
        {
            return false;
        }

        final boolean isPacked = null != packer && node != geometry.world().node();
        if (isPacked && !packer.hasRoom(node))
        {
            return false;
        }

        final long at =
            metas.buffer().addressOffset() + metas.index(geometry.outRingStart(lane.channel(), node) + slot);
        layout.source(at, geometry.world().rank(), token);
        for (int word = 0; word < geometry.maskWords(); word++)
        {
            layout.mask(at, word, routes.mask(token, node, word));
        }

        copySelections(at);
        if (isPacked)
        {
            packer.pack(node, row, token);
        }
        else
        {
            lane.half(node).fill(row, slot);
        }

        return true;
    }

    /** Consumed there, and read no more here: the coordinator's channel may lag behind the consumer's credit. */
    private boolean isFree(final int to, final long needed)
    {
        if (free[to] < needed)
        {
            free[to] = null == credits[to] ? lane.ownHead().getAcquire() :
                Math.min(credits[to].head(needed), lane.half(to).sent().getAcquire());
        }

        return free[to] >= needed;
    }

    @Override
    protected boolean isComplete()
    {
        return token == lastToken && (null == packer || packer.isEmpty());
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        if (fullNode < 0)
        {
            return false;
        }

        final long needed = nextRow[fullNode] - geometry.outRing() + 1;
        final long head =
            null == credits[fullNode] ? lane.ownHead().getAcquire() : credits[fullNode].head(0);
        return head < needed && wait.set(geometry.world().rankAt(fullNode, geometry.world().local()), lane.channel(),
            WaitCounter.SCALE_OUT_HEAD, needed, head);
    }
}
