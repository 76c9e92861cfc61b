/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import dev.transload.transport.base.CheckedChannel;
import dev.transload.transport.base.ImportedRegion;
import dev.transload.transport.base.ImportedSignals;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.StreamProgress;
import org.agrona.UnsafeApi;

/**
 * Channel to a peer of this host, with a stream of its own. Its operations are carried out in order, by
 * {@link OperationQueue}: as far as possible at once, else by later progress.
 */
final class HccsChannel extends CheckedChannel
{
    private final HccsTransport transport;
    private final AclStream stream;
    private final StreamProgress progress;
    private final Staging staging;
    private final OperationQueue queue;

    /**
     * With a stream of its own.
     *
     * @param worker      that it belongs to.
     * @param id          unique to the transport of this rank.
     * @param identity    of the peer.
     * @param incarnation of the peer that is meant.
     * @param stream      which the channel closes.
     * @param progress    of the stream, which the channel closes.
     */
    HccsChannel(
        final HccsWorker worker,
        final int id,
        final PeerIdentity identity,
        final long incarnation,
        final AclStream stream,
        final StreamProgress progress)
    {
        super(worker, id, identity, incarnation);
        this.transport = worker.transport();
        this.stream = stream;
        this.progress = progress;
        final AclDevice device = transport.device();
        staging = new Staging(device, progress, transport.options().stagingBytes());
        queue = new OperationQueue(stream, progress, staging, transport.isStrided());
    }

    @Override
    protected long doPut(
        final LocalRegion src, final long srcOffset, final ImportedRegion dst, final long dstOffset, final long length)
    {
        return accept(OperationQueue.COPY, OperationQueue.way(HccsMemory.of(src), HccsMemory.of(dst)),
            src.address() + srcOffset, dst.address() + dstOffset, length);
    }

    @Override
    protected long doPutRows(
        final LocalRegion src, final ImportedRegion dst, final RowList rows, final int from, final int count)
    {
        if (!hasRoom())
        {
            return refusal();
        }

        final byte way = 0 == rows.rowLength() ? OperationQueue.BY_CPU :
            OperationQueue.way(HccsMemory.of(src), HccsMemory.of(dst));
        queue.addRows(way, src.address(), dst.address(), rows, from, count, position() + count);
        return begun(count);
    }

    @Override
    protected long doLoad(
        final ImportedRegion src, final long srcOffset, final LocalRegion dst, final long dstOffset, final long length)
    {
        return accept(OperationQueue.WORDS, OperationQueue.way(HccsMemory.of(src), HccsMemory.of(dst)),
            src.address() + srcOffset, dst.address() + dstOffset, length);
    }

    @Override
    protected long doAdd(final ImportedSignals dst, final int index, final long delta)
    {
        return accept(OperationQueue.ADD, OperationQueue.BY_CPU, 0, dst.address(index), delta);
    }

    /**
     * {@inheritDoc}
     * <p>
     * The CPU adds as soon as it sees that the stream is done with what was before. Unlike a fence this keeps nothing
     * from the stream meanwhile.
     */
    @Override
    protected long doSignal(final ImportedSignals dst, final int index, final long delta)
    {
        UnsafeApi.fullFence();
        return accept(OperationQueue.SIGNAL, OperationQueue.BY_CPU, 0, dst.address(index), delta);
    }

    @Override
    protected long doFence()
    {
        UnsafeApi.fullFence();
        return accept(OperationQueue.FENCE, OperationQueue.BY_CPU, 0, 0, 0);
    }

    @Override
    public long releasedPosition()
    {
        return queue.done();
    }

    @Override
    public long deliveredPosition()
    {
        return queue.done();
    }

    @Override
    public int progress()
    {
        int work = super.progress();
        if (ACCEPTING == state() && !queue.isEmpty())
        {
            worker().enter();
            try
            {
                work += ACCEPTING == state() ? settle() : 0;
            }
            finally
            {
                worker().exit();
            }
        }

        return work;
    }

    @Override
    protected void release()
    {
        transport.streams().close(stream);
        progress.close(transport.leftovers());
        staging.close(transport.leftovers());
    }

    private long accept(
        final byte kind, final byte way, final long source, final long target, final long amount)
    {
        if (!hasRoom())
        {
            return refusal();
        }

        queue.add(kind, way, source, target, amount, position() + 1);
        return begun(1);
    }

    /** What can be done at once is done before the call returns. */
    private long begun(final long operations)
    {
        final long position = advance(operations);
        final int result = queue.advance();
        if (result < 0)
        {
            failByDevice(-result);
            return FAILED;
        }

        return position;
    }

    private boolean hasRoom()
    {
        if (!queue.hasRoom())
        {
            settle();
        }

        return queue.hasRoom();
    }

    /** Nothing was accepted: there will be room soon, or never. */
    private long refusal()
    {
        return state() < 0 ? state() : BACK_PRESSURED;
    }

    /** Look at the stream, go on behind what it has done, and let it say when it has done the rest. */
    private int settle()
    {
        int code = progress.poll();
        final int work = 0 == code ? queue.advance() : 0;
        if (0 == code)
        {
            code = work < 0 ? -work : progress.mark();
        }

        if (0 != code)
        {
            failByDevice(code);
            return 1;
        }

        return work;
    }

    private void failByDevice(final int code)
    {
        final TransportException cause = stream.failure(code);
        fail(new TransportException("transport hccs: the channel to " + identity().describe() + " failed: " +
            cause.getMessage(), code, cause));
    }
}
