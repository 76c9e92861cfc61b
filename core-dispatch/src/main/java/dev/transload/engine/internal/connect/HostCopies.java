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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Copies between the JVM's buffers and memory that it cannot look into, by way of a block of the scale-up transport's
 * host memory: puts to the own rank, and loads from it, which every transport carries (rules CON-4, MEM-8). Copies have
 * a thread and a worker of their own, so that any thread may copy while the engine's threads go on. They and the block
 * stay until the end: to take or to free page-locked memory may wait for all that a device does, and a kernel of a
 * decode step may in turn wait for a rank that is about to copy.
 */
public final class HostCopies implements TensorMemory.HostCopier, AutoCloseable
{
    private static final int BLOCK_BYTES = 8 << 20;
    private static final long MAX_PARK_NS = 50_000;

    private final Transports stages;
    private final Transport transport;
    private final int rank;
    private final long incarnation;
    private final Duration timeout;
    private ExecutorService thread;
    /** Of the thread. */
    private Passage passage;

    public HostCopies(final Transports stages, final EngineScope scope, final Duration timeout)
    {
        this.stages = stages;
        this.transport = stages.of(Stage.SCALE_UP);
        this.rank = scope.world().rank();
        this.incarnation = scope.incarnation();
        this.timeout = timeout;
    }

    /**
     * Take what copies need, before any call.
     *
     * @throws IllegalStateException if all workers are taken.
     */
    public synchronized void open()
    {
        run(this::connect);
    }

    @Override
    public synchronized void copy(
        final MemoryRegion region, final long offset, final ByteBuffer host, final boolean isToHost)
    {
        run(() ->
        {
            connect();
            try
            {
                passage.copy(region, offset, host, isToHost);
            }
            catch (final RuntimeException ex)
            {
                // Its channel may have failed, or have operations under way.
                disconnect();
                throw ex;
            }
        });
    }

    @Override
    public synchronized void close()
    {
        if (null != thread)
        {
            try
            {
                run(this::disconnect);
            }
            finally
            {
                thread.shutdown();
                thread = null;
            }
        }
    }

    /** On the thread, which the first work starts; each wait in the work has a deadline. */
    private void run(final Runnable work)
    {
        if (null == thread)
        {
            thread = Executors.newSingleThreadExecutor((task) ->
            {
                final Thread made = new Thread(task, "transload-copies-" + rank);
                made.setDaemon(true);
                return made;
            });
        }

        try
        {
            CompletableFuture.runAsync(work, thread).join();
        }
        catch (final CompletionException ex)
        {
            throw ex.getCause() instanceof RuntimeException ? (RuntimeException)ex.getCause() : ex;
        }
    }

    private void connect()
    {
        if (null == passage)
        {
            passage = new Passage();
        }
    }

    private void disconnect()
    {
        if (null != passage)
        {
            final Passage last = passage;
            passage = null;
            last.close();
        }
    }

    /** The way through one block. */
    private final class Passage
    {
        private final Resources opened = new Resources();
        private final Worker worker;
        private final MemoryRegion block;
        private final RemoteRegion remoteBlock;
        private final Channel channel;
        private long deadlineNs = System.nanoTime() + timeout.toNanos();

        Passage()
        {
            try
            {
                // The worker is closed first: that waits, with a deadline, until nothing uses the block any more.
                block = opened.add(transport.allocate(MemoryKind.HOST, 0, BLOCK_BYTES, Access.REMOTE));
                worker = stages.openWorker(opened);
                channel = worker.connect(rank, incarnation, worker.address());
                remoteBlock = worker.importRegion(rank, block.descriptor());
                await(channel::isConnected);
            }
            catch (final RuntimeException ex)
            {
                close();
                throw ex;
            }
        }

        void close()
        {
            opened.close();
        }

        void copy(final MemoryRegion region, final long offset, final ByteBuffer host, final boolean isToHost)
        {
            deadlineNs = System.nanoTime() + timeout.toNanos();
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
