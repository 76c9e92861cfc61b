/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import org.agrona.UnsafeApi;

/**
 * Channel to a peer whose memory cannot be mapped: operations are written into a stream, in whose order the peer's
 * transport applies them, so that a fence costs nothing.
 */
final class MessageChannel extends AeronChannel
{
    private static final int MAX_FLUSHES = 64;

    private final OperationStream stream;
    private final PendingLoads loads;
    private final PendingPut rest = new PendingPut();
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
        this.stream = stream;
        this.loads = new PendingLoads(maxLoads);
    }

    @Override
    public long put(
        final MemoryRegion src, final long srcOffset, final RemoteRegion dst, final long dstOffset, final long length)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final LocalRegion source = local("src", src);
            final ImportedRegion target = remote("dst", dst);
            checkRange("src", srcOffset, length, source.length());
            checkRange("dst", dstOffset, length, target.length());
            return sendRest() && begin(source, srcOffset, target, dstOffset, length) ? accepted(1) : refused();
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long putRows(
        final MemoryRegion src, final RemoteRegion dst, final RowList rows, final int from, final int count)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final LocalRegion source = local("src", src);
            final ImportedRegion target = remote("dst", dst);
            checkRows(rows, from, count);
            checkRanges(rows, from, count, source.length(), target.length());
            int sent = 0;
            while (sent < count && sendRest())
            {
                final int run = run(rows, from + sent, from + count);
                if (!begin(source, rows.srcOffset(from + sent), target, rows.dstOffset(from + sent),
                    (long)run * rows.rowLength()))
                {
                    break;
                }

                sent += run;
                accepted(run);
            }

            return sent > 0 || 0 == count ? position() : refused();
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long load(
        final RemoteRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedRegion source = remote("src", src);
            final LocalRegion target = local("dst", dst);
            checkRange("src", srcOffset, length, source.length());
            checkRange("dst", dstOffset, length, target.length());
            if (loads.isFull() || !sendRest() ||
                !claim(OperationLayout.LOAD, source.id(), srcOffset, position() + 1, Long.BYTES))
            {
                return refused();
            }

            stream.putLoadLength(length);
            loads.add(position() + 1, target, dstOffset, length);
            stream.commit();
            return accepted(1);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long atomicAdd(final RemoteSignals dst, final int index, final long delta)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedSignals target = remote("dst", dst, index, delta);
            return sendPlain(OperationLayout.ADD_SIGNAL, target.id(), index, delta);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long atomicAdd(final RemoteRegion dst, final long dstOffset, final long delta)
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            final ImportedRegion target = remote("dst", dst);
            checkWord(dstOffset, target.length());
            return sendPlain(OperationLayout.ADD_WORD, target.id(), dstOffset, delta);
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long fence()
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            return sendRest() ? accepted(1) : refused();
        }
        finally
        {
            worker().exit();
        }
    }

    @Override
    public long flush()
    {
        worker().enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

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
        finally
        {
            worker().exit();
        }
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
    DataPath path()
    {
        return DataPath.MESSAGES;
    }

    OperationStream stream()
    {
        return stream;
    }

    /** Both the peer's consent and the stream are needed, in any order; on the transport's thread. */
    @Override
    void onAccepted()
    {
        isAccepted = true;
        onStreamReady();
    }

    void onStreamReady()
    {
        if (isAccepted && stream.isReady())
        {
            grant();
        }
    }

    @Override
    int progress()
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
    void shut()
    {
        super.shut();
        worker().transport().inbound().remove(this);
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
            fail(new TransportException("transport aeron: rank " + peer() + " answers a load of position " + position +
                " that rank " + worker().transport().identity().rank() + " did not ask for",
                TransportException.NO_STATUS, null));
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

    /** Sends the first message of a put; what does not fit into it is left as the rest. */
    private boolean begin(
        final LocalRegion source,
        final long srcOffset,
        final ImportedRegion target,
        final long dstOffset,
        final long length)
    {
        if (0 == length)
        {
            return true;
        }

        rest.begin(source, source.address() + srcOffset, target.id(), dstOffset, length);
        if (!sendPart())
        {
            rest.clear();
            return false;
        }

        // What is left and has no room now is sent by later calls.
        sendRest();
        return true;
    }

    private boolean sendRest()
    {
        while (!rest.isEmpty())
        {
            if (!rest.isSourceOpen())
            {
                fail(new TransportException("transport aeron: the source of a put from rank " +
                    worker().transport().identity().rank() + " to rank " + peer() +
                    " was closed before releasedPosition() reached it", TransportException.NO_STATUS, null));
                return false;
            }

            if (!sendPart())
            {
                return false;
            }
        }

        return true;
    }

    private boolean sendPart()
    {
        final int bytes = (int)Math.min(rest.remaining(), stream.maxBytes());
        if (!claim(OperationLayout.PUT, rest.region(), rest.dstOffset(), 0, bytes))
        {
            return false;
        }

        UnsafeApi.copyMemory(rest.srcAddress(), stream.bytesAddress(), bytes);
        stream.commit();
        rest.advance(bytes);
        return true;
    }

    private boolean claim(final int type, final int region, final long offset, final long value, final int bytes)
    {
        final int result = stream.claim(type, id(), region, 0, offset, value, bytes);
        if (OperationStream.EXHAUSTED == result)
        {
            fail(new TransportException("transport aeron: the stream from rank " +
                worker().transport().identity().rank() + " to rank " + peer() + " has come to its end: " +
                "set a larger transload.aeron.term-length", TransportException.NO_STATUS, null));
        }

        return OperationStream.CLAIMED == result;
    }
}
