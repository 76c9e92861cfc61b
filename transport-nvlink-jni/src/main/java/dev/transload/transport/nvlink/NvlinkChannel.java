/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import dev.transload.spi.WorkQueue;
import dev.transload.transport.base.CheckedChannel;
import dev.transload.transport.base.ImportedRegion;
import dev.transload.transport.base.ImportedSignals;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.internal.kernels.CudaRowKernels;
import org.agrona.UnsafeApi;

/**
 * Channel to a peer of this host. What touches memory of a device goes to the channel's stream at once, in the order of
 * the calls. All else is done by the CPU: at once, or, behind a fence that device work has not reached yet, by later
 * progress ({@link PendingOperations}). Device work behind a fence that such operations have not reached is refused
 * until they are done.
 */
final class NvlinkChannel extends CheckedChannel
{
    private final NvlinkTransport transport;
    private final DeviceWork work;
    private final PendingOperations pending = new PendingOperations();
    private final Completions completions = new Completions();
    private long fenceExecuted;
    /** Never less than what was told once, though what the CPU does at once is not among the completions. */
    private long released;

    NvlinkChannel(
        final NvlinkWorker worker,
        final int id,
        final PeerIdentity identity,
        final long incarnation,
        final StreamLane lane)
    {
        super(worker, id, identity, incarnation);
        this.transport = worker.transport();
        this.work = new DeviceWork(lane, transport.options().timeoutNs());
    }

    @Override
    protected long doPut(
        final LocalRegion src, final long srcOffset, final ImportedRegion dst, final long dstOffset, final long length)
    {
        return move(NvlinkMemory.of(src), src.address() + srcOffset, NvlinkMemory.of(dst), dst.address() + dstOffset,
            length, PendingOperations.COPY);
    }

    @Override
    protected long doPutRows(
        final LocalRegion src, final ImportedRegion dst, final RowList rows, final int from, final int count)
    {
        final boolean isByDevice = NvlinkMemory.isForDevice(NvlinkMemory.of(src), NvlinkMemory.of(dst));
        return isByDevice && 0 != rows.rowLength() ?
            rowsByDevice(src.address(), dst.address(), rows, from, count) :
            rowsByCpu(src.address(), dst.address(), rows, from, count);
    }

    @Override
    protected long doLoad(
        final ImportedRegion src, final long srcOffset, final LocalRegion dst, final long dstOffset, final long length)
    {
        return move(NvlinkMemory.of(src), src.address() + srcOffset, NvlinkMemory.of(dst), dst.address() + dstOffset,
            length, PendingOperations.WORDS);
    }

    @Override
    protected long doAdd(final ImportedSignals dst, final int index, final long delta)
    {
        return byCpu(PendingOperations.ADD, 0, dst.address(index), delta);
    }

    /**
     * {@inheritDoc}
     * <p>
     * The CPU adds as soon as it sees that the device is done with what was before. Unlike a fence this keeps nothing
     * from the device meanwhile: it goes on with what is given behind the signal.
     */
    @Override
    protected long doSignal(final ImportedSignals dst, final int index, final long delta)
    {
        if (!hasRoom())
        {
            return refusal();
        }

        pending.addBehind(work.launched(), dst.address(index), delta);
        return begun(1);
    }

    @Override
    protected long doAdd(final ImportedRegion dst, final long dstOffset, final long delta)
    {
        final long word = dst.address() + dstOffset;
        if (!NvlinkMemory.of(dst).isDevice())
        {
            return byCpu(PendingOperations.ADD, 0, word, delta);
        }

        return isInOrder() ? given(work.add(word, delta), 1) : refusal();
    }

    @Override
    protected long doFence()
    {
        if (!completions.hasRoom())
        {
            return BACK_PRESSURED;
        }

        UnsafeApi.fullFence();
        fenceDevice();
        fenceExecuted = pending.added();
        return accept(1);
    }

    /** {@inheritDoc} Kernels of the same device are not waited for: the device starts what comes behind them. */
    @Override
    public long startAfter(final WorkQueue kernels, final long kernelsPosition)
    {
        final long answer = super.startAfter(kernels, kernelsPosition);
        return BACK_PRESSURED == answer && kernels instanceof CudaRowKernels ?
            chain(((CudaRowKernels)kernels).stream()) : answer;
    }

    @Override
    public long releasedPosition()
    {
        released = Math.max(released, completions.isEmpty() ? position() : completions.done());
        return released;
    }

    @Override
    public long deliveredPosition()
    {
        return releasedPosition();
    }

    @Override
    public int progress()
    {
        int count = super.progress();
        if (ACCEPTING == state() && !completions.isEmpty())
        {
            worker().enter();
            try
            {
                count += ACCEPTING == state() ? settle() : 0;
            }
            finally
            {
                worker().exit();
            }
        }

        return count;
    }

    @Override
    protected void release()
    {
        transport.streams().await(work.lane(), work.launched());
        transport.streams().giveBack(work.lane());
    }

    /** What its device work goes to. */
    StreamLane lane()
    {
        return work.lane();
    }

    /** What the CPU does behind this waits for a mark; what the device launches follows by itself. */
    private long chain(final CudaStream kernels)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            if (kernels.device() != work.lane().stream().device())
            {
                return refusal();
            }

            final long value = work.startBehind(kernels);
            if (value > 0)
            {
                fenceDevice();
                return position();
            }

            return given(value, 0);
        }
        finally
        {
            worker().exit();
        }
    }

    private long move(
        final NvlinkMemory source,
        final long from,
        final NvlinkMemory target,
        final long to,
        final long length,
        final byte kindByCpu)
    {
        if (!NvlinkMemory.isForDevice(source, target) || 0 == length)
        {
            return byCpu(kindByCpu, from, to, length);
        }

        return isInOrder() ? given(work.copy(from, to, length, source.isDevice() != target.isDevice()), 1) : refusal();
    }

    private long rowsByDevice(
        final long source, final long target, final RowList rows, final int from, final int count)
    {
        work.checkRows(rows);
        return isInOrder() ? given(work.copyRows(source, target, rows, from, count), count) : refusal();
    }

    private long rowsByCpu(final long source, final long target, final RowList rows, final int from, final int count)
    {
        if (!hasRoom())
        {
            return refusal();
        }

        pending.addRows(source, target, rows, from, count);
        return begun(count);
    }

    private long byCpu(final byte kind, final long source, final long target, final long amount)
    {
        if (!hasRoom())
        {
            return refusal();
        }

        if (!isUnordered())
        {
            pending.add(kind, source, target, amount);
            return begun(1);
        }

        PendingOperations.execute(kind, source, target, amount);
        return accept(1);
    }

    /** Whether no fence holds back what the CPU does: it need not wait for signals that are not added yet. */
    private boolean isUnordered()
    {
        return pending.executed() >= fenceExecuted && pending.isFenceReached(work.completedLaunch());
    }

    /** What no fence holds back is done before the call returns. */
    private long begun(final long operations)
    {
        pending.execute(work.completedLaunch());
        return accept(operations);
    }

    private boolean hasRoom()
    {
        if (!pending.hasRoom() || !completions.hasRoom())
        {
            settle();
        }

        return pending.hasRoom() && completions.hasRoom();
    }

    /** Whether device work may be given: nothing before the last fence is left to the CPU, and there is room. */
    private boolean isInOrder()
    {
        if (pending.executed() < fenceExecuted || !completions.hasRoom())
        {
            settle();
        }

        return pending.executed() >= fenceExecuted && completions.hasRoom();
    }

    private long given(final long value, final long operations)
    {
        if (value < 0)
        {
            failByDevice((int)-value);
            return FAILED;
        }

        return value > 0 ? accept(operations) : refusal();
    }

    private void fenceDevice()
    {
        pending.fence(work.launched());
    }

    private long accept(final long operations)
    {
        final long position = advance(operations);
        if (!completions.isEmpty() || !work.isDone() || pending.executed() < pending.added())
        {
            completions.add(position, work.launched(), pending.added());
        }

        return position;
    }

    /** Nothing was accepted: see whether there will be room soon, or never. */
    private long refusal()
    {
        settle();
        return state() < 0 ? state() : BACK_PRESSURED;
    }

    private int settle()
    {
        final long launch = work.completedLaunch();
        final int count = pending.execute(launch) + completions.advance(launch, pending.executed());
        final int error = 0 == count ? work.look() : 0;
        if (0 != error)
        {
            failByDevice(error);
        }

        return count;
    }

    private void failByDevice(final int error)
    {
        fail(new TransportException("transport nvlink: the channel to " + identity().describe() +
            " failed: work on " + work.lane().stream().device().describe() + " ended with " +
            CudaException.describe(error), error, null));
    }
}
