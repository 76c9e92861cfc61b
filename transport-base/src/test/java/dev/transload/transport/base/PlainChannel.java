/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import java.nio.ByteBuffer;
import java.util.List;

/** A channel that checks all and moves nothing, and writes down what it hears. */
final class PlainChannel extends AbstractChannel
{
    private final List<String> events;

    PlainChannel(
        final AbstractWorker worker, final int id, final PeerIdentity peer, final long incarnation,
        final List<String> events)
    {
        super(worker, id, peer, incarnation);
        this.events = events;
    }

    @Override
    protected int service()
    {
        return 7;
    }

    @Override
    protected void onHello()
    {
        events.add("hello " + id());
    }

    @Override
    protected void onAccepted(final ByteBuffer extra)
    {
        events.add("accepted " + id() + " with " + extra.remaining() + " bytes");
        super.onAccepted(extra);
    }

    @Override
    protected void release()
    {
        events.add("released channel " + id());
    }

    @Override
    public long put(
        final MemoryRegion src, final long srcOffset, final RemoteRegion dst, final long dstOffset, final long length)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            imported("dst", dst, PlainImport.class);
            OperationArguments.checkRange("src", srcOffset, length, local("src", src).length());
            OperationArguments.checkRange("dst", dstOffset, length, dst.length());
            return advance(1);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long putRows(
        final MemoryRegion src, final RemoteRegion dst, final RowList rows, final int from, final int count)
    {
        return BACK_PRESSURED;
    }

    @Override
    public long load(
        final RemoteRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        return BACK_PRESSURED;
    }

    @Override
    public long atomicAdd(final RemoteSignals dst, final int index, final long delta)
    {
        return BACK_PRESSURED;
    }

    @Override
    public long atomicAdd(final RemoteRegion dst, final long dstOffset, final long delta)
    {
        return BACK_PRESSURED;
    }

    @Override
    public long fence()
    {
        return state() < 0 ? state() : advance(1);
    }

    @Override
    public long flush()
    {
        return fence();
    }

    @Override
    public long releasedPosition()
    {
        return position();
    }

    @Override
    public long deliveredPosition()
    {
        return position();
    }
}
