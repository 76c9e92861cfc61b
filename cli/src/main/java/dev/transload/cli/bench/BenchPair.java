/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.DealtDevices;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** One side of two connected ranks: a channel to the other, a region and signals that the other may use. */
final class BenchPair implements AutoCloseable
{
    /** Adds to it are answered by adds to the other's. */
    static final int ECHOED = 0;

    /** Adds to it are only counted. */
    static final int COUNTED = 1;

    private static final int SPINS = 50;

    private final DealtDevices devices;
    private final MemoryKind kind;
    private final Transport transport;
    private final Worker worker;
    private final Channel channel;
    private final BenchMemory memory;
    private final SignalRegion signals;
    private final RemoteRegion remoteRegion;
    private final RemoteSignals remoteSignals;
    private final int peer;
    private final long timeoutNs;

    BenchPair(final RankPlace place, final Rendezvous rendezvous, final BenchTask task)
    {
        final EngineConfig config = place.settings().engine();
        final Duration timeout = config.openTimeout();
        this.peer = 1 - place.rank();
        this.timeoutNs = config.callTimeout().toNanos();
        final TransportProvider provider = TransportRegistry.discover().provider(task.transport());
        this.devices = new DealtDevices(task.devices(), config);
        this.kind = KernelRegistry.discover().kindOf(task.transport());
        this.transport = provider.open(TransportConfig.builder()
            .rank(place.rank())
            .worldSize(2)
            .incarnation(rendezvous.member(place.rank()).incarnation())
            .livenessTimeoutNs(config.livenessTimeout().toNanos())
            .options(devices.options(provider, place.rank()))
            .build());
        this.worker = transport.openWorker(0);
        this.memory =
            BenchMemory.of(transport, kind, device(place.rank()), task.bytes(), isMeasuring(place.rank()));
        this.signals = transport.allocateSignals(COUNTED + 1, 1);
        final ByteBuffer address = rendezvous.allGather("bench.worker", worker.address(), timeout).get(peer);
        this.channel = worker.connect(peer, rendezvous.member(peer).incarnation(), address);
        await(channel::isConnected, "connecting");
        this.remoteRegion = worker.importRegion(
            peer, rendezvous.allGather("bench.region", memory.target().descriptor(), timeout).get(peer));
        this.remoteSignals = worker.importSignals(
            peer, rendezvous.allGather("bench.signals", signals.descriptor(), timeout).get(peer));
    }

    Transport transport()
    {
        return transport;
    }

    Channel channel()
    {
        return channel;
    }

    RemoteRegion remoteRegion()
    {
        return remoteRegion;
    }

    RemoteSignals remoteSignals()
    {
        return remoteSignals;
    }

    long echoed()
    {
        return signals.getAcquire(ECHOED);
    }

    int progress()
    {
        return worker.progress();
    }

    /** The other one answers. */
    static boolean isMeasuring(final int rank)
    {
        return 0 == rank;
    }

    /** Where rows live that go over this transport. */
    MemoryKind kind()
    {
        return kind;
    }

    /** Ordinal of the device of a rank. */
    int device(final int rank)
    {
        return devices.of(kind, rank);
    }

    /** Of the rank that measures, to send from or to load into. */
    MemoryRegion local()
    {
        return memory.local();
    }

    /** Repeats an operation until it is accepted. */
    long submit(final LongSupplier operation)
    {
        final long begin = System.nanoTime();
        long position = operation.getAsLong();
        while (position < 0)
        {
            if (Channel.BACK_PRESSURED != position && Channel.NOT_CONNECTED != position)
            {
                throw null != channel.failure() ? channel.failure() : new IllegalStateException(
                    "an operation on a connected channel returned status " + position);
            }

            checkTime(begin, "submitting");
            worker.progress();
            position = operation.getAsLong();
        }

        return position;
    }

    /** Waits until all that was submitted is visible at the other rank, and all loads have arrived. */
    void flush()
    {
        final long position = submit(channel::flush);
        await(() -> channel.deliveredPosition() >= position, "flushing");
    }

    void await(final BooleanSupplier condition, final String what)
    {
        final long begin = System.nanoTime();
        int spins = 0;
        while (!condition.getAsBoolean())
        {
            if (0 == worker.progress() && ++spins > SPINS)
            {
                Thread.yield();
                checkTime(begin, what);
            }

            if (null != channel && null != channel.failure())
            {
                throw channel.failure();
            }
        }
    }

    @Override
    public void close()
    {
        transport.close();
    }

    private void checkTime(final long begin, final String what)
    {
        if (System.nanoTime() - begin > timeoutNs)
        {
            throw new CommandException(ExitCodes.PEER_FAILED, "rank " + (1 - peer) + " waited " +
                Duration.ofNanos(timeoutNs).toSeconds() + " s for rank " + peer + " while " + what, null);
        }
    }
}
