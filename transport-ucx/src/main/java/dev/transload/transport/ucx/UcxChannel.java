/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import dev.transload.transport.base.AbstractChannel;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.OperationArguments;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RowCopy;
import dev.transload.transport.base.WordCopy;
import dev.transload.transport.ucx.ucp.UcpCalls;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.openucx.jucx.UcxException;

/**
 * Channel to a peer. Memory that this process has mapped is written by the calling thread, and such an operation is
 * done when its call returns; all other memory is written by UCX, whose operations are done when a flush says so. A
 * fence joins the two.
 */
final class UcxChannel extends AbstractChannel
{
    private final UcxWorker worker;
    private final UcpCalls calls;
    private final PeerDomain domain;
    private final int slot;
    private final int maxOperations;
    private volatile ByteBuffer target;
    private Endpoint endpoint;
    private long barrier;
    private long directBarrier;
    private long lastLoad;

    UcxChannel(
        final UcxWorker worker, final int id, final int slot, final PeerIdentity identity, final long incarnation,
        final PeerDomain domain)
    {
        super(worker, id, identity, incarnation);
        this.worker = worker;
        this.calls = domain.calls();
        this.domain = domain;
        this.slot = slot;
        this.maxOperations = domain.maxOperations();
        this.target = domain.isOwn() ? domain.ownTarget() : null;
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
            final ImportedRegion region = remote("dst", dst);
            OperationArguments.checkRange("src", srcOffset, length, source.length());
            OperationArguments.checkRange("dst", dstOffset, length, region.length());
            if (isDirect(region))
            {
                if (isHeld(directBarrier))
                {
                    return BACK_PRESSURED;
                }

                UnsafeApi.copyMemory(source.address() + srcOffset, region.pointer() + dstOffset, length);
                return advance(1);
            }

            final long room = room(region);
            return room < 0 ? room : submit("put", 1, calls.put(endpoint.handle(), source.address() + srcOffset, length,
                region.remoteAddress() + dstOffset, region.keyHandle(slot), handle(source), type(source)));
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
            final ImportedRegion region = remote("dst", dst);
            OperationArguments.checkRows(rows, from, count);
            OperationArguments.checkRanges(rows, from, count, source.length(), region.length());
            if (isDirect(region))
            {
                if (isHeld(directBarrier))
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
            return submit("putRows", accepted, calls.putRows(endpoint.handle(), source.address(),
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

            final ImportedRegion region = remote("src", src);
            final LocalRegion destination = local("dst", dst);
            OperationArguments.checkRange("src", srcOffset, length, region.length());
            OperationArguments.checkRange("dst", dstOffset, length, destination.length());
            if (isDirect(region))
            {
                if (isHeld(directBarrier))
                {
                    return BACK_PRESSURED;
                }

                WordCopy.copy(region.pointer() + srcOffset, destination.address() + dstOffset, length);
                return advance(1);
            }

            final long room = room(region);
            if (room < 0)
            {
                return room;
            }

            lastLoad = position() + 1;
            return submit("load", 1, calls.get(endpoint.handle(), destination.address() + dstOffset, length,
                region.remoteAddress() + srcOffset, region.keyHandle(slot), handle(destination), type(destination)));
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

            final ImportedSignals signals = remote("dst", dst);
            OperationArguments.checkAdd("dst", index, delta, signals.extent());
            // The only writer of a word needs no atomicity against others.
            return add(signals, (long)index * RegionDescriptor.SIGNAL_STRIDE, delta, 1 == signals.writers());
        }
        finally
        {
            worker.exit();
        }
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

            final ImportedRegion region = remote("dst", dst);
            OperationArguments.checkWord(dstOffset, region.length());
            return add(region, dstOffset, delta, false);
        }
        finally
        {
            worker.exit();
        }
    }

    @Override
    public long fence()
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            if (!isUnsettled())
            {
                UnsafeApi.fullFence();
                return advance(1);
            }

            final boolean isByUcx = domain.hasStrongFence() && endpoint.isSettled(lastLoad);
            final int status = isByUcx ? calls.fence(worker.handle()) : UcpCalls.OK;
            if (status < 0)
            {
                return failed("fence", status);
            }

            directBarrier = advance(1);
            barrier = isByUcx ? barrier : directBarrier;
            return flushNow();
        }
        finally
        {
            worker.exit();
        }
    }

    @Override
    public long flush()
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            advance(1);
            UnsafeApi.fullFence();
            return isUnsettled() ? flushNow() : position();
        }
        finally
        {
            worker.exit();
        }
    }

    @Override
    public long releasedPosition()
    {
        return deliveredPosition();
    }

    @Override
    public long deliveredPosition()
    {
        return null == endpoint ? position() : endpoint.settledPosition(position());
    }

    @Override
    public int progress()
    {
        if (NOT_CONNECTED == state() && null == endpoint && null != target)
        {
            connectEndpoint();
        }

        final int work = super.progress();
        if (!isUnsettled() || state() < 0)
        {
            return work;
        }

        final int status = endpoint.progress(position());
        if (status < 0)
        {
            failed("flush", status);
            return work + 1;
        }

        return work + status;
    }

    /** On the transport's thread: the peer says which of its workers operations go to. */
    @Override
    protected void onAccepted(final ByteBuffer extra)
    {
        target = MemoryKey.direct(extra);
        grant();
    }

    @Override
    protected void release()
    {
        worker.forgetKeys(slot);
        if (null != endpoint && !endpoint.close(null == failure()))
        {
            worker.abandon("a channel to rank " + peer() +
                " was closed while it had operations under way that neither that rank nor UCX ends");
        }

        worker.freeSlot(slot);
    }

    /** Whether UCX has operations of this channel under way, so that its worker must be driven. */
    boolean isUnsettled()
    {
        return null != endpoint && !endpoint.isSettled();
    }

    private long add(final RemoteMemory memory, final long offset, final long delta, final boolean isOnlyWriter)
    {
        if (isDirect(memory) && (isOnlyWriter || domain.addsByCpu()))
        {
            if (isHeld(directBarrier))
            {
                return BACK_PRESSURED;
            }

            UnsafeApi.getAndAddLong(null, memory.pointer() + offset, delta);
            return advance(1);
        }

        final long room = room(memory);
        return room < 0 ? room : submit("atomicAdd", 1, calls.atomicAdd(
            endpoint.handle(), delta, memory.remoteAddress() + offset, memory.keyHandle(slot)));
    }

    /** Whether memory is written without UCX; the first time, it is asked whether it can be. */
    private boolean isDirect(final RemoteMemory memory)
    {
        return 0 != memory.pointer() || memory.mayHavePointer() && domain.isDirect() && bind(memory);
    }

    private boolean bind(final RemoteMemory memory)
    {
        if (0 == memory.keyHandle(slot) && !unpack(memory))
        {
            return false;
        }

        final long pointer = calls.remotePointer(memory.keyHandle(slot), memory.remoteAddress());
        if (pointer <= 0)
        {
            memory.refusePointer();
            domain.reportIndirect(identity(), (int)pointer);
            return false;
        }

        memory.onPointer(slot, pointer);
        return true;
    }

    /**
     * Whether UCX may be given an operation.
     *
     * @return how many, at least 1, or a negative status.
     */
    private long room(final RemoteMemory memory)
    {
        // Binding may have failed just before.
        if (state() < 0 || isHeld(barrier))
        {
            return state() < 0 ? state() : BACK_PRESSURED;
        }

        if (0 == memory.keyHandle(slot) && !unpack(memory))
        {
            return state();
        }

        final long room = maxOperations - endpoint.outstanding(position());
        return room > 0 ? room : BACK_PRESSURED;
    }

    private boolean isHeld(final long until)
    {
        return 0 != until && !endpoint.isSettled(until);
    }

    private long submit(final String what, final int operations, final int status)
    {
        if (status < 0)
        {
            return failed(what, status);
        }

        endpoint.onSubmitted(advance(operations));
        return position();
    }

    private long flushNow()
    {
        final int status = endpoint.flush(position());
        return status < 0 ? failed("flush", status) : position();
    }

    private boolean unpack(final RemoteMemory memory)
    {
        try
        {
            memory.onKey(slot, endpoint.unpack(memory.key()));
            return true;
        }
        catch (final UcxException ex)
        {
            failed("unpacking the key of its memory", ex.getStatus());
            return false;
        }
    }

    private void connectEndpoint()
    {
        if (!domain.needsEndpoint())
        {
            return;
        }

        try
        {
            endpoint = domain.connect(worker, identity(), target, this::failed);
        }
        catch (final UcxException ex)
        {
            failed("no endpoint can be made to it", ex.getStatus());
        }
    }

    private long failed(final String what, final int status)
    {
        final String how = domain.words(what, status);
        final String message = "transport ucx: " + identity().describe() + " failed as seen by rank " +
            domain.ownRank() + ": " + how;
        fail(domain.isPeerFailure(status) ? new PeerFailedException(peer(), message, status, null) :
            new TransportException(message, status, null));
        domain.report(identity(), how, status);
        return FAILED;
    }

    private ImportedRegion remote(final String name, final RemoteRegion region)
    {
        if (!(region instanceof ImportedRegion))
        {
            throw foreign(name, "a region", region);
        }

        checkImport(name, (ImportedRegion)region);
        return (ImportedRegion)region;
    }

    private ImportedSignals remote(final String name, final RemoteSignals signals)
    {
        if (!(signals instanceof ImportedSignals))
        {
            throw foreign(name, "signals", signals);
        }

        checkImport(name, (ImportedSignals)signals);
        return (ImportedSignals)signals;
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
