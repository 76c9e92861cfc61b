/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import dev.transload.spi.UnsupportedCapabilityException;
import dev.transload.spi.WorkQueue;
import java.util.EnumSet;

/** Channel of a stepping transport: checks and accepts; its {@link OperationQueue} executes. */
final class SteppingChannel implements Channel, StepQueue
{
    private final SteppingWorker worker;
    private final SteppingTransport transport;
    private final SteppingFabric fabric;
    private final int ordinal;
    private final Connection connection;
    private final OperationQueue queue;
    private final Submission submission;
    private final Positions positions;
    private final SignalPuts puts = new SignalPuts();
    private boolean isRefused;
    private boolean closed;

    SteppingChannel(final SteppingWorker worker, final int ordinal, final Connection connection)
    {
        this.worker = worker;
        this.transport = worker.transport();
        this.fabric = transport.fabric();
        this.ordinal = ordinal;
        this.connection = connection;
        this.queue = new OperationQueue(fabric, connection, this);
        this.submission = new Submission(fabric, this, queue);
        this.positions = new Positions(fabric, queue);
    }

    @Override
    public int peer()
    {
        return connection.peer();
    }

    @Override
    public boolean isConnected()
    {
        return connection.isConnected();
    }

    @Override
    public long put(
        final MemoryRegion src, final long srcOffset, final RemoteRegion dst, final long dstOffset, final long length)
    {
        synchronized (fabric)
        {
            worker.confine("put");
            final long end = endWhateverIsGiven();
            if (end < 0)
            {
                return end;
            }

            final SteppingRegion local = worker.own("put", src);
            if (fabric.has(Fault.MIS_1) && (srcOffset < 0 || length < 0 || srcOffset > src.length() - length) ||
                fabric.has(Fault.PUT_2) && 0 == length && connection.isConnected())
            {
                return submission.position();
            }

            local.checkRange("put", srcOffset, length);
            final SteppingRemoteRegion target = submission.imported("put", dst, dstOffset, length);
            submission.checkLength("put", length);
            submission.checkAlignment("put", srcOffset, dstOffset, length);
            final long status = status();
            if (status < 0)
            {
                if (fabric.has(Fault.POS_5_PUT) && BACK_PRESSURED == status)
                {
                    move(local, srcOffset, target, dstOffset, length / 2);
                }

                return status;
            }

            return submission.accept(
                submission.transfer(Operation.Type.PUT, local, srcOffset, target, dstOffset, length));
        }
    }

    @Override
    public long putRows(
        final MemoryRegion src, final RemoteRegion dst, final RowList rows, final int from, final int count)
    {
        synchronized (fabric)
        {
            worker.confine("putRows");
            final long end = endWhateverIsGiven();
            if (end < 0)
            {
                return end;
            }

            final SteppingRegion local = worker.own("putRows", src);
            final SteppingRemoteRegion target = submission.checkRows(local, dst, rows, from, count);
            final long status = hardStatus();
            if (status < 0 || 0 == count)
            {
                return status < 0 || !fabric.has(Fault.ROW_2) ? status :
                    submission.accept(submission.operation(Operation.Type.FENCE));
            }

            final int room = Math.min(queue.room(), count);
            if (0 == room)
            {
                if (fabric.has(Fault.POS_5_ROW))
                {
                    move(local, rows.srcOffset(from), target, rows.dstOffset(from), rows.rowLength());
                }

                return BACK_PRESSURED;
            }

            return submission.acceptRows(
                local, target, rows, from, fabric.mischief(0.5) ? 1 + fabric.chance().below(room) : room);
        }
    }

    @Override
    public long load(
        final RemoteRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        synchronized (fabric)
        {
            worker.confine("load");
            final long end = endWhateverIsGiven();
            if (end < 0)
            {
                return end;
            }

            final SteppingRegion local = worker.own("load", dst);
            local.checkRange("load", dstOffset, length);
            final SteppingRemoteRegion source = submission.imported("load", src, srcOffset, length);
            submission.checkLength("load", length);
            submission.checkAlignment("load", srcOffset, dstOffset, length);
            final long status = status();
            if (status < 0)
            {
                if (fabric.has(Fault.POS_5_LOAD) && BACK_PRESSURED == status)
                {
                    final byte[] bytes = new byte[(int)length / 2];
                    target(source).readWire(srcOffset, bytes);
                    local.writeLocal(dstOffset, bytes);
                }

                return status;
            }

            return submission.accept(
                submission.transfer(Operation.Type.LOAD, local, dstOffset, source, srcOffset, length));
        }
    }

    @Override
    public long atomicAdd(final RemoteSignals dst, final int index, final long delta)
    {
        return add("atomicAdd", Operation.Type.SIGNAL_ADD, dst, index, delta);
    }

    @Override
    public long signal(final RemoteSignals dst, final int index, final long delta)
    {
        return add("signal", Operation.Type.RELEASE_ADD, dst, index, delta);
    }

    @Override
    public long atomicAdd(final RemoteRegion dst, final long dstOffset, final long delta)
    {
        synchronized (fabric)
        {
            worker.confine("atomicAdd");
            final long end = endWhateverIsGiven();
            if (end < 0)
            {
                return end;
            }

            if (!transport.capabilities().has(Capability.REGION_ATOMICS) && !fabric.has(Fault.ADD_2))
            {
                throw new UnsupportedCapabilityException(
                    transport.capabilities().transport(), EnumSet.of(Capability.REGION_ATOMICS));
            }

            final SteppingRemoteRegion target = submission.imported("atomicAdd", dst, dstOffset, Long.BYTES);
            if (0 != (dstOffset & (Long.BYTES - 1)))
            {
                throw new IllegalArgumentException("atomicAdd: offset " + dstOffset + " must be a multiple of 8");
            }

            final long status = status();
            if (status < 0)
            {
                return status;
            }

            final Operation operation = submission.operation(Operation.Type.WORD_ADD);
            operation.remote = target.descriptor();
            operation.remoteOffset = dstOffset;
            operation.delta = delta;
            return submission.accept(operation);
        }
    }

    @Override
    public long fence()
    {
        return order("fence", Operation.Type.FENCE);
    }

    @Override
    public long flush()
    {
        return order("flush", Operation.Type.FLUSH);
    }

    @Override
    public long startAfter(final WorkQueue kernels, final long kernelsPosition)
    {
        synchronized (fabric)
        {
            worker.confine("startAfter");
            final long status = hardStatus();
            return status < 0 ? status : submission.startAfter(kernels, kernelsPosition);
        }
    }

    @Override
    public long position()
    {
        return submission.position();
    }

    @Override
    public long releasedPosition()
    {
        return positions.released();
    }

    @Override
    public long deliveredPosition()
    {
        return positions.delivered();
    }

    @Override
    public TransportException failure()
    {
        return connection.failure();
    }

    @Override
    public void close()
    {
        synchronized (fabric)
        {
            if (closed && fabric.has(Fault.CLS_4))
            {
                throw new IllegalStateException("closed already");
            }

            if (!closed)
            {
                closed = true;
                if (fabric.has(Fault.SIG_5) && null != connection.livingPeer())
                {
                    connection.livingPeer().resetSignals(this);
                }

                if (!fabric.has(Fault.CLS_2))
                {
                    queue.discard();
                }

                worker.forget(this);
            }
        }
    }

    @Override
    public int rank()
    {
        return transport.rank();
    }

    @Override
    public boolean isEmpty()
    {
        return closed && !fabric.has(Fault.CLS_2) || null != connection.failure() ||
            connection.isConnected() && queue.isEmpty();
    }

    @Override
    public boolean isBlocked()
    {
        return fabric.schedule().isPaused(peer());
    }

    /** Whether all that was accepted before an operation is visible at the peer. */
    boolean isNextToDeliver(final Operation operation)
    {
        if (fabric.has(Fault.ORD_8_OTHER_CHANNEL))
        {
            final SteppingChannel newest = worker.newestTo(peer());
            return newest.queue.isNextToDeliver(operation) || newest != this && newest.queue.isEmpty();
        }

        return queue.isNextToDeliver(operation);
    }

    boolean waitsForKernels()
    {
        return queue.waitsForKernels();
    }

    @Override
    public void kill(final int killed)
    {
        if (rank() == killed)
        {
            kill();
        }
    }

    @Override
    public void step()
    {
        step(false);
    }

    @Override
    public String toString()
    {
        return transport.network().name() + " channel " + ordinal + " of worker " + worker.index() + ", rank " +
            transport.rank() + " to " + peer();
    }

    SteppingWorker worker()
    {
        return worker;
    }

    Connection connection()
    {
        return connection;
    }

    /** Starts the handshake. */
    void begin()
    {
        fabric.schedule().activate(this);
        if (connection.isPeerMissing())
        {
            failLater(connection.incarnationMissing());
        }
    }

    void stepInbound()
    {
        step(true);
    }

    /** Advances what the caller may see of the positions, and returns by how much. */
    int report()
    {
        return closed || null != connection.failure() ? 0 : positions.advance();
    }

    void failLater(final String because)
    {
        if (connection.failLater(because))
        {
            fabric.schedule().failLater(this);
        }
    }

    boolean failIfDue()
    {
        return closed || connection.failIfDue();
    }

    void kill()
    {
        connection.fail(new TransportException(
            "rank " + transport.rank() + " was killed", TransportException.NO_STATUS, null));
        queue.discard();
    }

    private void step(final boolean inbound)
    {
        if (isEmpty() || transport.isPaused() || fabric.schedule().isPaused(peer()) ||
            fabric.has(Fault.CON_6) && worker.waitsForKernels(peer()))
        {
            return;
        }

        if (connection.isConnected())
        {
            try
            {
                queue.step(inbound);
            }
            catch (final TransportException ex)
            {
                connection.fail(ex);
            }
        }
        else
        {
            connection.handshake();
        }
    }

    private long add(
        final String what, final Operation.Type type, final RemoteSignals dst, final int index, final long delta)
    {
        synchronized (fabric)
        {
            worker.confine(what);
            final long end = endWhateverIsGiven();
            if (end < 0)
            {
                return end;
            }

            if (!(dst instanceof SteppingRemoteSignals))
            {
                throw Submission.foreign(what);
            }

            final boolean isSignal = Operation.Type.RELEASE_ADD == type;
            final SteppingRemoteSignals signals = (SteppingRemoteSignals)dst;
            signals.check(this, index);
            if (delta <= 0 && !fabric.has(isSignal ? Fault.MIS_4_SIGNAL : Fault.MIS_4))
            {
                throw new IllegalArgumentException(what + ": delta " + delta + " to a signal must be positive");
            }

            final SteppingTransport target = connection.livingPeer();
            final SteppingSignals actual = null == target ? null : target.signals(signals.descriptor().id());
            if (null != actual)
            {
                actual.claim(index, this);
            }

            final long status = addStatus(signals, index);
            if (status < 0)
            {
                if (fabric.has(isSignal ? Fault.POS_5_SIGNAL : Fault.POS_5) && BACK_PRESSURED == status)
                {
                    actual.add(index, delta);
                }

                isRefused = BACK_PRESSURED == status;
                return status;
            }

            final Operation operation = submission.operation(type);
            operation.remote = signals.descriptor();
            operation.remoteOffset = index;
            operation.delta = isSignal && isRefused && fabric.has(Fault.ORD_8_LOST) ? 0 : delta;
            isRefused = false;
            if (!fabric.hasAtomics())
            {
                puts.total(operation);
            }

            return submission.accept(operation);
        }
    }

    /** What a transport does that moves bytes of a put before it refuses it. */
    private void move(
        final SteppingRegion local, final long srcOffset, final SteppingRemoteRegion target, final long dstOffset,
        final long length)
    {
        final byte[] bytes = new byte[(int)length];
        local.readLocal(srcOffset, bytes, fabric.nextSubmission());
        target(target).writeWire(dstOffset, bytes);
    }

    private SteppingRegion target(final SteppingRemoteRegion region)
    {
        return connection.livingPeer().region(region.descriptor().id());
    }

    private long addStatus(final SteppingRemoteSignals signals, final int index)
    {
        final long status = status();
        return status < 0 || fabric.hasAtomics() || fabric.has(Fault.SIG_2_OVERTAKEN) ||
            !puts.isUnderWay(signals.descriptor(), index) ? status : BACK_PRESSURED;
    }

    private long order(final String what, final Operation.Type type)
    {
        synchronized (fabric)
        {
            worker.confine(what);
            final long status = status();
            if (status < 0)
            {
                return status;
            }

            return submission.accept(submission.operation(type));
        }
    }

    /** What a channel that is closed or has failed answers before it looks at arguments, or 0. */
    private long endWhateverIsGiven()
    {
        return fabric.has(Fault.FAIL_3_CHECKED) ? 0 : end();
    }

    /** What a channel that is closed or has failed answers to everything, or 0. */
    private long end()
    {
        return closed ? CLOSED : null != connection.failure() ? FAILED : 0;
    }

    private long hardStatus()
    {
        if (fabric.has(Fault.FAIL_4) && submission.isIdle())
        {
            connection.fail(new TransportException("idle", TransportException.NO_STATUS, null));
        }

        final long end = end();
        return end < 0 ? end : connection.isConnected() ? submission.position() :
            fabric.has(Fault.CON_2) ? BACK_PRESSURED : NOT_CONNECTED;
    }

    private long status()
    {
        final long hard = hardStatus();
        return hard < 0 ? hard : queue.room() > 0 ? submission.position() : BACK_PRESSURED;
    }
}
