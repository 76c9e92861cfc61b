/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.internal.world.Geometry;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import java.util.List;

/** What an engine has of its transports and arenas, without the engine and its peers. */
public final class StagesRig implements AutoCloseable
{
    public final Transports stages;
    public final ArenaMap map;
    private final EngineScope scope;

    public StagesRig(final Geometry geometry, final boolean isStaged, final TransportProvider... providers)
    {
        try (SharedTransports context = new SharedTransports(
            InMemoryRendezvous.world(geometry.world().size()).get(geometry.world().rank()),
            TransportRegistry.of(List.of(providers)), true))
        {
            scope = SharedTransports.join(context);
            stages = new Transports(geometry.config(), scope, 1, (error) ->
            {
                throw error;
            });
            map = new ArenaMap(geometry, isStaged);
            new Memory(scope, stages, map.arenas()).allocate(0, 0, 0);
        }
    }

    public long incarnation()
    {
        return scope.incarnation();
    }

    @Override
    public void close()
    {
        stages.close();
        scope.close();
    }
}
