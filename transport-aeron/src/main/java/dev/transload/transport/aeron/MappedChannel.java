/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import java.lang.ref.Reference;
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
        worker().checkThread();
        if (state() < 0)
        {
            return state();
        }

        final LocalRegion source = local("src", src);
        final ImportedRegion target = remote("dst", dst);
        checkRange("src", srcOffset, length, source.length());
        checkRange("dst", dstOffset, length, target.length());
        UnsafeApi.copyMemory(source.address() + srcOffset, target.address() + dstOffset, length);
        keep(source, target);
        return advance(1);
    }

    @Override
    public long putRows(
        final MemoryRegion src, final RemoteRegion dst, final RowList rows, final int from, final int count)
    {
        worker().checkThread();
        if (state() < 0)
        {
            return state();
        }

        final LocalRegion source = local("src", src);
        final ImportedRegion target = remote("dst", dst);
        checkRows(rows, from, count);
        checkRanges(rows, from, count, source.length(), target.length());
        copyRows(source.address(), target.address(), rows, from, from + count);
        keep(source, target);
        return advance(count);
    }

    @Override
    public long load(
        final RemoteRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        worker().checkThread();
        if (state() < 0)
        {
            return state();
        }

        final ImportedRegion source = remote("src", src);
        final LocalRegion target = local("dst", dst);
        checkRange("src", srcOffset, length, source.length());
        checkRange("dst", dstOffset, length, target.length());
        WordCopy.copy(source.address() + srcOffset, target.address() + dstOffset, length);
        keep(target, source);
        return advance(1);
    }

    @Override
    public long atomicAdd(final RemoteSignals dst, final int index, final long delta)
    {
        worker().checkThread();
        if (state() < 0)
        {
            return state();
        }

        final ImportedSignals target = remote("dst", dst, index, delta);
        UnsafeApi.getAndAddLong(null, target.address() + (long)index * Descriptor.SIGNAL_STRIDE, delta);
        Reference.reachabilityFence(target);
        return advance(1);
    }

    @Override
    public long atomicAdd(final RemoteRegion dst, final long dstOffset, final long delta)
    {
        worker().checkThread();
        if (state() < 0)
        {
            return state();
        }

        final ImportedRegion target = remote("dst", dst);
        checkWord(dstOffset, target.length());
        UnsafeApi.getAndAddLong(null, target.address() + dstOffset, delta);
        Reference.reachabilityFence(target);
        return advance(1);
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

    /** Rows that follow each other on both sides are one copy. */
    private static void copyRows(
        final long srcAddress, final long dstAddress, final RowList rows, final int from, final int end)
    {
        final int length = rows.rowLength();
        int i = from;
        while (i < end)
        {
            final long srcOffset = rows.srcOffset(i);
            final long dstOffset = rows.dstOffset(i);
            long run = length;
            i++;
            while (i < end && rows.srcOffset(i) == srcOffset + run && rows.dstOffset(i) == dstOffset + run)
            {
                run += length;
                i++;
            }

            UnsafeApi.copyMemory(srcAddress + srcOffset, dstAddress + dstOffset, run);
        }
    }

    /** The memory lasts as long as these objects are in use: another thread may be closing the transport. */
    private static void keep(final LocalRegion local, final ImportedRegion imported)
    {
        Reference.reachabilityFence(local);
        Reference.reachabilityFence(imported);
    }
}
