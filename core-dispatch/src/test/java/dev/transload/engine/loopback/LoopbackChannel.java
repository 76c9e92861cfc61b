/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.engine.loopback.LoopbackWorker.ImportedRegion;
import dev.transload.engine.loopback.LoopbackWorker.ImportedSignals;
import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import dev.transload.spi.UnsupportedCapabilityException;
import dev.transload.spi.WorkQueue;
import java.lang.invoke.VarHandle;
import java.util.EnumSet;
import org.agrona.concurrent.UnsafeBuffer;

/** Copies at once, on the calling thread; refuses now and then, and takes rows in prefixes. */
final class LoopbackChannel implements Channel
{
    private static final int MOST_ROWS_AT_ONCE = 5;

    private final LoopbackNetwork network;
    private final int peer;
    private final int refusalInterval;
    private long chance;
    private long position;
    private long completed;
    private boolean isClosed;

    LoopbackChannel(final LoopbackNetwork network, final int peer, final int refusalInterval)
    {
        this.network = network;
        this.peer = peer;
        this.refusalInterval = refusalInterval;
        this.chance = 88172645463325252L + peer;
    }

    int complete()
    {
        final int work = (int)(position - completed);
        completed = position;
        return work;
    }

    private long refusal()
    {
        if (isClosed)
        {
            return CLOSED;
        }

        // By chance: a fixed beat could refuse one operation of a duty cycle for ever.
        chance ^= chance << 13;
        chance ^= chance >>> 7;
        chance ^= chance << 17;
        return refusalInterval > 0 && 0 == Math.floorMod(chance, refusalInterval) ? BACK_PRESSURED : 0;
    }

    @Override
    public int peer()
    {
        return peer;
    }

    @Override
    public boolean isConnected()
    {
        return true;
    }

    @Override
    public long put(
        final MemoryRegion src, final long srcOffset, final RemoteRegion dst, final long dstOffset, final long length)
    {
        final long refusal = refusal();
        if (refusal < 0)
        {
            return refusal;
        }

        copy(((LoopbackRegion)src).buffer(), srcOffset, target(dst), dstOffset, length);
        return ++position;
    }

    @Override
    public long putRows(
        final MemoryRegion src, final RemoteRegion dst, final RowList rows, final int from, final int count)
    {
        final long refusal = refusal();
        if (refusal < 0)
        {
            return refusal;
        }

        final int taken = refusalInterval > 0 ? Math.min(count, MOST_ROWS_AT_ONCE) : count;
        final UnsafeBuffer source = ((LoopbackRegion)src).buffer();
        final UnsafeBuffer target = target(dst);
        for (int row = from; row < from + taken; row++)
        {
            copy(source, rows.srcOffset(row), target, rows.dstOffset(row), rows.rowLength());
        }

        position += taken;
        return position;
    }

    @Override
    public long load(
        final RemoteRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        final long refusal = refusal();
        if (refusal < 0)
        {
            return refusal;
        }

        final UnsafeBuffer source = target(src);
        final UnsafeBuffer target = ((LoopbackRegion)dst).buffer();
        if (Long.BYTES == length)
        {
            target.putLongOrdered((int)dstOffset, source.getLongVolatile((int)srcOffset));
        }
        else
        {
            copy(source, srcOffset, target, dstOffset, length);
        }

        return ++position;
    }

    @Override
    public long atomicAdd(final RemoteSignals dst, final int index, final long delta)
    {
        final long refusal = refusal();
        if (refusal < 0)
        {
            return refusal;
        }

        ((ImportedSignals)dst).signals().add(index, delta);
        return ++position;
    }

    /** {@inheritDoc} All before it is done. */
    @Override
    public long signal(final RemoteSignals dst, final int index, final long delta)
    {
        return atomicAdd(dst, index, delta);
    }

    @Override
    public long atomicAdd(final RemoteRegion dst, final long dstOffset, final long delta)
    {
        throw new UnsupportedCapabilityException(LoopbackNetwork.NAME, EnumSet.of(Capability.REGION_ATOMICS));
    }

    @Override
    public long fence()
    {
        final long refusal = refusal();
        if (refusal < 0)
        {
            return refusal;
        }

        VarHandle.fullFence();
        return ++position;
    }

    @Override
    public long flush()
    {
        return fence();
    }

    @Override
    public long startAfter(final WorkQueue kernels, final long kernelPosition)
    {
        return kernels.completedPosition() >= kernelPosition ? position : BACK_PRESSURED;
    }

    @Override
    public long position()
    {
        return position;
    }

    @Override
    public long releasedPosition()
    {
        return completed;
    }

    @Override
    public long deliveredPosition()
    {
        return completed;
    }

    @Override
    public TransportException failure()
    {
        return null;
    }

    @Override
    public void close()
    {
        isClosed = true;
    }

    private static UnsafeBuffer target(final RemoteRegion region)
    {
        return ((ImportedRegion)region).region().buffer();
    }

    private void copy(
        final UnsafeBuffer from, final long fromOffset, final UnsafeBuffer to, final long toOffset, final long length)
    {
        network.copied(length);
        to.putBytes(Math.toIntExact(toOffset), from, Math.toIntExact(fromOffset), (int)length);
    }
}
