/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.spi.RowList;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.CheckedChannel;
import dev.transload.transport.base.ImportedRegion;
import dev.transload.transport.base.ImportedSignals;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.WordCopy;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;

/**
 * A link of a limited rate. Operations wait in a queue, whose entries are preallocated; progress does them in their
 * order, as fast as the link sends. Each operation, and each row, is one entry, so that positions count entries.
 */
final class CarrierChannel extends CheckedChannel
{
    /** What an idle link may send at once. An idle thread of the engine parks for as long. */
    private static final long BURST_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Operation[] queue;
    private final double nsPerByte;
    private long done;
    /** When the link has sent all that was done. */
    private long freeNs = System.nanoTime();

    /** An entry of the queue. */
    private static final class Operation
    {
        private Kind kind;
        private long from;
        private long to;
        private long value;
    }

    private enum Kind
    {
        /** Value: bytes. */
        COPY,
        /** Value: what is added. */
        ADD,
        FENCE
    }

    CarrierChannel(
        final AbstractWorker worker,
        final int id,
        final PeerIdentity peer,
        final long incarnation,
        final CarrierOptions options)
    {
        super(worker, id, peer, incarnation);
        queue = new Operation[options.queueDepth()];
        for (int i = 0; i < queue.length; i++)
        {
            queue[i] = new Operation();
        }

        nsPerByte = (double)TimeUnit.SECONDS.toNanos(1) / options.rate();
    }

    @Override
    protected long doPut(
        final LocalRegion src, final long srcOffset, final ImportedRegion dst, final long dstOffset, final long length)
    {
        return enqueue(Kind.COPY, src.address() + srcOffset, dst.address() + dstOffset, length);
    }

    @Override
    protected long doPutRows(
        final LocalRegion src, final ImportedRegion dst, final RowList rows, final int from, final int count)
    {
        final long before = position();
        final int length = rows.rowLength();
        for (int i = from; i < from + count; i++)
        {
            if (enqueue(Kind.COPY, src.address() + rows.srcOffset(i), dst.address() + rows.dstOffset(i), length) < 0)
            {
                break;
            }
        }

        return before == position() ? BACK_PRESSURED : position();
    }

    @Override
    protected long doLoad(
        final ImportedRegion src, final long srcOffset, final LocalRegion dst, final long dstOffset, final long length)
    {
        return enqueue(Kind.COPY, src.address() + srcOffset, dst.address() + dstOffset, length);
    }

    @Override
    protected long doAdd(final ImportedSignals dst, final int index, final long delta)
    {
        return enqueue(Kind.ADD, 0, dst.address(index), delta);
    }

    @Override
    protected long doAdd(final ImportedRegion dst, final long dstOffset, final long delta)
    {
        return enqueue(Kind.ADD, 0, dst.address() + dstOffset, delta);
    }

    /** The queue keeps the order, and the add is a release. */
    @Override
    protected long doSignal(final ImportedSignals dst, final int index, final long delta)
    {
        return doAdd(dst, index, delta);
    }

    @Override
    protected long doFence()
    {
        return enqueue(Kind.FENCE, 0, 0, 0);
    }

    @Override
    public long releasedPosition()
    {
        return done;
    }

    @Override
    public long deliveredPosition()
    {
        return done;
    }

    @Override
    public int progress()
    {
        int work = super.progress();
        if (done == position())
        {
            return work;
        }

        worker().enter();
        try
        {
            final long nowNs = System.nanoTime();
            freeNs = Math.max(freeNs, nowNs - BURST_NS);
            while (ACCEPTING == state() && done < position() && freeNs <= nowNs)
            {
                perform(queue[(int)(done % queue.length)]);
                done++;
                work++;
            }
        }
        finally
        {
            worker().exit();
        }

        return work;
    }

    private long enqueue(final Kind kind, final long from, final long to, final long value)
    {
        if (position() - done == queue.length)
        {
            return BACK_PRESSURED;
        }

        final Operation operation = queue[(int)(position() % queue.length)];
        operation.kind = kind;
        operation.from = from;
        operation.to = to;
        operation.value = value;
        return advance(1);
    }

    private void perform(final Operation operation)
    {
        switch (operation.kind)
        {
            case COPY ->
            {
                WordCopy.copy(operation.from, operation.to, operation.value);
                freeNs += (long)(operation.value * nsPerByte);
            }
            case ADD -> UnsafeApi.getAndAddLong(null, operation.to, operation.value);
            default -> UnsafeApi.fullFence();
        }
    }
}
