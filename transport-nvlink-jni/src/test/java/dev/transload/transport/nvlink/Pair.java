/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Two ranks in this JVM, driven by one thread, with a channel from rank 0 to memory of rank 1. */
final class Pair implements AutoCloseable
{
    /** Bytes of the regions. */
    static final int BYTES = 4096;

    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);

    final Transport near;
    final Transport far;
    final Worker worker;
    final Channel channel;
    final MemoryRegion source;
    final MemoryRegion target;
    final RemoteRegion remote;
    private final Worker peer;

    Pair(final Map<String, String> options)
    {
        near = open(0, options);
        far = open(1, options);
        worker = near.openWorker(0);
        peer = far.openWorker(0);
        source = near.allocate(MemoryKind.CUDA, 0, BYTES, Access.REMOTE);
        target = far.allocate(MemoryKind.CUDA, 1, BYTES, Access.REMOTE);
        remote = worker.importRegion(1, target.descriptor());
        channel = worker.connect(1, 1, peer.address());
        await(channel::isConnected);
    }

    static Transport open(final int rank, final Map<String, String> options)
    {
        return new NvlinkTransportProvider().open(
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
        }
    }

    /** One more channel from rank 0 to rank 1. */
    Channel another()
    {
        final Channel other = worker.connect(1, 1, peer.address());
        await(other::isConnected);
        return other;
    }

    /** Until all that was submitted is visible. */
    void flush()
    {
        final long position = channel.flush();
        await(() -> channel.deliveredPosition() >= position);
    }

    @Override
    public void close()
    {
        near.close();
        far.close();
    }
}
