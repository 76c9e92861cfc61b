/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.GroupChangedException;
import dev.transload.engine.TransloadConfig;
import dev.transload.engine.TransportContext;
import dev.transload.engine.WorldConfig;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.TransportRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;

/** The example of recovery in EMBEDDING.md, word for word from the class on. */
public abstract class RecoveringRank
{
    /** Allocates the tensors of this rank. */
    protected abstract void begin(Engine engine);

    /** Makes the calls of a step. */
    protected abstract void call(int step);

    public final void run(final Map<String, String> environment, final int steps)
    {
        final LaunchEnvironment place = LaunchEnvironment.detect(environment).orElseThrow();
        final WorldConfig world = new WorldConfig(place.requireRanksOfNodes());
        final TransloadConfig settings = TransloadConfig.load(environment, null, Map.of(
            "transload.nodes", String.valueOf(world.nodes()), "transload.ranks-per-node", world.ranksPerNode()));
        EngineConfig config = settings.engine();
        int step = 0;
        try (Rendezvous rendezvous = join(settings, place);
            TransportContext context = TransportContext.open(rendezvous, TransportRegistry.discover()))
        {
            while (step < steps)
            {
                try (Engine engine = Engine.open(config, context))
                {
                    step = earliest(step, rendezvous, engine, "begin");
                    begin(engine);
                    do
                    {
                        for (; step < steps; step++)
                        {
                            call(step);
                        }

                        step = earliest(step, rendezvous, engine, "end");
                    }
                    while (step < steps);
                }
                catch (final GroupChangedException ex)
                {
                    config = config.without(ex.dead());
                }
            }
        }
    }

    /** One rank may have ended a step in which another failed: all go on with the earliest. */
    private static int earliest(
        final int step, final Rendezvous rendezvous, final Engine engine, final String place)
    {
        int earliest = step;
        try
        {
            final ByteBuffer mine = ByteBuffer.allocate(4).putInt(0, step);
            for (final ByteBuffer one : rendezvous.allGather("app." + place + "." + engine.number(), mine,
                Duration.ofSeconds(30), engine.config().world().present()))
            {
                earliest = Math.min(earliest, one.getInt(0));
            }

            return earliest;
        }
        catch (final RendezvousException ex)
        {
            if (RendezvousException.Reason.MEMBER_LOST != ex.reason())
            {
                throw ex;
            }

            // The next call says who is lost.
            return "end".equals(place) ? step - 1 : step;
        }
    }

    protected Rendezvous join(final TransloadConfig settings, final LaunchEnvironment place)
    {
        return JGroupsRendezvous.join(JGroupsRendezvousConfig.from(settings.config())
            .rank(place.rank()).worldSize(place.worldSize()).generation(place.generation())
            .address(place.requireAddress()).build());
    }
}
