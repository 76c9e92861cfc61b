/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.internal.world.Stage;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What the ranks tell each other when an engine opens, in three rounds: which mode and transports it has, and what they
 * have of their hosts; their settings, which must agree, and who they are to the transports; then where their workers,
 * signals and arenas are.
 */
public final class Bootstrap implements PeerDirectory
{
    private final EngineScope scope;
    private final Transports stages;
    private final Duration timeout;
    private final Map<Integer, Published> published = new HashMap<>();
    private Memory memory;

    private record Published(List<List<ByteBuffer>> addresses, List<ByteBuffer> signals, List<ByteBuffer> arenas)
    {
    }

    /** Before the second round. */
    public Bootstrap(final EngineScope scope, final Transports stages, final Duration timeout)
    {
        this.scope = scope;
        this.stages = stages;
        this.timeout = timeout;
    }

    /**
     * First round, before the transports open.
     *
     * @param mode   of the engine, as messages name it.
     * @param config settings, of which the transports are settled.
     * @return this rank's share of its host.
     * @throws ConfigurationException if the world has another size, or ranks have other builds, open engines in another
     *                                order, or have chosen other transports.
     */
    public static HostShare meet(final EngineScope scope, final String mode, final EngineConfig config)
    {
        final Rendezvous world = scope.world();
        if (world.worldSize() != config.worldSize())
        {
            throw new ConfigurationException("the world has " + world.worldSize() +
                " ranks, transload.nodes x transload.ranks-per-node = " + config.nodes() + " x " +
                config.world().ranksPerNode() + ": must be equal");
        }

        if (config.world().absent().contains(world.rank()))
        {
            throw new ConfigurationException("rank " + world.rank() + " is one of the absent ranks " +
                config.world().absent() + ": the present ranks alone open the engine");
        }

        final Packing mine = new Packing();
        mine.put(BuildInfo.own().toString().getBytes(StandardCharsets.UTF_8));
        mine.put(mode.getBytes(StandardCharsets.UTF_8));
        final List<String> own = AgreedSettings.beforeOpening(config);
        mine.put(pack(own));
        mine.put(HostShare.offer());
        final List<ByteBuffer> offers = new ArrayList<>();
        final List<ByteBuffer> gathered = scope.allGather("engine", mine.toBuffer(), config.openTimeout());
        for (int i = 0; i < gathered.size(); i++)
        {
            final int rank = scope.present().get(i);
            final Packing theirs = new Packing(gathered.get(i));
            final String build = StandardCharsets.UTF_8.decode(theirs.get()).toString();
            if (!BuildInfo.own().toString().equals(build))
            {
                throw new ConfigurationException("rank " + world.rank() + " runs Transload " + BuildInfo.own() +
                    ", rank " + rank + " runs " + build + ": must be the same build on all ranks");
            }

            final String their = StandardCharsets.UTF_8.decode(theirs.get()).toString();
            if (!mode.equals(their))
            {
                throw new ConfigurationException("rank " + world.rank() + " opens a " + mode + " engine, rank " +
                    rank + " a " + their + " one: must be the same on all ranks" + scope.order());
            }

            AgreedSettings.compare(own, lines(theirs.get()), world.rank(), rank, scope.order());
            offers.add(theirs.get());
        }

        return HostShare.of(offers, world, scope.present());
    }

    /**
     * Second round.
     *
     * @return of each present rank, what its transports of the stages say of themselves; empty where there is none.
     * @throws ConfigurationException naming the ranks and the first setting in which they differ.
     */
    public Map<Integer, List<ByteBuffer>> agree(final List<String> own)
    {
        final Packing mine = new Packing();
        mine.put(pack(own));
        for (final Stage stage : Stage.values())
        {
            final Transport transport = stages.of(stage);
            mine.put(null == transport ? ByteBuffer.allocate(0) : transport.peerInfo());
        }

        final Map<Integer, List<ByteBuffer>> infos = new HashMap<>();
        final List<ByteBuffer> gathered = scope.allGather("settings", mine.toBuffer(), timeout);
        for (int i = 0; i < gathered.size(); i++)
        {
            final Packing theirs = new Packing(gathered.get(i));
            AgreedSettings.compare(own, lines(theirs.get()), rank(), scope.present().get(i), scope.order());
            final List<ByteBuffer> ofRank = new ArrayList<>();
            for (int stage = 0; stage < Stage.values().length; stage++)
            {
                ofRank.add(theirs.get());
            }

            infos.put(scope.present().get(i), ofRank);
        }

        return infos;
    }

    private static ByteBuffer pack(final List<String> lines)
    {
        return ByteBuffer.wrap(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> lines(final ByteBuffer packed)
    {
        return List.of(StandardCharsets.UTF_8.decode(packed).toString().split("\n"));
    }

    /**
     * Third round.
     *
     * @param threads   workers by stage of each thread, which peers connect to.
     * @param allocated own memory.
     */
    public void exchange(final List<Function<Stage, Worker>> threads, final Memory allocated)
    {
        memory = allocated;
        final Packing mine = new Packing();
        mine.put(threads.size());
        for (final Stage stage : Stage.values())
        {
            for (final Function<Stage, Worker> thread : threads)
            {
                final Worker worker = thread.apply(stage);
                mine.put(null == worker ? ByteBuffer.allocate(0) : worker.address());
            }

            mine.put(null == memory.signals(stage) ? ByteBuffer.allocate(0) : memory.signals(stage).descriptor());
        }

        for (final Arena arena : memory.arenas())
        {
            final MemoryRegion region = arena.region(arena.owner());
            mine.put(arena.isRemote() && null != region ? region.descriptor() : ByteBuffer.allocate(0));
        }

        final List<ByteBuffer> gathered = scope.allGather("memory", mine.toBuffer(), timeout);
        for (int i = 0; i < gathered.size(); i++)
        {
            published.put(scope.present().get(i), read(new Packing(gathered.get(i))));
        }
    }

    private Published read(final Packing theirs)
    {
        final int workers = theirs.getInt();
        final List<List<ByteBuffer>> addresses = new ArrayList<>();
        final List<ByteBuffer> signals = new ArrayList<>();
        for (int stage = 0; stage < Stage.values().length; stage++)
        {
            final List<ByteBuffer> ofStage = new ArrayList<>();
            for (int worker = 0; worker < workers; worker++)
            {
                ofStage.add(theirs.get());
            }

            addresses.add(ofStage);
            signals.add(theirs.get());
        }

        final List<ByteBuffer> arenas = new ArrayList<>();
        for (int arena = 0; arena < arenaCount(); arena++)
        {
            arenas.add(theirs.get());
        }

        return new Published(addresses, signals, arenas);
    }

    @Override
    public int rank()
    {
        return scope.world().rank();
    }

    @Override
    public int arenaCount()
    {
        return memory.arenas().size();
    }

    @Override
    public long incarnation(final int rank)
    {
        return scope.incarnation(rank);
    }

    @Override
    public ByteBuffer workerAddress(final int rank, final Stage stage, final int workerIndex)
    {
        final List<ByteBuffer> addresses = published.get(rank).addresses().get(stage.ordinal());
        return addresses.get(workerIndex % addresses.size());
    }

    @Override
    public ByteBuffer signals(final int rank, final Stage stage)
    {
        return published.get(rank).signals().get(stage.ordinal());
    }

    @Override
    public boolean exports(final int rank, final Stage stage, final int arena)
    {
        final Stage owner = memory.arenas().get(arena).owner();
        return published.get(rank).arenas().get(arena).remaining() > 0 &&
            (owner == stage || stages.isShared());
    }

    @Override
    public ByteBuffer arena(final int rank, final int arena)
    {
        return published.get(rank).arenas().get(arena);
    }

    @Override
    public Transport transport(final Stage stage)
    {
        return stages.of(stage);
    }
}
