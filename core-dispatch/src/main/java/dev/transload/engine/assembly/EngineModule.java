/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.assembly;

import com.google.inject.AbstractModule;
import com.google.inject.Singleton;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.memory.Geometry;
import dev.transload.engine.run.Board;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;

/** Bindings of one engine. */
public final class EngineModule extends AbstractModule
{
    private final EngineConfig config;
    private final HostShare host;
    private final Rendezvous rendezvous;
    private final TransportRegistry transports;
    private final KernelRegistry kernels;
    private final Resources resources;

    /**
     * Of one engine.
     *
     * @param config     settings.
     * @param host       share of this rank.
     * @param rendezvous world that formed.
     * @param transports found.
     * @param kernels    found.
     * @param resources  closes what was opened, in reverse.
     */
    public EngineModule(
        final EngineConfig config, final HostShare host, final Rendezvous rendezvous,
        final TransportRegistry transports, final KernelRegistry kernels, final Resources resources)
    {
        this.config = config;
        this.host = host;
        this.rendezvous = rendezvous;
        this.transports = transports;
        this.kernels = kernels;
        this.resources = resources;
    }

    @Override
    protected void configure()
    {
        binder().requireExplicitBindings();
        binder().requireAtInjectOnConstructors();
        bind(EngineConfig.class).toInstance(config);
        bind(HostShare.class).toInstance(host);
        bind(Rendezvous.class).toInstance(rendezvous);
        bind(TransportRegistry.class).toInstance(transports);
        bind(KernelRegistry.class).toInstance(kernels);
        bind(Resources.class).toInstance(resources);
        bind(World.class).toInstance(new World(config.nodes(), config.ranksPerNode(), rendezvous.rank()));
        bind(Board.class).toInstance(new Board());
        bind(Geometry.class).in(Singleton.class);
        bind(Memory.class).in(Singleton.class);
        bind(WorldDirectory.class).in(Singleton.class);
        bind(CreditWiring.class).in(Singleton.class);
        bind(Threads.class).in(Singleton.class);
        bind(Wiring.class).in(Singleton.class);
        bind(Announcements.class).in(Singleton.class);
        bind(EngineParts.class).in(Singleton.class);
    }
}
