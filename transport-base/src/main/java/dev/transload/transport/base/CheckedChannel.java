/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.UnsupportedCapabilityException;
import java.util.EnumSet;

/**
 * A channel whose operations are complete but for what the fabric does. Each of them enters the worker, looks at the
 * state of the channel, checks its arguments and leaves the worker; in between it calls one of the {@code do} methods,
 * which find everything checked: regions are open and belong to this transport, imports to this worker and peer, ranges
 * are within, offsets and lengths are aligned and not too long.
 * <p>
 * The {@code do} methods answer as the SPI's: the new position ({@link #advance}), or a negative status.
 */
public abstract class CheckedChannel extends AbstractChannel
{
    private final long maxPutLength;
    private final int alignment;
    /** Whether a put whose ranges are good may still be refused. */
    private final boolean isLimited;
    private final boolean addsToRegions;

    /**
     * Not connected.
     *
     * @param worker      that it belongs to.
     * @param id          unique to the transport of this rank.
     * @param identity    of the peer, as its address says.
     * @param incarnation of the peer that is meant.
     */
    protected CheckedChannel(
        final AbstractWorker worker, final int id, final PeerIdentity identity, final long incarnation)
    {
        super(worker, id, identity, incarnation);
        final Capabilities capabilities = worker.capabilities();
        this.maxPutLength = capabilities.maxPutLength();
        this.alignment = capabilities.offsetAlignment();
        this.isLimited = alignment > 1 || maxPutLength < capabilities.maxRegionLength();
        this.addsToRegions = capabilities.has(Capability.REGION_ATOMICS);
    }

    @Override
    public final long put(
        final MemoryRegion src, final long srcOffset, final RemoteRegion dst, final long dstOffset, final long length)
    {
        worker().enter();
        try
        {
            final int seen = state();
            if (seen < 0)
            {
                return seen;
            }

            final LocalRegion source = local("src", src);
            final ImportedRegion target = imported("dst", dst, ImportedRegion.class);
            OperationArguments.checkRange("src", srcOffset, length, source.length());
            OperationArguments.checkRange("dst", dstOffset, length, target.length());
            if (isLimited)
            {
                OperationArguments.checkTransfer(srcOffset, dstOffset, length, alignment, maxPutLength);
            }

            return doPut(source, srcOffset, target, dstOffset, length);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public final long putRows(
        final MemoryRegion src, final RemoteRegion dst, final RowList rows, final int from, final int count)
    {
        worker().enter();
        try
        {
            final int seen = state();
            if (seen < 0)
            {
                return seen;
            }

            final LocalRegion source = local("src", src);
            final ImportedRegion target = imported("dst", dst, ImportedRegion.class);
            OperationArguments.checkRows(rows, from, count);
            OperationArguments.checkRanges(rows, from, count, source.length(), target.length());
            if (isLimited)
            {
                OperationArguments.checkTransfers(rows, from, count, alignment, maxPutLength);
            }

            return 0 == count ? position() : doPutRows(source, target, rows, from, count);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public final long load(
        final RemoteRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        worker().enter();
        try
        {
            final int seen = state();
            if (seen < 0)
            {
                return seen;
            }

            final ImportedRegion source = imported("src", src, ImportedRegion.class);
            final LocalRegion target = local("dst", dst);
            OperationArguments.checkRange("src", srcOffset, length, source.length());
            OperationArguments.checkRange("dst", dstOffset, length, target.length());
            if (isLimited)
            {
                OperationArguments.checkTransfer(srcOffset, dstOffset, length, alignment, maxPutLength);
            }

            return doLoad(source, srcOffset, target, dstOffset, length);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public final long atomicAdd(final RemoteSignals dst, final int index, final long delta)
    {
        worker().enter();
        try
        {
            final int seen = state();
            if (seen < 0)
            {
                return seen;
            }

            final ImportedSignals target = imported("dst", dst, ImportedSignals.class);
            OperationArguments.checkAdd("dst", index, delta, target.extent());
            return doAdd(target, index, delta);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public final long signal(final RemoteSignals dst, final int index, final long delta)
    {
        worker().enter();
        try
        {
            final int seen = state();
            if (seen < 0)
            {
                return seen;
            }

            final ImportedSignals target = imported("dst", dst, ImportedSignals.class);
            OperationArguments.checkAdd("dst", index, delta, target.extent());
            return doSignal(target, index, delta);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public final long atomicAdd(final RemoteRegion dst, final long dstOffset, final long delta)
    {
        worker().enter();
        try
        {
            final int seen = state();
            if (seen < 0)
            {
                return seen;
            }

            if (!addsToRegions)
            {
                throw noRegionAtomics();
            }

            final ImportedRegion target = imported("dst", dst, ImportedRegion.class);
            OperationArguments.checkWord(dstOffset, target.length());
            return doAdd(target, dstOffset, delta);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public final long fence()
    {
        worker().enter();
        try
        {
            final int seen = state();
            return seen < 0 ? seen : doFence();
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public final long flush()
    {
        worker().enter();
        try
        {
            final int seen = state();
            return seen < 0 ? seen : doFlush();
        }
        finally
        {
            worker().exit();
        }
    }

    /**
     * A put.
     *
     * @param src       of this rank.
     * @param srcOffset in it.
     * @param dst       of the peer.
     * @param dstOffset in it.
     * @param length    in bytes, may be 0.
     * @return new position or a negative status.
     */
    protected abstract long doPut(
        LocalRegion src, long srcOffset, ImportedRegion dst, long dstOffset, long length);

    /**
     * A put of rows; each that is accepted counts one.
     *
     * @param src   of this rank.
     * @param dst   of the peer.
     * @param rows  where each row comes from and goes.
     * @param from  first entry.
     * @param count of entries, positive.
     * @return new position or a negative status.
     */
    protected abstract long doPutRows(LocalRegion src, ImportedRegion dst, RowList rows, int from, int count);

    /**
     * A load.
     *
     * @param src       of the peer.
     * @param srcOffset in it.
     * @param dst       of this rank.
     * @param dstOffset in it.
     * @param length    in bytes, may be 0.
     * @return new position or a negative status.
     */
    protected abstract long doLoad(
        ImportedRegion src, long srcOffset, LocalRegion dst, long dstOffset, long length);

    /**
     * An add to a signal.
     *
     * @param dst   of the peer.
     * @param index of the signal.
     * @param delta positive.
     * @return new position or a negative status.
     */
    protected abstract long doAdd(ImportedSignals dst, int index, long delta);

    /**
     * A release add to a signal: a fence and an add, unless overridden where that can be had for less.
     *
     * @param dst   of the peer.
     * @param index of the signal.
     * @param delta positive.
     * @return new position or a negative status.
     */
    protected long doSignal(final ImportedSignals dst, final int index, final long delta)
    {
        final long fenced = doFence();
        return fenced < 0 ? fenced : doAdd(dst, index, delta);
    }

    /**
     * An add to a word of a region: for those to override that promise {@link Capability#REGION_ATOMICS}.
     *
     * @param dst       of the peer.
     * @param dstOffset of the word, a multiple of 8.
     * @param delta     of any sign.
     * @return new position or a negative status.
     */
    protected long doAdd(final ImportedRegion dst, final long dstOffset, final long delta)
    {
        throw noRegionAtomics();
    }

    /**
     * A fence: what was accepted before is done at the peer before what is accepted later (rules ORD-2 and ORD-4).
     * Where operations are stores, done when their call returns, a full fence of this thread keeps that order:
     * {@link java.lang.invoke.VarHandle#fullFence()}. It counts as an operation.
     *
     * @return new position or a negative status.
     */
    protected abstract long doFence();

    /**
     * A flush: a fence, unless overridden by a channel that must ask the peer what has arrived.
     *
     * @return new position or a negative status.
     */
    protected long doFlush()
    {
        return doFence();
    }

    private UnsupportedCapabilityException noRegionAtomics()
    {
        return new UnsupportedCapabilityException(identity().transport(), EnumSet.of(Capability.REGION_ATOMICS));
    }
}
