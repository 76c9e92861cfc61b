/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import dev.transload.engine.Engine;
import dev.transload.engine.GroupChangedException;
import dev.transload.engine.TransloadConfig;
import dev.transload.engine.World;
import dev.transload.engine.WorldConfig;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.TransportRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The example of recovery in EMBEDDING.md, word for word from the class on. */
public abstract class RecoveringRank
{
    /** Allocates the tensors and loads the experts of this rank. */
    protected abstract void begin(Engine engine);

    /** Makes the calls of a step. */
    protected abstract void call(int step);

    public final void run(final Map<String, String> environment, final int steps)
    {
        final LaunchEnvironment place = LaunchEnvironment.detect(environment).orElseThrow();
        final World first = new World(new WorldConfig(place.requireRanksOfNodes()), place.rank());
        List<Integer> ranks = IntStream.range(0, first.size()).boxed().toList();
        int step = 0;
        for (int losses = 0; step < steps; losses++)
        {
            final WorldConfig world = new WorldConfig(List.copyOf(ranks.stream().collect(
                Collectors.groupingBy(first::nodeOf, TreeMap::new, Collectors.summingInt((rank) -> 1))).values()));
            final TransloadConfig settings = TransloadConfig.load(environment, null, Map.of(
                "transload.nodes", String.valueOf(world.nodes()), "transload.ranks-per-node", world.ranksPerNode()));
            try (Rendezvous rendezvous = join(settings, place, ranks, losses);
                Engine engine = Engine.open(settings.engine(), rendezvous, TransportRegistry.discover()))
            {
                // One rank may have ended a step in which another failed: all go on with the earliest.
                final ByteBuffer mine = ByteBuffer.allocate(4).putInt(0, step);
                for (final ByteBuffer one : rendezvous.allGather("app.step", mine, Duration.ofSeconds(30)))
                {
                    step = Math.min(step, one.getInt(0));
                }

                begin(engine);
                for (; step < steps; step++)
                {
                    call(step);
                }
            }
            catch (final GroupChangedException ex)
            {
                // Engine and rendezvous are closed. Ranks keep the numbers of the first world here.
                ranks = ex.alive().stream().map(ranks::get).toList();
            }
        }
    }

    protected Rendezvous join(
        final TransloadConfig settings, final LaunchEnvironment place, final List<Integer> ranks, final int losses)
    {
        final List<String> addresses = List.of(place.requireAddress().split(","));
        return JGroupsRendezvous.join(JGroupsRendezvousConfig.from(settings.config())
            .rank(ranks.indexOf(place.rank())).worldSize(ranks.size()).generation(place.generation() + losses)
            .address(ranks.stream().map(addresses::get).collect(Collectors.joining(","))).build());
    }
}
