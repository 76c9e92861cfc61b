/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.plan.SendLayout;
import dev.transload.engine.internal.plan.SendTable;
import dev.transload.engine.internal.ring.Credit;
import dev.transload.engine.internal.ring.MetaTransfer;
import dev.transload.engine.internal.wire.MetadataBlock;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import org.agrona.UnsafeApi;

/**
 * The metadata of a channel's stream to one node, on its way to the relay: a block is written into one of a few
 * slots once the relay, and all readers there, are done with what was in it. For the own node this rank is the relay.
 */
public final class OutgoingBlocks implements PartsRole.Part<DispatchCall>
{
    private final Geometry geometry;
    private final ChannelState state;
    private final int node;
    private final Section memory;
    private final long firstSlot;
    private final long firstSlotThere;
    private final MetaTransfer transfer;
    private final Credit credit;
    private final MetadataBlock block;
    private final int[] before;
    private final long[] positions = new long[MetadataBlock.SLOTS];
    private DispatchCall call;
    private SendLayout layout;
    private SendTable table;
    private long written;
    private long listed;
    private int token;
    private int row;
    private int rows;
    private int places;
    private int firstExpert;

    /**
     * Of a channel to a node.
     *
     * @param memory         section of the slots here.
     * @param firstSlotThere entry of the relay's section.
     * @param transfer       to the relay, null for the own node.
     * @param credit         blocks that the relay has consumed, null for the own node.
     */
    public OutgoingBlocks(
        final Geometry geometry, final ChannelState state, final int node, final Section memory, final long firstSlot,
        final long firstSlotThere, final MetaTransfer transfer, final Credit credit)
    {
        this.geometry = geometry;
        this.state = state;
        this.node = node;
        this.memory = memory;
        this.firstSlot = firstSlot;
        this.firstSlotThere = firstSlotThere;
        this.transfer = transfer;
        this.credit = credit;
        this.block = new MetadataBlock(geometry.maskWords());
        this.before = new int[geometry.mostLocals() * Math.max(1, geometry.maxLocalExperts())];
    }

    @Override
    public void begin(final DispatchCall next)
    {
        final int channel = state.channel();
        final int ranks = geometry.world().ranksOf(node);
        call = next;
        layout = call.plan().sendLayout();
        table = call.plan().sendTable(channel, node);
        token = layout.firstToken(channel);
        row = 0;
        rows = layout.rowsToNode(channel, node);
        if (null != transfer)
        {
            table.begin(rows);
        }

        final int localExperts = layout.experts() / geometry.world().size();
        firstExpert = geometry.world().first(node) * localExperts;
        places = call.plan().isExpanded() ? ranks * localExperts : ranks;
        for (int i = 0; i < places; i++)
        {
            before[i] = call.plan().isExpanded() ? layout.expertStart(channel, firstExpert + i) :
                layout.rankStart(channel, geometry.world().first(node) + i);
        }
    }

    @Override
    public int step()
    {
        final int work = null == transfer ? 0 : advance();
        if (row == rows || !isFree())
        {
            return work;
        }

        write();
        return work + 1 + (null == transfer ? 0 : advance());
    }

    private int advance()
    {
        final int work = transfer.advance();
        if (!transfer.isActive() && written > 0)
        {
            positions[(int)((written - 1) % MetadataBlock.SLOTS)] = transfer.sourcePosition();
        }

        return work;
    }

    private boolean isFree()
    {
        if (null == transfer)
        {
            return state.ownBlocksFree().getAcquire() >= needed();
        }

        return !transfer.isActive() && credit.head(needed()) >= needed() &&
            transfer.connection().channel().releasedPosition() >= positions[(int)(written % MetadataBlock.SLOTS)];
    }

    /** Blocks that must be consumed before another one is written. */
    private long needed()
    {
        return written + 1 - MetadataBlock.SLOTS;
    }

    private void write()
    {
        final int slot = (int)(written % MetadataBlock.SLOTS);
        final int count = Math.min(rows - row, geometry.blockRows());
        block.begin(memory.address(firstSlot + slot), call.tag(), row, count, rows, places, layout.topk(),
            call.isWeighted());
        if (block.bytes() > memory.stride())
        {
            throw new IllegalStateException("a metadata block of " + block.bytes() + " bytes has no room in " +
                memory.stride());
        }

        for (int i = 0; i < places; i++)
        {
            block.prefix(i, before[i]);
        }

        fill(count);
        row += count;
        listed += count;
        written++;
        if (null == transfer)
        {
            state.ownBlocks().setRelease(written);
        }
        else
        {
            state.listed(node).setRelease(listed);
            transfer.begin(firstSlot + slot, firstSlotThere + slot, block.bytes());
            transfer.connection().counters().moved(Stage.SCALE_OUT, 0, block.bytes());
        }
    }

    private void fill(final int count)
    {
        final boolean isExpanded = call.plan().isExpanded();
        final int maskWords = geometry.maskWords();
        final int topkBytes = layout.topk() * Integer.BYTES;
        long masks = block.masks();
        long tokens = block.tokens();
        long experts = block.experts();
        long weights = block.weights();
        for (int i = 0; i < count; token++)
        {
            if (!layout.isInNode(token, node))
            {
                continue;
            }

            for (int word = 0; word < maskWords; word++, masks += Long.BYTES)
            {
                final long mask = layout.mask(token, node, word);
                UnsafeApi.putLong(masks, mask);
                for (long bits = isExpanded ? 0 : mask; 0 != bits; bits &= bits - 1)
                {
                    before[word * Long.SIZE + Long.numberOfTrailingZeros(bits)]++;
                }
            }

            UnsafeApi.putInt(tokens, token);
            layout.copyExperts(token, experts);
            if (isExpanded)
            {
                countExperts();
            }

            if (block.isWeighted())
            {
                call.copyWeights(token, weights);
            }

            if (null != transfer)
            {
                table.set(row + i, token);
            }

            tokens += Integer.BYTES;
            experts += topkBytes;
            weights += topkBytes;
            i++;
        }
    }

    private void countExperts()
    {
        for (int k = 0, topk = layout.topk(); k < topk; k++)
        {
            final int expert = layout.expert(token, k) - firstExpert;
            if (expert >= 0 && expert < places)
            {
                before[expert]++;
            }
        }
    }

    @Override
    public boolean isComplete()
    {
        return row == rows && (null == transfer || transfer.isReleased());
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        if (null == transfer)
        {
            return false;
        }

        final long head = credit.head(0);
        if (row < rows && head < needed())
        {
            return wait.set(
                transfer.connection().peer(), state.channel(), WaitCounter.SCALE_OUT_BLOCK_HEAD, needed(), head);
        }

        return transfer.isWaiting(wait);
    }
}
