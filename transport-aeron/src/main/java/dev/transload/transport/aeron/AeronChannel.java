/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** What both data paths have in common: the state of a channel, and the checks before memory is touched. */
abstract class AeronChannel implements Channel
{
    /** State of a channel whose operations are accepted; the others are the SPI's statuses. */
    static final int ACCEPTING = 0;

    private static final VarHandle STATE;

    private final AeronWorker worker;
    private final int id;
    private final PeerIdentity identity;
    private final long incarnation;
    private volatile int state = (int)NOT_CONNECTED;
    private volatile boolean isGranted;
    private volatile boolean connected;
    private volatile TransportException failure;
    private long position;

    static
    {
        try
        {
            STATE = MethodHandles.lookup().findVarHandle(AeronChannel.class, "state", int.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    AeronChannel(final AeronWorker worker, final int id, final PeerIdentity identity, final long incarnation)
    {
        this.worker = worker;
        this.id = id;
        this.identity = identity;
        this.incarnation = incarnation;
    }

    @Override
    public final int peer()
    {
        return identity.rank();
    }

    @Override
    public final boolean isConnected()
    {
        return connected;
    }

    @Override
    public final long position()
    {
        return position;
    }

    @Override
    public final TransportException failure()
    {
        return failure;
    }

    @Override
    public final long startAfter(final RowKernels kernels, final long kernelsPosition)
    {
        worker.checkThread();
        if (kernelsPosition > kernels.position())
        {
            throw new IllegalArgumentException("position=" + kernelsPosition + ": the kernels have submitted only " +
                kernels.position() + " operations");
        }

        if (state < 0)
        {
            return state;
        }

        // Our copies are made by this thread: nothing can be queued behind kernels that still run.
        return kernels.completedPosition() >= kernelsPosition ? position : BACK_PRESSURED;
    }

    @Override
    public final void close()
    {
        if (CLOSED != state)
        {
            worker.checkThread();
            worker.forget(this);
            shut();
        }
    }

    /** Any thread: ends the use of local memory. */
    void shut()
    {
        state = (int)CLOSED;
    }

    /** On the transport's thread: the peer has accepted the channel. */
    void onAccepted()
    {
        grant();
    }

    /** On the worker's thread: take up what the transport's thread found, and work that was left over. */
    int progress()
    {
        if (NOT_CONNECTED == state && isGranted)
        {
            return STATE.compareAndSet(this, (int)NOT_CONNECTED, ACCEPTING) ? markConnected() : 0;
        }

        return 0;
    }

    abstract DataPath path();

    final int id()
    {
        return id;
    }

    final PeerIdentity identity()
    {
        return identity;
    }

    final long incarnation()
    {
        return incarnation;
    }

    final AeronWorker worker()
    {
        return worker;
    }

    final int state()
    {
        return state;
    }

    /** From any thread: the channel may connect, which its worker's next progress does. */
    final void grant()
    {
        isGranted = true;
    }

    private int markConnected()
    {
        connected = true;
        return 1;
    }

    /**
     * From any thread: end the channel for good; the first cause stands.
     *
     * @param cause of the failure.
     */
    final void fail(final TransportException cause)
    {
        int seen = state;
        while (seen != (int)CLOSED && seen != (int)FAILED)
        {
            // The cause first: whoever sees the state asks for it.
            failure = cause;
            if (STATE.compareAndSet(this, seen, (int)FAILED))
            {
                return;
            }

            seen = state;
        }
    }

    final long advance(final long operations)
    {
        position += operations;
        return position;
    }

    final LocalRegion local(final String name, final MemoryRegion region)
    {
        if (!(region instanceof LocalRegion) || !worker.owns((LocalRegion)region))
        {
            throw new IllegalArgumentException(name + " is not a region of this transport: " + region);
        }

        final LocalRegion local = (LocalRegion)region;
        if (!local.isOpen())
        {
            throw new IllegalStateException(name + " is closed: no operation may use it");
        }

        return local;
    }

    final ImportedRegion remote(final String name, final RemoteRegion region)
    {
        if (!(region instanceof ImportedRegion))
        {
            throw new IllegalArgumentException(name + " is not a region that transport aeron imported: " + region);
        }

        final ImportedRegion imported = (ImportedRegion)region;
        checkImport(name, imported);
        return imported;
    }

    final ImportedSignals remote(final String name, final RemoteSignals signals, final int index, final long delta)
    {
        if (!(signals instanceof ImportedSignals))
        {
            throw new IllegalArgumentException(name + " are not signals that transport aeron imported: " + signals);
        }

        final ImportedSignals imported = (ImportedSignals)signals;
        checkImport(name, imported);
        if (index < 0 || index >= imported.extent())
        {
            throw new IndexOutOfBoundsException("index=" + index + ": " + name + " has " + imported.extent() +
                " signals");
        }

        if (delta <= 0)
        {
            throw new IllegalArgumentException("delta=" + delta + ": must be positive");
        }

        return imported;
    }

    static void checkWord(final long offset, final long length)
    {
        if (0 != (offset & Long.BYTES - 1))
        {
            throw new IllegalArgumentException("dstOffset=" + offset + ": must be a multiple of 8");
        }

        checkRange("dst", offset, Long.BYTES, length);
    }

    static void checkRange(final String name, final long offset, final long length, final long extent)
    {
        if ((offset | length) < 0 || offset > extent - length)
        {
            throw new IndexOutOfBoundsException(name + "Offset=" + offset + ", length=" + length + ": " + name +
                " has " + extent + " bytes");
        }
    }

    static void checkRows(final RowList rows, final int from, final int count)
    {
        if ((from | count) < 0 || from > rows.capacity() - count)
        {
            throw new IndexOutOfBoundsException("from=" + from + ", count=" + count + ": rows has a capacity of " +
                rows.capacity());
        }
    }

    /** All rows, before the first is written: misuse has no effect. */
    static void checkRanges(
        final RowList rows, final int from, final int count, final long srcExtent, final long dstExtent)
    {
        final int length = rows.rowLength();
        final long srcLast = srcExtent - length;
        final long dstLast = dstExtent - length;
        for (int i = from; i < from + count; i++)
        {
            final long srcOffset = rows.srcOffset(i);
            final long dstOffset = rows.dstOffset(i);
            if ((srcOffset | dstOffset) < 0 || srcOffset > srcLast || dstOffset > dstLast)
            {
                throw new IndexOutOfBoundsException("row " + i + ": srcOffset=" + srcOffset + ", dstOffset=" +
                    dstOffset + ", rowLength=" + length + ": src has " + srcExtent + " bytes and dst " + dstExtent);
            }
        }
    }

    private void checkImport(final String name, final Import imported)
    {
        if (!imported.belongsTo(worker))
        {
            throw new IllegalArgumentException(name + " was imported by another worker");
        }

        if (imported.identity().transportId() != identity.transportId())
        {
            throw new IllegalArgumentException(name + " was imported from " + imported.identity().describe() +
                ", this channel leads to " + identity.describe());
        }

        if (!imported.isOpen())
        {
            throw new IllegalStateException(name + " is closed: no operation may use it");
        }
    }
}
