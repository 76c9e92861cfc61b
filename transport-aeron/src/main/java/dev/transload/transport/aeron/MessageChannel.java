/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import dev.transload.transport.base.CheckedChannel;
import dev.transload.transport.base.ImportedRegion;
import dev.transload.transport.base.ImportedSignals;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.PeerIdentity;
import java.nio.ByteBuffer;

/**
 * Channel to a peer whose memory cannot be mapped: operations are written into a stream, in whose order the peer's
 * transport applies them, so that a fence costs nothing.
 */
final class MessageChannel extends CheckedChannel
{
    private static final int MAX_FLUSHES = 64;
    private static final String EXHAUSTED =
        "its stream has come to its end: set a larger transload.aeron.term-length";

    private final AeronTransport transport;
    private final OperationStream stream;
    private final PendingLoads loads;
    private final PutSplitter rest;
    private long restPosition;
    private volatile long deliveredPosition;
    private volatile long flushesAnswered;
    private long flushesSent;
    private boolean isAccepted;

    MessageChannel(
        final AeronWorker worker,
        final int id,
        final PeerIdentity identity,
        final long incarnation,
        final OperationStream stream,
        final int maxLoads)
    {
        super(worker, id, identity, incarnation);
        this.transport = worker.transport();
        this.stream = stream;
        this.rest = new PutSplitter(stream, id);
        this.loads = new PendingLoads(maxLoads);
    }

    @Override
    protected int service()
    {
        return DataPath.MESSAGES.ordinal();
    }

    @Override
    protected long doPut(
        final LocalRegion src, final long srcOffset, final ImportedRegion dst, final long dstOffset, final long length)
    {
        return sendRest() && begin(src, srcOffset, dst, dstOffset, length) ? accepted(1) : refused();
    }

    @Override
    protected long doPutRows(
        final LocalRegion src, final ImportedRegion dst, final RowList rows, final int from, final int count)
    {
        int sent = 0;
        while (sent < count && sendRest())
        {
            final int run = run(rows, from + sent, from + count);
            if (!begin(src, rows.srcOffset(from + sent), dst, rows.dstOffset(from + sent),
                (long)run * rows.rowLength()))
            {
                break;
            }

            sent += run;
            accepted(run);
        }

        return sent > 0 ? position() : refused();
    }

    @Override
    protected long doLoad(
        final ImportedRegion src, final long srcOffset, final LocalRegion dst, final long dstOffset, final long length)
    {
        if (loads.isFull() || !sendRest() ||
            !claim(OperationLayout.LOAD, src.id(), srcOffset, position() + 1, Long.BYTES))
        {
            return refused();
        }

        stream.putLoadLength(length);
        loads.add(position() + 1, dst, dstOffset, length);
        stream.commit();
        return accepted(1);
    }

    @Override
    protected long doAdd(final ImportedSignals dst, final int index, final long delta)
    {
        return sendPlain(OperationLayout.ADD_SIGNAL, dst.id(), index, delta);
    }

    /** {@inheritDoc} The stream has all before it in order already. */
    @Override
    protected long doSignal(final ImportedSignals dst, final int index, final long delta)
    {
        return doAdd(dst, index, delta);
    }

    @Override
    protected long doAdd(final ImportedRegion dst, final long dstOffset, final long delta)
    {
        return sendPlain(OperationLayout.ADD_WORD, dst.id(), dstOffset, delta);
    }

    @Override
    protected long doFence()
    {
        return sendRest() ? accepted(1) : refused();
    }

    @Override
    protected long doFlush()
    {
        // Bounded, so that the answers which wait at the peer are.
        if (flushesSent - flushesAnswered == MAX_FLUSHES)
        {
            return BACK_PRESSURED;
        }

        final long result = sendPlain(OperationLayout.FLUSH, 0, 0, position() + 1);
        if (result >= 0)
        {
            flushesSent++;
        }

        return result;
    }

    @Override
    public long releasedPosition()
    {
        return rest.isEmpty() ? position() : restPosition - 1;
    }

    @Override
    public long deliveredPosition()
    {
        return deliveredPosition;
    }

    @Override
    protected void onHello()
    {
        transport.streams().whenReady(stream, this::onStreamReady);
    }

    /** Both the peer's consent and the stream are needed, in any order; on the transport's thread. */
    @Override
    protected void onAccepted(final ByteBuffer extra)
    {
        isAccepted = true;
        onStreamReady();
    }

    private void onStreamReady()
    {
        if (isAccepted && stream.isReady())
        {
            grant();
        }
    }

    @Override
    public int progress()
    {
        if (rest.isEmpty())
        {
            return super.progress();
        }

        worker().enter();
        try
        {
            return ACCEPTING == state() && sendRest() ? 1 : 0;
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    protected void shut()
    {
        super.shut();
        transport.inbound().remove(this);
    }

    /** Under the lock of the region table: the peer has applied all up to here. */
    void onFlushed(final long position)
    {
        flushesAnswered = flushesAnswered + 1;
        deliver(position);
    }

    /** Under the lock of the region table: bytes of a load. */
    void onLoaded(
        final long position, final long offset, final long address, final int bytes, final boolean isLast)
    {
        if (!loads.fill(position, offset, address, bytes))
        {
            fail(broken("a load of position " + position + " is answered, which was not asked for"));
        }
        else if (isLast)
        {
            loads.removeOldest();
            deliver(position);
        }
    }

    private void deliver(final long position)
    {
        deliveredPosition = Math.max(deliveredPosition, position);
    }

    private long accepted(final long operations)
    {
        final long position = advance(operations);
        if (!rest.isEmpty())
        {
            restPosition = position;
        }

        return position;
    }

    private long refused()
    {
        return state() < 0 ? state() : BACK_PRESSURED;
    }

    private long sendPlain(final int type, final int region, final long offset, final long value)
    {
        if (!sendRest() || !claim(type, region, offset, value, 0))
        {
            return refused();
        }

        stream.commit();
        // Somebody waits for signals and answers, and our driver may be asleep.
        transport.wakeDriver();
        return accepted(1);
    }

    /** Rows that follow each other on both sides and fit into one message together; at least one. */
    private int run(final RowList rows, final int from, final int end)
    {
        final int length = rows.rowLength();
        final long room = stream.maxBytes();
        int count = 1;
        while (from + count < end && (count + 1L) * length <= room &&
            rows.srcOffset(from + count) == rows.srcOffset(from) + (long)count * length &&
            rows.dstOffset(from + count) == rows.dstOffset(from) + (long)count * length)
        {
            count++;
        }

        return count;
    }

    private boolean begin(
        final LocalRegion source,
        final long srcOffset,
        final ImportedRegion target,
        final long dstOffset,
        final long length)
    {
        return isSent(rest.begin(source, srcOffset, target, dstOffset, length));
    }

    private boolean sendRest()
    {
        return rest.isEmpty() || isSent(rest.sendRest());
    }

    private boolean isSent(final int result)
    {
        if (PutSplitter.SOURCE_CLOSED == result)
        {
            fail(broken("the source of a put was closed before releasedPosition() reached it"));
        }
        else if (PutSplitter.EXHAUSTED == result)
        {
            fail(broken(EXHAUSTED));
        }

        return PutSplitter.SENT == result;
    }

    private boolean claim(final int type, final int region, final long offset, final long value, final int bytes)
    {
        final int result = stream.claim(type, id(), region, 0, offset, value, bytes);
        if (OperationStream.EXHAUSTED == result)
        {
            fail(broken(EXHAUSTED));
        }

        return OperationStream.CLAIMED == result;
    }

    private TransportException broken(final String reason)
    {
        return new TransportException("transport aeron: channel from rank " +
            transport.identity().rank() + " to rank " + peer() + ": " + reason,
            TransportException.NO_STATUS, null);
    }
}
