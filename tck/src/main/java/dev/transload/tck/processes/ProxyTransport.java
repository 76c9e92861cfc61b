/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Access;
import dev.transload.spi.Capabilities;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Reachability;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.Worker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;

/** A transport in a rank's process. */
final class ProxyTransport extends Proxied implements Transport
{
    private final Map<RowList, Integer> lists = Collections.synchronizedMap(new IdentityHashMap<>());

    private ProxyTransport(final RankProcess process, final long handle)
    {
        super(process, handle);
    }

    /**
     * Opens a transport in a process.
     *
     * @param process  of the rank.
     * @param provider class with a public constructor without arguments.
     * @param config   of the rank; its error handler stays behind.
     * @return the transport.
     */
    static ProxyTransport open(
        final RankProcess process, final Class<? extends TransportProvider> provider, final TransportConfig config)
    {
        return new ProxyTransport(process, process.ask(Request.OPEN, 0, (out) ->
        {
            out.writeUTF(provider.getName());
            Wire.write(out, config);
        }));
    }

    @Override
    public Capabilities capabilities()
    {
        try
        {
            return Wire.capabilities(process.answer(Request.CAPABILITIES, handle, null).bytes());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public ByteBuffer peerInfo()
    {
        return askBuffer(Request.PEER_INFO);
    }

    @Override
    public Reachability canReach(final int peer, final ByteBuffer peerInfo)
    {
        try
        {
            return Wire.reachability(process.answer(Request.CAN_REACH, handle, (out) ->
            {
                out.writeInt(peer);
                Wire.write(out, peerInfo);
            }).bytes());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public MemoryRegion allocate(final MemoryKind kind, final int device, final long length, final Access access)
    {
        return new ProxyRegion(process, ask(Request.ALLOCATE, (out) ->
        {
            out.writeUTF(kind.name());
            out.writeInt(device);
            out.writeLong(length);
            out.writeUTF(access.name());
        }));
    }

    @Override
    public MemoryRegion register(
        final MemoryKind kind, final int device, final long address, final long length, final Access access)
    {
        throw new UnsupportedOperationException(
            "memory of this process cannot be registered with the transport of " + process.name());
    }

    @Override
    public SignalRegion allocateSignals(final int count, final int writers)
    {
        return new ProxySignals(process, ask(Request.ALLOCATE_SIGNALS, (out) ->
        {
            out.writeInt(count);
            out.writeInt(writers);
        }));
    }

    /** A list here and one there; operations bring the entries that they name from here to there. */
    @Override
    public RowList allocateRows(final int asked)
    {
        final int there = (int)ask(Request.ALLOCATE_ROWS, (out) -> out.writeInt(asked));
        final int capacity = (int)process.ask(Request.CAPACITY, there);
        final RowList here = new RowList(ByteBuffer.allocateDirect(capacity * RowList.STRIDE), capacity);
        lists.put(here, there);
        return here;
    }

    int handleOf(final RowList rows)
    {
        final Integer there = lists.get(rows);
        if (null == there)
        {
            throw new IllegalArgumentException("the list was not allocated by the transport of " + process.name());
        }

        return there;
    }

    @Override
    public Worker openWorker(final int index)
    {
        return new ProxyWorker(this, ask(Request.OPEN_WORKER, (out) -> out.writeInt(index)));
    }
}
