/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.DealtDevices;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Channels from one rank to all others, and what any exchange between all of them costs at the least: each rank puts
 * to each other one, fences, adds to a signal, and has seen the adds of all others. Two places take turns, as in an
 * engine.
 */
final class BenchMesh implements AutoCloseable
{
    private static final int PLACES = 2;
    private static final int SPINS = 50;

    private final int rank;
    private final int ranks;
    private final int rows;
    private final int rowBytes;
    private final long timeoutNs;
    private final Transport transport;
    private final Worker worker;
    private final MemoryRegion local;
    private final SignalRegion signals;
    private final Channel[] channels;
    private final RemoteRegion[] targets;
    private final RemoteSignals[] targetSignals;
    private final RowList[] lists = new RowList[PLACES];
    private long exchanges;

    /** For exchanges of at most so many rows to each other rank. */
    BenchMesh(
        final RankPlace place, final Rendezvous rendezvous, final BenchTask task, final int rows, final int rowBytes)
    {
        this.rank = place.rank();
        this.ranks = rendezvous.worldSize();
        this.rows = rows;
        this.rowBytes = rowBytes;
        final EngineConfig config = place.settings().engine();
        this.timeoutNs = config.callTimeout().toNanos();
        final TransportProvider provider = TransportRegistry.discover().provider(task.transport());
        final DealtDevices devices = new DealtDevices(task.devices(), config);
        final MemoryKind kind = KernelRegistry.discover().kindOf(task.transport());
        this.transport = provider.open(TransportConfig.builder().rank(rank).worldSize(ranks)
            .incarnation(incarnation(rendezvous, rank)).livenessTimeoutNs(config.livenessTimeout().toNanos())
            .options(devices.options(provider, rank)).build());
        this.worker = transport.openWorker(0);
        final int device = devices.of(kind, rank);
        final long bytes = (long)rows * rowBytes;
        final MemoryRegion target = transport.allocate(kind, device, PLACES * ranks * bytes, Access.REMOTE);
        this.local = transport.allocate(kind, device, bytes, Access.LOCAL);
        this.signals = transport.allocateSignals(ranks, 1);
        for (int i = 0; i < PLACES; i++)
        {
            lists[i] = transport.allocateRows(rows).rowLength(rowBytes);
            for (int row = 0; row < rows; row++)
            {
                lists[i].set(row, (long)row * rowBytes, (i * ranks + rank) * bytes + (long)row * rowBytes);
            }
        }

        this.channels = new Channel[ranks];
        this.targets = new RemoteRegion[ranks];
        this.targetSignals = new RemoteSignals[ranks];
        connect(rendezvous, target, config.openTimeout());
    }

    /** The engine beside this has the rank's own. */
    private static long incarnation(final Rendezvous rendezvous, final int rank)
    {
        return rendezvous.member(rank).incarnation() + 1;
    }

    private void connect(final Rendezvous rendezvous, final MemoryRegion target, final Duration timeout)
    {
        final List<ByteBuffer> addresses = rendezvous.allGather("bench.mesh.worker", worker.address(), timeout);
        for (int peer = 0; peer < ranks; peer++)
        {
            if (peer != rank)
            {
                channels[peer] = worker.connect(peer, incarnation(rendezvous, peer), addresses.get(peer));
            }
        }

        for (int peer = 0; peer < ranks; peer++)
        {
            if (peer != rank)
            {
                await(channels[peer]::isConnected, peer);
            }
        }

        final List<ByteBuffer> regions = rendezvous.allGather("bench.mesh.region", target.descriptor(), timeout);
        final List<ByteBuffer> counters = rendezvous.allGather("bench.mesh.signals", signals.descriptor(), timeout);
        for (int peer = 0; peer < ranks; peer++)
        {
            if (peer != rank)
            {
                targets[peer] = worker.importRegion(peer, regions.get(peer));
                targetSignals[peer] = worker.importSignals(peer, counters.get(peer));
            }
        }
    }

    Transport transport()
    {
        return transport;
    }

    /**
     * Exchange.
     *
     * @param count rows for each other rank; 0 to put a few bytes of one.
     * @param bytes of a row where the count is 0.
     * @return nanoseconds from the first put until the last add was seen.
     */
    long exchange(final int count, final int bytes)
    {
        final int turn = (int)(exchanges++ % PLACES);
        final long begin = System.nanoTime();
        for (int i = 1; i < ranks; i++)
        {
            final int peer = (rank + i) % ranks;
            if (0 == count)
            {
                final long offset = (long)(turn * ranks + rank) * rows * rowBytes;
                submit(peer, () -> channels[peer].put(local, 0, targets[peer], offset, bytes));
            }

            for (int row = 0; row < count;)
            {
                final int from = row;
                final long before = channels[peer].position();
                row += (int)(submit(peer, () ->
                    channels[peer].putRows(local, targets[peer], lists[turn], from, count - from)) - before);
            }

            submit(peer, channels[peer]::fence);
            submit(peer, () -> channels[peer].atomicAdd(targetSignals[peer], rank, 1));
        }

        for (int i = 1; i < ranks; i++)
        {
            final int peer = (rank + i) % ranks;
            await(() -> signals.getAcquire(peer) >= exchanges, peer);
        }

        final long ns = System.nanoTime() - begin;
        deliver();
        return ns;
    }

    /** What is left to this thread, which turns to the engine now, would keep the others waiting. */
    private void deliver()
    {
        for (int i = 1; i < ranks; i++)
        {
            final int peer = (rank + i) % ranks;
            final long position = submit(peer, channels[peer]::flush);
            await(() -> channels[peer].deliveredPosition() >= position, peer);
        }
    }

    private long submit(final int peer, final LongSupplier operation)
    {
        final long begin = System.nanoTime();
        long position = operation.getAsLong();
        while (position < 0)
        {
            check(begin, peer);
            worker.progress();
            position = operation.getAsLong();
        }

        return position;
    }

    private void await(final BooleanSupplier condition, final int peer)
    {
        final long begin = System.nanoTime();
        int spins = 0;
        while (!condition.getAsBoolean())
        {
            if (0 == worker.progress() && ++spins > SPINS)
            {
                Thread.yield();
                check(begin, peer);
            }
        }
    }

    private void check(final long begin, final int peer)
    {
        if (null != channels[peer].failure())
        {
            throw channels[peer].failure();
        }

        if (System.nanoTime() - begin > timeoutNs)
        {
            throw new CommandException(ExitCodes.PEER_FAILED, "rank " + rank + " waited " +
                Duration.ofNanos(timeoutNs).toSeconds() + " s for rank " + peer, null);
        }
    }

    @Override
    public void close()
    {
        transport.close();
    }
}
