/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.OperationArguments;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RowCopy;
import dev.transload.transport.base.WordCopy;
import org.agrona.UnsafeApi;

/**
 * Channel to a peer whose memory this process has mapped, and to the own rank: every operation is done when its call
 * returns, so that the positions coincide.
 */
final class MappedChannel extends AeronChannel
{
    MappedChannel(final AeronWorker worker, final int id, final PeerIdentity identity, final long incarnation)
    {
        super(worker, id, identity, incarnation);
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

            final LocalRegion source = local("src", src);
            final ImportedRegion target = remote("dst", dst);
            OperationArguments.checkRange("src", srcOffset, length, source.length());
            OperationArguments.checkRange("dst", dstOffset, length, target.length());
            UnsafeApi.copyMemory(source.address() + srcOffset, target.address() + dstOffset, length);
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
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final LocalRegion source = local("src", src);
            final ImportedRegion target = remote("dst", dst);
            OperationArguments.checkRows(rows, from, count);
            OperationArguments.checkRanges(rows, from, count, source.length(), target.length());
            RowCopy.copy(source.address(), target.address(), rows, from, from + count);
            return advance(count);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long load(
        final RemoteRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedRegion source = remote("src", src);
            final LocalRegion target = local("dst", dst);
            OperationArguments.checkRange("src", srcOffset, length, source.length());
            OperationArguments.checkRange("dst", dstOffset, length, target.length());
            WordCopy.copy(source.address() + srcOffset, target.address() + dstOffset, length);
            return advance(1);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long atomicAdd(final RemoteSignals dst, final int index, final long delta)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedSignals target = remote("dst", dst, index, delta);
            UnsafeApi.getAndAddLong(null, target.address() + (long)index * RegionDescriptor.SIGNAL_STRIDE, delta);
            return advance(1);
        }
        finally
        {
            worker().exit();
        }
    }

    /** {@inheritDoc} All before it is done, and the add itself is a release. */
    @Override
    public long signal(final RemoteSignals dst, final int index, final long delta)
    {
        return atomicAdd(dst, index, delta);
    }

    @Override
    public long atomicAdd(final RemoteRegion dst, final long dstOffset, final long delta)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedRegion target = remote("dst", dst);
            OperationArguments.checkWord(dstOffset, target.length());
            UnsafeApi.getAndAddLong(null, target.address() + dstOffset, delta);
            return advance(1);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long fence()
    {
        worker().checkThread();
        if (state() < 0)
        {
            return state();
        }

        UnsafeApi.fullFence();
        return advance(1);
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

    @Override
    DataPath path()
    {
        return DataPath.MAPPED;
    }
}
