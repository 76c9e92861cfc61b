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
 * Channel that implements all parts of an operation except the data transfer itself. Each operation enters the worker,
 * reads the state of the channel, checks its arguments, calls one of the {@code do} methods, such as {@link #doPut},
 * and exits the worker. The arguments of a {@code do} method are valid. Regions are open and belong to this transport.
 * Imports belong to this worker and to the peer of this channel. Ranges are within their regions. Offsets and lengths
 * are aligned and within limits.
 * <p>
 * Each {@code do} method returns the new position ({@link #advance}) or a negative status, as the methods of
 * {@link dev.transload.spi.Channel} do.
 */
public abstract class CheckedChannel extends AbstractChannel
{
    private final long maxPutLength;
    private final int alignment;
    /** Whether a put whose ranges are good may still be refused. */
    private final boolean isLimited;
    private final boolean addsToRegions;

    /**
     * Creates a channel that is not connected.
     *
     * @param worker      worker to which the channel belongs.
     * @param id          ID of the channel, unique within the transport of this rank.
     * @param identity    identity of the peer, taken from the peer's worker address.
     * @param incarnation incarnation that the peer must have; see {@link dev.transload.spi.Worker#connect}.
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
     * Executes a put.
     *
     * @param src       source region of this rank.
     * @param srcOffset byte offset in the source region.
     * @param dst       destination region at the peer.
     * @param dstOffset byte offset in the destination region.
     * @param length    length in bytes, at least 0.
     * @return the new position, or a negative status if the operation was not accepted.
     */
    protected abstract long doPut(
        LocalRegion src, long srcOffset, ImportedRegion dst, long dstOffset, long length);

    /**
     * Executes a put of rows. Each accepted row advances the position by 1.
     *
     * @param src   source region of this rank.
     * @param dst   destination region at the peer.
     * @param rows  list of source offsets and destination offsets.
     * @param from  index of the first entry.
     * @param count number of entries, at least 1.
     * @return the new position, or a negative status if the operation was not accepted.
     */
    protected abstract long doPutRows(LocalRegion src, ImportedRegion dst, RowList rows, int from, int count);

    /**
     * Executes a load.
     *
     * @param src       source region at the peer.
     * @param srcOffset byte offset in the source region.
     * @param dst       destination region of this rank.
     * @param dstOffset byte offset in the destination region.
     * @param length    length in bytes, at least 0.
     * @return the new position, or a negative status if the operation was not accepted.
     */
    protected abstract long doLoad(
        ImportedRegion src, long srcOffset, LocalRegion dst, long dstOffset, long length);

    /**
     * Adds a value to a signal of the peer.
     *
     * @param dst   signals of the peer.
     * @param index index of the signal.
     * @param delta value to add, at least 1.
     * @return the new position, or a negative status if the operation was not accepted.
     */
    protected abstract long doAdd(ImportedSignals dst, int index, long delta);

    /**
     * Adds a value, with release ordering, to a signal of the peer. The default implementation calls {@link #doFence()}
     * and then {@link #doAdd(ImportedSignals, int, long)}. A channel that has a cheaper operation overrides this
     * method.
     *
     * @param dst   signals of the peer.
     * @param index index of the signal.
     * @param delta value to add, at least 1.
     * @return the new position, or a negative status if the operation was not accepted.
     */
    protected long doSignal(final ImportedSignals dst, final int index, final long delta)
    {
        final long fenced = doFence();
        return fenced < 0 ? fenced : doAdd(dst, index, delta);
    }

    /**
     * Adds a value to a word of a region. Channels that promise {@link Capability#REGION_ATOMICS} must override this
     * method.
     *
     * @param dst       region of the peer.
     * @param dstOffset byte offset of the word, a multiple of 8.
     * @param delta     value to add, positive, negative or 0.
     * @return the new position, or a negative status if the operation was not accepted.
     */
    protected long doAdd(final ImportedRegion dst, final long dstOffset, final long delta)
    {
        throw noRegionAtomics();
    }

    /**
     * Executes a fence: operations accepted before the fence complete at the peer before operations accepted after it
     * (rules ORD-2 and ORD-4). If every operation consists of stores by the calling thread and is complete when its
     * call returns, {@link java.lang.invoke.VarHandle#fullFence()} is enough. A fence counts as one operation.
     *
     * @return the new position, or a negative status if the operation was not accepted.
     */
    protected abstract long doFence();

    /**
     * Executes a flush. The default implementation calls {@link #doFence()}. A channel that must ask the peer which
     * operations have arrived overrides this method.
     *
     * @return the new position, or a negative status if the operation was not accepted.
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
