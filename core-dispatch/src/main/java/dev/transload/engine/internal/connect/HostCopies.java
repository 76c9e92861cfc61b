/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.TensorMemory;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Copies between the JVM's buffers and memory that it cannot look into, by way of a block of the scale-up transport's
 * host memory: puts to the own rank, and loads from it, which every transport carries (rules CON-4, MEM-8). A copy has
 * a worker of its own, so that any thread may copy while the engine's threads go on.
 */
public final class HostCopies implements TensorMemory.HostCopier
{
    private static final int BLOCK_BYTES = 8 << 20;
    private static final long MAX_PARK_NS = 50_000;

    private final Transports stages;
    private final Transport transport;
    private final int rank;
    private final long incarnation;
    private final Duration timeout;

    public HostCopies(final Transports stages, final EngineScope scope, final Duration timeout)
    {
        this.stages = stages;
        this.transport = stages.of(Stage.SCALE_UP);
        this.rank = scope.world().rank();
        this.incarnation = scope.incarnation();
        this.timeout = timeout;
    }

    @Override
    public synchronized void copy(
        final MemoryRegion region, final long offset, final ByteBuffer host, final boolean isToHost)
    {
        final long bytes = Math.min(host.remaining(), BLOCK_BYTES);
        try (MemoryRegion block = transport.allocate(MemoryKind.HOST, 0, bytes, Access.REMOTE))
        {
            stages.borrowWorker((worker) -> new Passage(worker, block, System.nanoTime() + timeout.toNanos())
                .copy(region, offset, host, isToHost));
        }
    }

    /** The way through one block. */
    private final class Passage
    {
        private final Worker worker;
        private final MemoryRegion block;
        private final RemoteRegion remoteBlock;
        private final Channel channel;
        private final long deadlineNs;

        Passage(final Worker worker, final MemoryRegion block, final long deadlineNs)
        {
            this.worker = worker;
            this.block = block;
            this.deadlineNs = deadlineNs;
            this.channel = worker.connect(rank, incarnation, worker.address());
            this.remoteBlock = worker.importRegion(rank, block.descriptor());
            await(channel::isConnected);
        }

        void copy(final MemoryRegion region, final long offset, final ByteBuffer host, final boolean isToHost)
        {
            if (isToHost)
            {
                worker.acquire(region);
            }

            long at = offset;
            while (host.hasRemaining())
            {
                final int bytes = (int)Math.min(block.length(), host.remaining());
                final ByteBuffer piece = host.slice(host.position(), bytes);
                final ByteBuffer staged = block.hostView(0, bytes);
                final long from = at;
                if (isToHost)
                {
                    submit(() -> channel.put(region, from, remoteBlock, 0, bytes));
                    flush();
                    piece.put(staged);
                }
                else
                {
                    staged.put(piece);
                    submit(() -> channel.load(remoteBlock, 0, region, from, bytes));
                    flush();
                }

                host.position(host.position() + bytes);
                at += bytes;
            }
        }

        private void flush()
        {
            final long position = submit(channel::flush);
            await(() -> channel.deliveredPosition() >= position);
        }

        private long submit(final LongSupplier operation)
        {
            final long[] position = {Channel.BACK_PRESSURED};
            await(() ->
            {
                position[0] = operation.getAsLong();
                return position[0] >= 0;
            });

            return position[0];
        }

        private void await(final BooleanSupplier condition)
        {
            while (!condition.getAsBoolean())
            {
                if (null != channel.failure())
                {
                    throw channel.failure();
                }

                if (System.nanoTime() - deadlineNs > 0)
                {
                    throw new TransportException("rank " + rank + " did not copy between the JVM and device memory " +
                        "over transport " + transport.capabilities().transport() +
                        " within transload.timeouts.open = " + timeout.toMillis() + " ms",
                        TransportException.NO_STATUS, null);
                }

                if (0 == worker.progress())
                {
                    LockSupport.parkNanos(MAX_PARK_NS);
                }
            }
        }
    }
}
