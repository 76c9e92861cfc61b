/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Two ranks in this JVM, driven by one thread, with host memory at rank 0 and device memory at rank 1. */
final class Pair implements AutoCloseable
{
    /** Bytes of the regions. */
    static final int BYTES = 4096;

    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);

    final Transport near;
    Transport far;
    Worker worker;
    Worker peer;
    MemoryRegion source;
    MemoryRegion target;
    MemoryRegion result;
    SignalRegion signals;
    RemoteRegion remote;
    RemoteRegion own;
    RemoteSignals remoteSignals;

    Pair(final Map<String, String> options)
    {
        near = open(0, options);
        boolean isDone = false;
        try
        {
            far = open(1, options);
            prepare();
            isDone = true;
        }
        finally
        {
            if (!isDone)
            {
                close();
            }
        }
    }

    private void prepare()
    {
        worker = near.openWorker(0);
        peer = far.openWorker(0);
        source = near.allocate(MemoryKind.HOST, 0, BYTES, Access.LOCAL);
        target = far.allocate(MemoryKind.ASCEND, 1, BYTES, Access.REMOTE);
        result = far.allocate(MemoryKind.HOST, 0, BYTES, Access.LOCAL);
        signals = far.allocateSignals(1, 1);
        remote = worker.importRegion(1, target.descriptor());
        own = peer.importRegion(1, target.descriptor());
        remoteSignals = worker.importSignals(1, signals.descriptor());
    }

    /** A channel from rank 0 to rank 1. */
    Channel connect()
    {
        return connected(worker.connect(1, 1, peer.address()));
    }

    /** A channel of rank 1 to itself. */
    Channel connectOwn()
    {
        return connected(peer.connect(1, 1, peer.address()));
    }

    private Channel connected(final Channel channel)
    {
        await(() -> channel.isConnected() || null != channel.failure());
        return channel;
    }

    private static Transport open(final int rank, final Map<String, String> options)
    {
        return new HccsTransportProvider().open(
            TransportConfig.builder().rank(rank).worldSize(2).incarnation(1).options(options).build());
    }

    /** Drive both ranks until something is so. */
    void await(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("it did not come true within " + DEADLINE_NS + " ns");
            }

            worker.progress();
            peer.progress();
            Thread.yield();
        }
    }

    @Override
    public void close()
    {
        near.close();
        if (null != far)
        {
            far.close();
        }
    }
}
