/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.connect;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.StageConfig;
import dev.transload.engine.World;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Relays;
import dev.transload.engine.world.Stage;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.Reachability;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportUnavailableException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What the ranks tell each other at the start, in two rounds: first their settings, which must agree, and who they are
 * to the transports; then where their workers, signals and arenas are.
 */
public final class Bootstrap implements PeerDirectory
{
    private final EngineConfig config;
    private final World world;
    private final Relays relays;
    private final Rendezvous rendezvous;
    private final Memory memory;
    private final List<Published> published = new ArrayList<>();

    private record Published(List<List<ByteBuffer>> addresses, List<ByteBuffer> signals, List<ByteBuffer> arenas)
    {
    }

    /**
     * Empty.
     *
     * @param config     settings.
     * @param geometry   sizes.
     * @param rendezvous of the world.
     * @param memory     transports and arenas.
     */
    public Bootstrap(
        final EngineConfig config, final Geometry geometry, final Rendezvous rendezvous, final Memory memory)
    {
        this.config = config;
        this.world = geometry.world();
        this.relays = geometry.relays();
        this.rendezvous = rendezvous;
        this.memory = memory;
    }

    /** First round. */
    public void agree()
    {
        final List<String> own = settings();
        final Packing mine = new Packing();
        mine.put(String.join("\n", own).getBytes(StandardCharsets.UTF_8));
        for (final Stage stage : Stage.values())
        {
            final Transport transport = memory.stages().of(stage);
            mine.put(null == transport ? ByteBuffer.allocate(0) : transport.peerInfo());
        }

        final List<ByteBuffer> all = rendezvous.allGather("transload.settings", mine.toBuffer(), config.openTimeout());
        for (int rank = 0; rank < all.size(); rank++)
        {
            final Packing theirs = new Packing(all.get(rank));
            compare(own, List.of(StandardCharsets.UTF_8.decode(theirs.get()).toString().split("\n")), rank);
            for (final Stage stage : Stage.values())
            {
                requireReachable(stage, rank, theirs.get());
            }
        }
    }

    private void compare(final List<String> own, final List<String> theirs, final int rank)
    {
        for (int i = 0; i < own.size(); i++)
        {
            final String their = i < theirs.size() ? theirs.get(i) : "nothing";
            if (!own.get(i).equals(their))
            {
                throw new ConfigurationException("rank " + world.rank() + " has transload." + own.get(i) + ", rank " +
                    rank + " has transload." + their + ": must be equal on all ranks");
            }
        }
    }

    private List<String> settings()
    {
        final List<String> lines = new ArrayList<>();
        lines.add("nodes = " + config.nodes());
        lines.add("ranks-per-node = " + config.world().ranksPerNode());
        lines.add("channels = " + config.channels());
        lines.add("max-hidden = " + config.maxHidden());
        lines.add("max-topk = " + config.maxTopk());
        lines.add("max-experts = " + config.maxExperts());
        lines.add("combine.wire = " + config.combineWire());
        lines.add("payload.kind = " + config.payloadKind() +
            (memory.stages().isStaged() ? " (staged through host memory)" : ""));
        stageSettings("scale-out", config.scaleOut(), lines);
        stageSettings("scale-up", config.scaleUp(), lines);
        return lines;
    }

    private static void stageSettings(final String section, final StageConfig stage, final List<String> lines)
    {
        lines.add(section + ".transport = " + stage.transport());
        lines.add(section + ".chunk = " + stage.chunk());
        lines.add(section + ".ring = " + stage.ring());
        lines.add(section + ".credit-batch = " + stage.creditBatch());
        lines.add(section + ".credit = " + stage.credit());
    }

    private void requireReachable(final Stage stage, final int rank, final ByteBuffer peerInfo)
    {
        final boolean isOnPath =
            Stage.SCALE_OUT == stage ? relays.isPeer(rank) : world.nodeOf(rank) == world.node();
        final Transport transport = memory.stages().of(stage);
        if (null == transport || !isOnPath)
        {
            return;
        }

        final Reachability reachability = transport.canReach(rank, peerInfo);
        if (!reachability.reachable())
        {
            throw new TransportUnavailableException("rank " + world.rank() + " cannot reach rank " + rank +
                " over transport " + transport.capabilities().transport() + " (" +
                stage.name().toLowerCase(Locale.ROOT).replace('_', '-') + "): " + reachability.reason(),
                null);
        }
    }

    /**
     * Second round.
     *
     * @param threads whose workers peers connect to.
     */
    public void exchange(final List<? extends ThreadResources> threads)
    {
        final Packing mine = new Packing();
        mine.put(threads.size());
        for (final Stage stage : Stage.values())
        {
            for (final ThreadResources thread : threads)
            {
                mine.put(null == thread.worker(stage) ? ByteBuffer.allocate(0) : thread.worker(stage).address());
            }

            mine.put(null == memory.signals(stage) ? ByteBuffer.allocate(0) : memory.signals(stage).descriptor());
        }

        for (final Arena arena : memory.map().arenas())
        {
            mine.put(isExported(arena) ? arena.region(arena.owner()).descriptor() : ByteBuffer.allocate(0));
        }

        for (final ByteBuffer theirs :
            rendezvous.allGather("transload.memory", mine.toBuffer(), config.openTimeout()))
        {
            published.add(read(new Packing(theirs)));
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

    private static boolean isExported(final Arena arena)
    {
        return arena.isRemote() && arena.length() > 0 && null != arena.region(arena.owner());
    }

    @Override
    public int rank()
    {
        return world.rank();
    }

    @Override
    public int arenaCount()
    {
        return memory.map().arenas().size();
    }

    @Override
    public long incarnation(final int rank)
    {
        return rendezvous.member(rank).incarnation();
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
        final Stage owner = memory.map().arenas().get(arena).owner();
        return published.get(rank).arenas().get(arena).remaining() > 0 &&
            (owner == stage || memory.stages().isShared());
    }

    @Override
    public ByteBuffer arena(final int rank, final int arena)
    {
        return published.get(rank).arenas().get(arena);
    }

    @Override
    public Transport transport(final Stage stage)
    {
        return memory.stages().of(stage);
    }
}
