/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.TransloadConfig;
import dev.transload.engine.TransportContext;
import dev.transload.engine.World;
import dev.transload.engine.WorldConfig;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportRegistry;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.agrona.UnsafeApi;

/** A world that the C library has opened: the rendezvous, and the transports that the world's engines share. */
final class WorldBridge
{
    private static final TransportRegistry TRANSPORTS = TransportRegistry.discover();

    /** What is on the machine of every program; others need hardware or a library of the system. */
    private static final Map<String, String> DEFAULTS =
        Map.of("transload.scale-out.transport", "aeron", "transload.scale-up.transport", "aeron");

    private final Rendezvous rendezvous;
    private final TransportContext context;
    private final TransloadConfig settings;
    private final World place;

    private WorldBridge(final Rendezvous rendezvous, final TransloadConfig settings)
    {
        this.rendezvous = rendezvous;
        this.settings = settings;
        this.place = new World(settings.engine().world(), rendezvous.rank());
        this.context = TransportContext.open(rendezvous, TRANSPORTS);
    }

    /**
     * Meet the other ranks.
     *
     * @param rank         own rank, below 0 where the launcher tells rank, world and address.
     * @param ranks        P.
     * @param ranksOfNodes as the setting {@code transload.ranks-per-node} of all nodes, or null for one node.
     * @param address      host:port of rank 0, or null.
     * @param file         of settings, or null.
     * @param lines        settings above all others, or null.
     * @param timeoutMs    for the world to form; 0 as configured.
     * @return formed world.
     */
    static WorldBridge open(
        final int rank, final int ranks, final String ranksOfNodes, final String address, final String file,
        final String lines, final long timeoutMs)
    {
        final Map<String, String> environment = System.getenv();
        final LaunchEnvironment launched = rank >= 0 ? null : detected(environment);
        final TransloadConfig base = TransloadConfig.load(
            environment, null == file ? null : Path.of(file), Settings.parse(lines), TRANSPORTS);
        final TransloadConfig settings = base.withDefaults(DEFAULTS).with(null == launched ?
            nodes(ranksOfNodes, ranks) : nodes(new WorldConfig(launched.requireRanksOfNodes())));
        final int worldSize = null == launched ? ranks : launched.worldSize();
        if (settings.engine().world().size() != worldSize)
        {
            throw new ConfigurationException("ranks of nodes " + ranksOfNodes + " are " +
                settings.engine().world().size() + " ranks: must be " + worldSize + ", as the world");
        }

        final Rendezvous rendezvous = 1 == worldSize ? InMemoryRendezvous.world(1).get(0) :
            join(settings, launched, rank, ranks, address, timeoutMs);
        try
        {
            return new WorldBridge(rendezvous, settings);
        }
        catch (final RuntimeException | Error ex)
        {
            rendezvous.close();
            throw ex;
        }
    }

    private static LaunchEnvironment detected(final Map<String, String> environment)
    {
        final Optional<LaunchEnvironment> found = LaunchEnvironment.detect(environment);
        return found.orElseThrow(() -> new ConfigurationException("rank is not known: no launcher was found in the " +
            "environment; set TRANSLOAD_RANK, TRANSLOAD_WORLD_SIZE and TRANSLOAD_RENDEZVOUS, or give rank and ranks"));
    }

    private static Map<String, String> nodes(final String ranksOfNodes, final int ranks)
    {
        final String list = null == ranksOfNodes || ranksOfNodes.isBlank() ? String.valueOf(ranks) : ranksOfNodes;
        return Map.of("transload.nodes", String.valueOf(list.split(",").length), "transload.ranks-per-node", list);
    }

    private static Map<String, String> nodes(final WorldConfig world)
    {
        return Map.of(
            "transload.nodes", String.valueOf(world.nodes()), "transload.ranks-per-node", world.ranksPerNode());
    }

    private static Rendezvous join(
        final TransloadConfig settings, final LaunchEnvironment launched, final int rank, final int ranks,
        final String address, final long timeoutMs)
    {
        final JGroupsRendezvousConfig.Builder builder = JGroupsRendezvousConfig.from(settings.config());
        if (null != launched)
        {
            builder.rank(launched.rank()).worldSize(launched.worldSize()).generation(launched.generation())
                .address(launched.requireAddress());
        }
        else
        {
            builder.rank(rank).worldSize(ranks);
        }

        if (null != address)
        {
            builder.address(address);
        }

        if (timeoutMs > 0)
        {
            builder.timeout(Duration.ofMillis(timeoutMs));
        }

        return JGroupsRendezvous.join(builder.build());
    }

    /** Writes own rank, ranks and nodes. */
    void place(final long address)
    {
        final Fields fields = new Fields(address);
        fields.put(place.rank());
        fields.put(place.size());
        fields.put(place.nodes());
    }

    TransportContext context()
    {
        return context;
    }

    /** The world's settings, with others above them. */
    TransloadConfig settings(final String lines)
    {
        return settings.with(Settings.parse(lines));
    }

    /**
     * Give bytes, and get those of all ranks.
     *
     * @param topic     of the exchange.
     * @param mine      own bytes.
     * @param timeoutMs for all ranks to give theirs.
     * @return bytes by rank.
     */
    byte[][] allGather(final String topic, final byte[] mine, final long timeoutMs)
    {
        final List<ByteBuffer> gathered =
            rendezvous.allGather("capi." + topic, ByteBuffer.wrap(mine), Duration.ofMillis(timeoutMs));
        final byte[][] all = new byte[gathered.size()][];
        for (int rank = 0; rank < all.length; rank++)
        {
            all[rank] = new byte[gathered.get(rank).remaining()];
            gathered.get(rank).duplicate().get(all[rank]);
        }

        return all;
    }

    void close()
    {
        context.close();
        rendezvous.close();
    }

    /** Writes the bytes that all rings of a rank take, as 64 bits. */
    static void ringBytes(final String lines, final long target)
    {
        final EngineConfig config = TransloadConfig.load(
            System.getenv(), null, Settings.parse(lines), TRANSPORTS).engine();
        UnsafeApi.putLong(target, Engine.ringBytes(config));
    }

    /** Writes the bytes that peers write to in low-latency calls, as 64 bits. */
    static void lowLatencyBytes(
        final int tokens, final int hidden, final int ranks, final int experts, final int topk, final long target)
    {
        UnsafeApi.putLong(target, LowLatencyEngine.bytes(tokens, hidden, ranks, experts, topk));
    }

    LowLatencyConfig lowLatency(final String lines)
    {
        return LowLatencyConfig.from(settings(lines).config());
    }
}
