/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Capability;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.UnsupportedCapabilityException;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.OperationArguments;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RowCopy;
import dev.transload.transport.base.WordCopy;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Channel to a peer. Memory that this process has mapped is written by the calling thread, and such an operation is
 * done when its call returns; all other memory is written by UCX, whose operations are done when a flush says so. A
 * fence joins the two.
 */
final class UcxChannel extends EndpointChannel
{
    private final UcxWorker worker;
    private final UcpCalls calls;
    private final int slot;
    private final boolean addsByCpu;
    private final PeerDomain domain;
    private final List<SignalTotals> written = new ArrayList<>();

    UcxChannel(
        final UcxWorker worker,
        final int id,
        final int slot,
        final PeerIdentity identity,
        final long incarnation,
        final PeerDomain domain)
    {
        super(worker, id, slot, identity, incarnation, domain);
        this.worker = worker;
        this.calls = domain.calls();
        this.slot = slot;
        this.addsByCpu = domain.addsByCpu();
        this.domain = domain;
    }

    @Override
    public long put(
        final MemoryRegion src, final long srcOffset, final RemoteRegion dst, final long dstOffset, final long length)
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final LocalRegion source = local("src", src);
            final ImportedRegion region = imported("dst", dst, ImportedRegion.class);
            OperationArguments.checkRange("src", srcOffset, length, source.length());
            OperationArguments.checkRange("dst", dstOffset, length, region.length());
            if (isHost(source) && isDirect(region))
            {
                if (isDirectHeld())
                {
                    return BACK_PRESSURED;
                }

                copy(source.address() + srcOffset, region.pointer() + dstOffset, length);
                return advance(1);
            }

            final long room = room(region);
            return room < 0 ? room : submit("put", 1, calls.put(endpoint().handle(), source.address() + srcOffset,
                length, region.remoteAddress() + dstOffset, region.keyHandle(slot), handle(source), type(source)));
        }
        finally
        {
            worker.exit();
        }
    }

    @Override
    public long putRows(
        final MemoryRegion src, final RemoteRegion dst, final RowList rows, final int from, final int count)
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final LocalRegion source = local("src", src);
            final ImportedRegion region = imported("dst", dst, ImportedRegion.class);
            OperationArguments.checkRows(rows, from, count);
            OperationArguments.checkRanges(rows, from, count, source.length(), region.length());
            if (isHost(source) && isDirect(region))
            {
                if (isDirectHeld())
                {
                    return BACK_PRESSURED;
                }

                RowCopy.copy(source.address(), region.pointer(), rows, from, from + count);
                return advance(count);
            }

            final long room = room(region);
            if (room < 0 || 0 == count)
            {
                return room < 0 ? room : position();
            }

            final int accepted = (int)Math.min(room, count);
            return submit("putRows", accepted, calls.putRows(endpoint().handle(), source.address(),
                region.remoteAddress(), BufferUtil.address(rows.memory()), from, accepted, rows.rowLength(),
                region.keyHandle(slot), handle(source), type(source)));
        }
        finally
        {
            worker.exit();
        }
    }

    @Override
    public long load(
        final RemoteRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedRegion region = imported("src", src, ImportedRegion.class);
            final LocalRegion destination = local("dst", dst);
            OperationArguments.checkRange("src", srcOffset, length, region.length());
            OperationArguments.checkRange("dst", dstOffset, length, destination.length());
            if (isHost(destination) && isDirect(region))
            {
                if (isDirectHeld())
                {
                    return BACK_PRESSURED;
                }

                WordCopy.copy(region.pointer() + srcOffset, destination.address() + dstOffset, length);
                return advance(1);
            }

            final long room = room(region);
            return room < 0 ? room : submit("load", 1, calls.get(endpoint().handle(),
                destination.address() + dstOffset, length, region.remoteAddress() + srcOffset, region.keyHandle(slot),
                handle(destination), type(destination)));
        }
        finally
        {
            worker.exit();
        }
    }

    @Override
    public long atomicAdd(final RemoteSignals dst, final int index, final long delta)
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedSignals signals = imported("dst", dst, ImportedSignals.class);
            OperationArguments.checkAdd("dst", index, delta, signals.extent());
            return add(signals, index, delta);
        }
        finally
        {
            worker.exit();
        }
    }

    /**
     * {@inheritDoc}
     * <p>
     * An add alone where UCX has nothing under way, as with memory that this process has mapped. Else UCX adds when
     * what it was given before is done, since its own fence will not do ({@link Endpoint#fence}), and goes on
     * meanwhile. Where others than UCX add, it is a fence and an add.
     */
    @Override
    public long signal(final RemoteSignals dst, final int index, final long delta)
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedSignals signals = imported("dst", dst, ImportedSignals.class);
            OperationArguments.checkAdd("dst", index, delta, signals.extent());
            if (!isUnsettled())
            {
                if (!isAddedByCpu(signals))
                {
                    // What was stored without UCX comes before an add of UCX, too.
                    UnsafeApi.fullFence();
                }

                return add(signals, index, delta);
            }

            if (isDirectHeld())
            {
                return BACK_PRESSURED;
            }

            if (isAddedByUcx(signals) && !isAddedByCpu(signals))
            {
                final long room = room(signals);
                return room < 0 ? room : signalLater(delta,
                    signals.remoteAddress() + (long)index * RegionDescriptor.SIGNAL_STRIDE, signals.keyHandle(slot));
            }
        }
        finally
        {
            worker.exit();
        }

        return super.signal(dst, index, delta);
    }

    @Override
    public long atomicAdd(final RemoteRegion dst, final long dstOffset, final long delta)
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedRegion region = imported("dst", dst, ImportedRegion.class);
            OperationArguments.checkWord(dstOffset, region.length());
            if (!isAddedByUcx(region))
            {
                throw new UnsupportedCapabilityException(UcxOptions.TRANSPORT, EnumSet.of(Capability.REGION_ATOMICS));
            }

            return add(region, dstOffset, delta, false);
        }
        finally
        {
            worker.exit();
        }
    }

    private long add(final ImportedSignals signals, final int index, final long delta)
    {
        if (!isAddedByUcx(signals) && !(1 == signals.writers() && isDirect(signals)))
        {
            return addByPut(signals, index, delta);
        }

        // The only writer of a word needs no atomicity against others.
        return add(signals, (long)index * RegionDescriptor.SIGNAL_STRIDE, delta, 1 == signals.writers());
    }

    /** Both processes decide by their own settings, which may differ. */
    private boolean isAddedByUcx(final RemoteMemory memory)
    {
        return domain.addsByUcx() && memory.takesAdds();
    }

    private boolean isAddedByCpu(final ImportedSignals signals)
    {
        return (1 == signals.writers() || addsByCpu) && isDirect(signals);
    }

    /** Without adds of UCX: the only rank that adds to a signal knows the sum, and writes that. */
    private long addByPut(final ImportedSignals signals, final int index, final long delta)
    {
        if (1 != signals.writers())
        {
            throw new UnsupportedCapabilityException(UcxOptions.TRANSPORT, EnumSet.of(Capability.SHARED_SIGNALS));
        }

        final long room = room(signals);
        if (room < 0)
        {
            return room;
        }

        final SignalTotals totals = signals.totals(slot, written);
        if (!totals.isKnown() && !read(totals, signals))
        {
            return state() < 0 ? state() : BACK_PRESSURED;
        }

        // Two puts of a word may pass each other, and a signal never goes back; its bytes stay until UCX has read them.
        if (!endpoint().isSettled(totals.position(index)))
        {
            return BACK_PRESSURED;
        }

        final long address = totals.add(index, delta, position() + 1);
        return submit("put of a signal", 1, calls.put(endpoint().handle(), address, Long.BYTES,
            signals.remoteAddress() + (long)index * RegionDescriptor.SIGNAL_STRIDE, signals.keyHandle(slot), 0,
            UcxMemory.HOST));
    }

    private boolean read(final SignalTotals totals, final ImportedSignals signals)
    {
        if (endpoint().isReading())
        {
            return false;
        }

        if (totals.isAsked() || isRead(calls.get(endpoint().handle(), totals.address(), totals.length(),
            signals.remoteAddress(), signals.keyHandle(slot), 0, UcxMemory.HOST)))
        {
            totals.markKnown();
        }
        else
        {
            totals.markAsked();
        }

        return totals.isKnown();
    }

    private long add(final RemoteMemory memory, final long offset, final long delta, final boolean isOnlyWriter)
    {
        if (isDirect(memory) && (isOnlyWriter || addsByCpu))
        {
            if (isDirectHeld())
            {
                return BACK_PRESSURED;
            }

            UnsafeApi.getAndAddLong(null, memory.pointer() + offset, delta);
            return advance(1);
        }

        final long room = room(memory);
        return room < 0 ? room : submit("atomicAdd", 1, calls.atomicAdd(
            endpoint().handle(), delta, memory.remoteAddress() + offset, memory.keyHandle(slot)));
    }

    /** A single word is written at once, and in less time than the call of a copy takes. */
    private static void copy(final long src, final long dst, final long length)
    {
        if (Long.BYTES == length)
        {
            UnsafeApi.putLongUnaligned(null, dst, UnsafeApi.getLongUnaligned(null, src));
        }
        else
        {
            UnsafeApi.copyMemory(src, dst, length);
        }
    }

    private static boolean isHost(final LocalRegion region)
    {
        return ((UcxMemory)region.memory()).isHost();
    }

    private static long handle(final LocalRegion region)
    {
        return ((UcxMemory)region.memory()).handle();
    }

    private static int type(final LocalRegion region)
    {
        return ((UcxMemory)region.memory()).type();
    }
}
