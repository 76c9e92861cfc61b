/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.World;
import dev.transload.engine.cores.CoreSet;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.internal.config.HostRule;
import dev.transload.engine.internal.config.PayloadRule;
import dev.transload.engine.internal.config.TransportRule;
import dev.transload.engine.internal.connect.Arena;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Memory;
import dev.transload.engine.internal.connect.PeerDirectory;
import dev.transload.engine.internal.connect.Resources;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.connect.SharedTransports;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.ring.Staging;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.Capabilities;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What an engine has for rows that change nodes by way of host memory, without the other nodes: its rings, its
 * connections to the own rank and its {@link Staging}, one of each channel and direction.
 */
final class StagingRig implements PeerDirectory, AutoCloseable
{
    private static final int RANKS = 2;
    private static final int NODE = 1;
    private static final int SPINS = 100;

    private final Resources resources = new Resources();
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private final Map<Way, List<Staging>> stagings = new EnumMap<>(Way.class);
    private final Map<Way, List<Connection>> connections = new EnumMap<>(Way.class);
    private final EngineConfig config;
    private final Geometry geometry;
    private final EngineScope scope;
    private final Transports stages;
    private final ArenaMap map;
    private final Memory memory;
    private final Worker worker;

    /** Which way rows take. */
    enum Way
    {
        /** From device memory to host memory. */
        TO_HOST("device-to-host"),
        /** From host memory to device memory. */
        TO_DEVICE("host-to-device");

        private final String text;

        Way(final String text)
        {
            this.text = text;
        }

        @Override
        public String toString()
        {
            return text;
        }
    }

    /** Of the first of two nodes with one rank each. */
    StagingRig(final EngineConfig settings)
    {
        final TransportRegistry registry = TransportRegistry.discover();
        final SharedTransports context =
            resources.add(new SharedTransports(InMemoryRendezvous.world(RANKS).get(0), registry, true));
        try
        {
            scope = resources.add(SharedTransports.join(context));
            config = HostRule.settle(PayloadRule.settle(TransportRule.settle(settings, registry, 0),
                KernelRegistry.discover(), scope.world()),
                new HostShare(Runtime.getRuntime().availableProcessors(), 1, 0, CoreSet.parse("")));
            geometry = new Geometry(new World(config.world(), 0), config);
            stages = resources.add(
                new Transports(config, scope, 1, (error) -> failure.compareAndSet(null, error)));
            if (!stages.isStaged())
            {
                throw CommandException.badInput("--staging: transport " + config.scaleOut().transport() + " takes " +
                    config.payloadKind() + " memory itself, nothing is staged: name another as " +
                    "-Dtransload.scale-out.transport");
            }

            map = new ArenaMap(geometry, true);
            memory = new Memory(scope, stages, map.arenas());
            memory.allocate(config.device(), SignalMap.outCount(geometry), SignalMap.upCount(geometry));
            worker = resources.add(stages.openWorker(stages.of(Stage.SCALE_UP), 0));
            Connection first = null;
            for (final Way way : Way.values())
            {
                connections.put(way, new ArrayList<>());
                stagings.put(way, new ArrayList<>());
                for (int channel = 0; channel < geometry.channels(); channel++)
                {
                    final Connection connection = connect(way, channel, first);
                    first = null == first ? connection : first;
                    connections.get(way).add(connection);
                    stagings.get(way).add(staging(way, channel, connection));
                }
            }
        }
        catch (final RuntimeException ex)
        {
            resources.close();
            throw ex;
        }
    }

    private Connection connect(final Way way, final int channel, final Connection sibling)
    {
        final Connection connection = new Connection(Stage.SCALE_UP, channel, 0,
            Way.TO_HOST == way ? Connection.Use.STAGING_OUT : Connection.Use.STAGING_IN, this,
            new ThreadCounters(RANKS));
        connection.open(worker, 0, sibling);
        final long begin = System.nanoTime();
        while (!connection.isConnected())
        {
            idle(SPINS, begin, config.openTimeout());
        }

        return connection;
    }

    /** As the engine has it for dispatch. */
    private Staging staging(final Way way, final int channel, final Connection connection)
    {
        final int slots = geometry.outRing();
        final boolean isOut = Way.TO_HOST == way;
        final long ring = (isOut ? (long)channel * geometry.nodes() + NODE : geometry.stream(channel, 0)) * slots;
        return new Staging(connection, memory.signals(Stage.SCALE_UP), isOut ?
            SignalMap.stagedOut(geometry, channel, NODE) : SignalMap.stagedIn(geometry, channel, 0), source(way), ring,
            target(way), ring, slots);
    }

    private Section source(final Way way)
    {
        return Way.TO_HOST == way ? map.payloadPacked : map.wirePayloadIn;
    }

    private Section target(final Way way)
    {
        return Way.TO_HOST == way ? map.payloadOut : map.payloadIn;
    }

    Capabilities capabilities()
    {
        return stages.of(Stage.SCALE_UP).capabilities();
    }

    MemoryKind kind()
    {
        return config.payloadKind();
    }

    int device()
    {
        return config.device();
    }

    int channels()
    {
        return geometry.channels();
    }

    int chunksOfRing()
    {
        return geometry.outRing() / config.scaleOut().chunk();
    }

    /** Bytes of a chunk of the widest rows. */
    long chunkBytes()
    {
        return config.scaleOut().chunk() * geometry.payloadStride();
    }

    /**
     * Stage chunks, spread over the channels; a slot is free once its rows have arrived.
     *
     * @param ways   that rows take, at the same time.
     * @param chunks each way, by all channels together.
     * @return nanoseconds until all have arrived.
     */
    long stage(final Set<Way> ways, final long chunks)
    {
        final List<Flow> flows = new ArrayList<>();
        for (final Way way : ways)
        {
            final int channels = channels();
            for (int channel = 0; channel < channels; channel++)
            {
                final Staging staging = stagings.get(way).get(channel);
                staging.begin(geometry.payloadStride());
                flows.add(new Flow(staging,
                    Math.toIntExact((chunks + channels - 1 - channel) / channels * config.scaleOut().chunk())));
            }
        }

        final long begin = System.nanoTime();
        int spins = 0;
        for (long last = begin; !flows.stream().allMatch(Flow::isDone);)
        {
            final int work = flows.stream().mapToInt(this::advance).sum();
            last = 0 == work ? last : System.nanoTime();
            spins = idle(0 == work ? spins : 0, last, config.callTimeout());
        }

        return System.nanoTime() - begin;
    }

    /**
     * What a channel stages in a round.
     *
     * @param staging of it.
     * @param rows    to stage.
     */
    private record Flow(Staging staging, int rows)
    {
        boolean isDone()
        {
            return staging.begun() == rows && staging.isComplete();
        }
    }

    private int advance(final Flow flow)
    {
        final Staging staging = flow.staging;
        final int chunk = config.scaleOut().chunk();
        final int work = staging.advance();
        final boolean hasRoom =
            staging.begun() + chunk - Math.min(staging.arrived(), staging.released()) <= geometry.outRing();
        return staging.begun() < flow.rows && hasRoom && staging.isFree() ? work + staging.copy(chunk) : work;
    }

    /**
     * Copy as many bytes as so many chunks have, all rings of a section at once, which is what copy engines are for.
     *
     * @return nanoseconds until all have arrived.
     */
    long copy(final Set<Way> ways, final long chunks)
    {
        final long begin = System.nanoTime();
        final Map<Way, Long> left = new EnumMap<>(Way.class);
        ways.forEach((way) -> left.put(way, chunks * chunkBytes()));
        int spins = 0;
        for (long last = begin; left.values().stream().anyMatch((bytes) -> bytes > 0);)
        {
            int work = 0;
            for (final Way way : ways)
            {
                work += put(way, left);
            }

            last = 0 == work ? last : System.nanoTime();
            spins = idle(0 == work ? spins : 0, last, config.callTimeout());
        }

        for (final Way way : ways)
        {
            final Connection connection = connections.get(way).get(0);
            spins = 0;
            for (long released = -1, last = begin; released < connection.channel().position();)
            {
                final long now = connection.channel().releasedPosition();
                last = now == released ? last : System.nanoTime();
                released = now;
                spins = idle(spins, last, config.callTimeout());
            }
        }

        return System.nanoTime() - begin;
    }

    private int put(final Way way, final Map<Way, Long> left)
    {
        final Connection connection = connections.get(way).get(0);
        final long bytes = Math.min(left.get(way), (long)geometry.channels() *
            (Way.TO_HOST == way ? geometry.nodes() : geometry.streams()) * geometry.outRing() *
            geometry.payloadStride());
        if (0 == bytes || !connection.isAccepted(connection.channel().put(
            source(way).arena().region(Stage.SCALE_UP), source(way).offset(0), connection.remote(target(way)),
            target(way).offset(0), bytes)))
        {
            return 0;
        }

        left.put(way, left.get(way) - bytes);
        return 1;
    }

    /** Let the transport go on, for so long since something happened last. */
    private int idle(final int spins, final long last, final Duration timeout)
    {
        if (null != failure.get())
        {
            throw failure.get();
        }

        if (0 != worker.progress())
        {
            return 0;
        }

        if (System.nanoTime() - last > timeout.toNanos())
        {
            throw new CommandException(ExitCodes.PEER_FAILED, "nothing was staged for " + timeout.toSeconds() + " s",
                null);
        }

        if (spins >= SPINS)
        {
            Thread.yield();
        }

        return spins + 1;
    }

    @Override
    public int rank()
    {
        return 0;
    }

    @Override
    public int arenaCount()
    {
        return map.arenas().size();
    }

    @Override
    public long incarnation(final int rank)
    {
        return scope.incarnation();
    }

    @Override
    public ByteBuffer workerAddress(final int rank, final Stage stage, final int workerIndex)
    {
        return worker.address();
    }

    @Override
    public ByteBuffer signals(final int rank, final Stage stage)
    {
        return memory.signals(stage).descriptor();
    }

    @Override
    public boolean exports(final int rank, final Stage stage, final int arena)
    {
        final Arena own = map.arenas().get(arena);
        return own.isRemote() && own.length() > 0 && stage == own.owner();
    }

    @Override
    public ByteBuffer arena(final int rank, final int arena)
    {
        final Arena own = map.arenas().get(arena);
        return own.region(own.owner()).descriptor();
    }

    @Override
    public Transport transport(final Stage stage)
    {
        return stages.of(stage);
    }

    @Override
    public void close()
    {
        resources.close();
    }
}
