/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.SharedMemory;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.settings.Emulation;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.StageConfig;
import dev.transload.engine.WorldConfig;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.TransportRegistry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What a command finds fitting for its world and its input, where nobody chose. */
public final class WorldSettings
{
    /** N. */
    public static final String NODES = "transload.nodes";

    /** G. */
    public static final String RANKS_PER_NODE = "transload.ranks-per-node";

    private WorldSettings()
    {
    }

    /**
     * With the emulators of the stages' transports, if asked for.
     *
     * @param settings   of the world.
     * @param isEmulated whether devices are emulated.
     * @return settings to run with.
     * @throws CommandException if there is nothing to emulate, or no emulator.
     */
    public static Settings emulated(final Settings settings, final boolean isEmulated)
    {
        if (!isEmulated)
        {
            return settings;
        }

        final TransportRegistry registry = TransportRegistry.discover();
        final EngineConfig config = settings.engine();
        final Set<String> names = new TreeSet<>();
        for (final StageConfig stage : List.of(config.scaleOut(), config.scaleUp()))
        {
            // Of several none is chosen yet: with its emulator, each may be available.
            names.addAll(stage.preferences());
        }

        if (names.remove(StageConfig.AUTO))
        {
            final EngineConfig resolved = config.resolve(registry);
            names.add(resolved.scaleOut().transport());
            names.add(resolved.scaleUp().transport());
        }

        names.forEach(registry::provider);
        return Emulation.apply(settings, registry.providers(), names);
    }

    /**
     * Another launcher knows the world's size; options may shape it. Otherwise it is 2 x 2 unless chosen.
     *
     * @param settings    as given.
     * @param environment of the launcher.
     * @return settings that say how large the world is.
     * @throws CommandException when it is not as large as the launcher says.
     * @throws RendezvousException when a setting of the rendezvous is wrong, which only ranks would find otherwise.
     */
    public static Settings of(final Settings settings, final Optional<LaunchEnvironment> environment)
    {
        JGroupsRendezvousConfig.from(settings.config());
        if (environment.isEmpty())
        {
            return settings.withDefaults(Map.of(NODES, isList(settings) ? "1" : "2", RANKS_PER_NODE, "2"));
        }

        final LaunchEnvironment launched = environment.get();
        final Settings shaped = settings.withDefaults(shape(settings, launched));
        final WorldConfig world = shaped.engine().world();
        if (world.size() != launched.worldSize())
        {
            throw CommandException.badInput("a world of " + world + " needs " + world.size() + " ranks, but " +
                launched.describe());
        }

        return shaped;
    }

    /**
     * Ranks on this host.
     *
     * @param environment of the launcher, which knows those of each host.
     * @param world       whose ranks are all here where there is none.
     * @return number.
     */
    public static int ranksHere(final Optional<LaunchEnvironment> environment, final WorldConfig world)
    {
        return environment.map(LaunchEnvironment::ranksPerNode).orElse(world.size());
    }

    /** The launched world, by one of its dimensions as chosen where that is possible. */
    private static Map<String, String> shape(final Settings settings, final LaunchEnvironment launched)
    {
        if (isList(settings))
        {
            return Map.of(NODES, "1");
        }

        final int size = launched.worldSize();
        if (settings.isChosen(RANKS_PER_NODE) && 0 == size % settings.positive(RANKS_PER_NODE))
        {
            return Map.of(NODES, String.valueOf(size / settings.positive(RANKS_PER_NODE)));
        }

        if (settings.isChosen(NODES) && 0 == size % settings.positive(NODES))
        {
            return Map.of(RANKS_PER_NODE, String.valueOf(size / settings.positive(NODES)));
        }

        final WorldConfig world = new WorldConfig(launched.requireRanksOfNodes());
        return Map.of(NODES, String.valueOf(world.nodes()), RANKS_PER_NODE, world.ranksPerNode());
    }

    /** Whether the ranks of each node were chosen. */
    private static boolean isList(final Settings settings)
    {
        return settings.isChosen(RANKS_PER_NODE) &&
            settings.config().getValue(RANKS_PER_NODE).unwrapped().toString().contains(",");
    }

    /**
     * Slots for a model, unless chosen.
     *
     * @param settings of the world.
     * @param hidden   elements of a row.
     * @param topk     K.
     * @param experts  E, padding included.
     * @return settings to go by.
     */
    public static Settings sized(final Settings settings, final int hidden, final int topk, final int experts)
    {
        return settings.withDefaults(Map.of("transload.max-hidden", String.valueOf(hidden), "transload.max-topk",
            String.valueOf(topk), "transload.max-experts", String.valueOf(experts)));
    }

    /**
     * Slots for this model, and rings that fit into the machine, unless chosen.
     *
     * @param settings of the world.
     * @param input    which it exchanges.
     * @param isLocal  whether all ranks are this command's.
     * @return settings to run with.
     */
    public static Settings fit(final Settings settings, final RunInput input, final boolean isLocal)
    {
        final Settings sized = sized(settings, input.hidden(), input.topk(), input.world().experts());
        return !isLocal ? sized : sized.withDefaults(
            Map.of("transload.ring-memory", SharedMemory.ringBytes(input.world().ranks()) + " B"));
    }
}
