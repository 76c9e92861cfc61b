/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;

/** A worker in a rank's process, driven by that process's one thread. */
final class ProxyWorker extends Proxied implements Worker
{
    private final ProxyTransport transport;

    ProxyWorker(final ProxyTransport transport, final long handle)
    {
        super(transport.process, handle);
        this.transport = transport;
    }

    @Override
    public ByteBuffer address()
    {
        return askBuffer(Request.ADDRESS);
    }

    @Override
    public Channel connect(final int peer, final long incarnation, final ByteBuffer peerAddress)
    {
        return new ProxyChannel(transport, ask(Request.CONNECT, (out) ->
        {
            out.writeInt(peer);
            out.writeLong(incarnation);
            Wire.write(out, peerAddress);
        }));
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        return new ProxyRemoteRegion(process, ask(Request.IMPORT_REGION, (out) ->
        {
            out.writeInt(peer);
            Wire.write(out, descriptor);
        }));
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        return new ProxyRemoteSignals(process, ask(Request.IMPORT_SIGNALS, (out) ->
        {
            out.writeInt(peer);
            Wire.write(out, descriptor);
        }));
    }

    @Override
    public int progress()
    {
        return (int)ask(Request.PROGRESS);
    }

    @Override
    public void acquire(final MemoryRegion region)
    {
        ask(Request.ACQUIRE, (out) -> out.writeInt(handleOf(region)));
    }
}
