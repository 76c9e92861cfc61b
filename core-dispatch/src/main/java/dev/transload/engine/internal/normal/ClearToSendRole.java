/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.Tensor;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.plan.ReceiveLayout;
import dev.transload.engine.internal.ring.MetaTransfer;
import dev.transload.engine.internal.wire.ClearToSend;
import dev.transload.engine.internal.wire.EncodedWord;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Tells the ranks of the node, once a call, what they may reach of this rank's tensors: where a dispatch's rows go, as
 * soon as the output stands, or where a combine's rows are. Where nothing can be reached it says so at once.
 */
public final class ClearToSendRole extends Role<Call>
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final MetaTransfer[] transfers;
    private final LongSupplier oldest;
    private Call call;
    private boolean isSent;

    /**
     * On the first thread.
     *
     * @param transfers to each local rank, the own one too; null for absent ones.
     * @param oldest    tells the oldest memory of this rank that is still open.
     */
    public ClearToSendRole(
        final Geometry geometry, final ArenaMap map, final MetaTransfer[] transfers,
        final LongSupplier oldest)
    {
        super(Call.class, "clear-to-send");
        this.geometry = geometry;
        this.map = map;
        this.transfers = transfers;
        this.oldest = oldest;
    }

    @Override
    protected boolean begin(final Call next)
    {
        call = next;
        isSent = false;
        return true;
    }

    @Override
    public boolean isUrgent()
    {
        return true;
    }

    @Override
    protected int step()
    {
        int work = 0;
        if (!isSent && call.isClearToSendKnown())
        {
            final int set = (int)(call.number() % ArenaMap.SETS);
            for (int local = 0; local < transfers.length; local++)
            {
                if (null != transfers[local])
                {
                    final long entry = geometry.clearToSend(set, local);
                    final int length = write(map.clearToSendOut.index(entry), local);
                    transfers[local].begin(entry, geometry.clearToSend(set, geometry.world().local()), length);
                }
            }

            isSent = true;
            work++;
        }

        return work + MetaTransfer.advance(transfers);
    }

    private int write(final int at, final int local)
    {
        final UnsafeBuffer buffer = map.clearToSendOut.buffer();
        ClearToSend.header(buffer, at, call.tag(), call.form(geometry), oldest.getAsLong());
        int end = ClearToSend.descriptors(starts(at, local));
        if (call.isExposedTo(transfers[local].connection(), map))
        {
            for (int index = 0; index < ClearToSend.TENSORS; index++)
            {
                final Tensor tensor = call.exposed(index);
                if (null != tensor)
                {
                    final byte[] descriptor = tensor.memory().descriptor();
                    ClearToSend.tensor(
                        buffer, at, index, tensor.memory().id(), tensor.offset(), descriptor.length);
                    end = ClearToSend.append(buffer, at, end, descriptor);
                }
            }
        }

        return end;
    }

    /** First rows of the sources that a rank relays, even where it cannot reach them: they are part of its plan. */
    private int starts(final int at, final int local)
    {
        final int count = call.starts(geometry);
        if (0 == count)
        {
            return count;
        }

        final ReceiveLayout experts = call.plan().receiveLayout();
        final int[] sources = geometry.relays().sources(local);
        final int perSource = count / geometry.relays().mostSources();
        for (int source = 0; source < sources.length; source++)
        {
            for (int i = 0; i < perSource; i++)
            {
                EncodedWord.put(map.clearToSendOut.buffer(), at + ClearToSend.start(source * perSource + i),
                    call.plan().isExpanded() ? experts.expertStart(i, sources[source]) :
                    experts.rankStart(sources[source]));
            }
        }

        return count;
    }

    @Override
    protected boolean isComplete()
    {
        if (!isSent)
        {
            return false;
        }

        for (final MetaTransfer transfer : transfers)
        {
            if (null != transfer && !transfer.isReleased())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        return MetaTransfer.isAnyWaiting(transfers, wait);
    }
}
