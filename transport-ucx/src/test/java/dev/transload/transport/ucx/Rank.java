/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.util.Map;

/** A rank in this JVM, with one worker and memory of every sort. */
final class Rank implements AutoCloseable
{
    static final int WORLD = 8;
    static final int LENGTH = 1 << 16;
    static final int SIGNALS = 4;

    private final int number;
    private final Transport transport;
    private final Worker worker;
    private final MemoryRegion target;
    private final MemoryRegion source;
    private final SignalRegion signals;

    /** A channel to a peer, and the peer's memory. */
    record Lane(Rank from, Rank to, Operations operations, RemoteRegion remote, RemoteSignals signals)
    {
        /** One value goes over and is seen, by all four sorts of operations. */
        void exchange(final long value)
        {
            from.source.hostView(0, Long.BYTES).putLong(0, value);
            operations.accept(() -> operations.channel().put(from.source, 0, remote, 8, Long.BYTES));
            operations.accept(operations.channel()::fence);
            final long before = to.signals.getAcquire(0);
            operations.accept(() -> operations.channel().atomicAdd(signals, 0, 1));
            Await.until(() -> from.worker.progress() + to.worker.progress() >= 0 && to.signals.getAcquire(0) > before);
            operations.accept(() -> operations.channel().load(remote, 8, from.source, 16, Long.BYTES));
            operations.flush();
            if (value != to.target.hostView(8, Long.BYTES).getLong(0) ||
                value != from.source.hostView(16, Long.BYTES).getLong(0))
            {
                throw new AssertionError(value + " did not arrive");
            }
        }

        void close()
        {
            operations.channel().close();
            remote.close();
            signals.close();
        }
    }

    Rank(final int number, final Map<String, String> options)
    {
        this(number, new UcxTransportProvider(), options);
    }

    Rank(final int number, final UcxTransportProvider provider, final Map<String, String> options)
    {
        this.number = number;
        transport = provider.open(config(number, options));
        worker = transport.openWorker(0);
        target = transport.allocate(MemoryKind.HOST, 0, LENGTH, Access.REMOTE);
        source = transport.allocate(MemoryKind.HOST, 0, LENGTH, Access.LOCAL);
        signals = transport.allocateSignals(SIGNALS, 1);
    }

    static TransportConfig config(final int number, final Map<String, String> options)
    {
        return TransportConfig.builder().rank(number).worldSize(WORLD).options(options).build();
    }

    Lane lane(final Rank peer)
    {
        return lane(worker, peer, peer.target);
    }

    /** By another worker or to other memory. */
    Lane lane(final Worker by, final Rank peer, final MemoryRegion memory)
    {
        return new Lane(this, peer,
            Operations.connect(by, by.connect(peer.number, 1, peer.worker.address())),
            by.importRegion(peer.number, memory.descriptor()),
            by.importSignals(peer.number, peer.signals.descriptor()));
    }

    Transport transport()
    {
        return transport;
    }

    Worker worker()
    {
        return worker;
    }

    MemoryRegion target()
    {
        return target;
    }

    MemoryRegion source()
    {
        return source;
    }

    SignalRegion signals()
    {
        return signals;
    }

    @Override
    public void close()
    {
        transport.close();
    }
}
