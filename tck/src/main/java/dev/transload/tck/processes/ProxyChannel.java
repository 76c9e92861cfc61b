/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import dev.transload.spi.WorkQueue;
import java.io.DataOutputStream;
import java.io.IOException;

/** A channel in a rank's process. */
final class ProxyChannel extends Proxied implements Channel
{
    private final ProxyTransport transport;

    ProxyChannel(final ProxyTransport transport, final long handle)
    {
        super(transport.process, handle);
        this.transport = transport;
    }

    @Override
    public int peer()
    {
        return (int)ask(Request.PEER);
    }

    @Override
    public boolean isConnected()
    {
        return 0 != ask(Request.IS_CONNECTED);
    }

    @Override
    public long put(
        final MemoryRegion src, final long srcOffset, final RemoteRegion dst, final long dstOffset, final long length)
    {
        return ask(Request.PUT, (out) ->
        {
            out.writeInt(handleOf(src));
            out.writeLong(srcOffset);
            out.writeInt(handleOf(dst));
            out.writeLong(dstOffset);
            out.writeLong(length);
        });
    }

    @Override
    public long putRows(
        final MemoryRegion src, final RemoteRegion dst, final RowList rows, final int from, final int count)
    {
        return ask(Request.PUT_ROWS, (out) ->
        {
            out.writeInt(handleOf(src));
            out.writeInt(handleOf(dst));
            out.writeInt(transport.handleOf(rows));
            out.writeInt(from);
            out.writeInt(count);
            writeEntries(out, rows, from, count);
        });
    }

    @Override
    public long load(
        final RemoteRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        return ask(Request.LOAD, (out) ->
        {
            out.writeInt(handleOf(src));
            out.writeLong(srcOffset);
            out.writeInt(handleOf(dst));
            out.writeLong(dstOffset);
            out.writeLong(length);
        });
    }

    @Override
    public long atomicAdd(final RemoteSignals dst, final int index, final long delta)
    {
        return add(Request.ADD_TO_SIGNAL, dst, index, delta);
    }

    @Override
    public long signal(final RemoteSignals dst, final int index, final long delta)
    {
        return add(Request.SIGNAL, dst, index, delta);
    }

    @Override
    public long atomicAdd(final RemoteRegion dst, final long dstOffset, final long delta)
    {
        return ask(Request.ADD_TO_WORD, (out) ->
        {
            out.writeInt(handleOf(dst));
            out.writeLong(dstOffset);
            out.writeLong(delta);
        });
    }

    @Override
    public long fence()
    {
        return ask(Request.FENCE);
    }

    @Override
    public long flush()
    {
        return ask(Request.FLUSH);
    }

    @Override
    public long startAfter(final WorkQueue kernels, final long position)
    {
        throw new UnsupportedOperationException(
            "a channel of " + process.name() + " cannot wait for kernels of this process");
    }

    @Override
    public long position()
    {
        return ask(Request.POSITION);
    }

    @Override
    public long releasedPosition()
    {
        return ask(Request.RELEASED_POSITION);
    }

    @Override
    public long deliveredPosition()
    {
        return ask(Request.DELIVERED_POSITION);
    }

    @Override
    public TransportException failure()
    {
        final byte[] failure = process.answer(Request.FAILURE, handle, null).bytes();
        return 0 == failure.length ? null : (TransportException)Thrown.of(failure);
    }

    private long add(final Request how, final RemoteSignals dst, final int index, final long delta)
    {
        return ask(how, (out) ->
        {
            out.writeInt(handleOf(dst));
            out.writeInt(index);
            out.writeLong(delta);
        });
    }

    /** Row length, then the entries of the range, as far as the list has them: a wrong range is refused over there. */
    private static void writeEntries(
        final DataOutputStream out, final RowList rows, final int from, final int count) throws IOException
    {
        final int first = Math.min(Math.max(from, 0), rows.capacity());
        final int end = (int)Math.max(first, Math.min((long)from + count, rows.capacity()));
        out.writeInt(rows.rowLength());
        out.writeInt(first);
        out.writeInt(end - first);
        for (int i = first; i < end; i++)
        {
            out.writeLong(rows.srcOffset(i));
            out.writeLong(rows.dstOffset(i));
        }
    }
}
