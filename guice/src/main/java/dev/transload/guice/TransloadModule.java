/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Provider;
import com.google.inject.Scope;
import com.google.inject.multibindings.OptionalBinder;
import com.google.inject.name.Names;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.TransloadConfig;
import dev.transload.engine.TransportContext;
import dev.transload.engine.WorldConfig;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportRegistry;
import java.util.Map;
import java.util.Optional;

/**
 * Guice module that binds an engine and everything needed to open it. The default bindings suit a rank that a launcher
 * started:
 * <ul>
 * <li>{@link #CONFIG}: the result of {@link TransloadConfig#loadWithin} for the application's configuration. The
 * application's configuration is {@code application.conf}, unless system properties name another file. The launcher's
 * number of nodes and number of ranks per node replace the configured ones.</li>
 * <li>{@link EngineConfig}, {@link LowLatencyConfig} and {@link JGroupsRendezvousConfig}: read from {@link #CONFIG}.
 * The rendezvous also uses the launcher's rank and world size, and the launcher's address if none is configured.</li>
 * <li>{@link TransportRegistry} and {@link KernelRegistry}: the transports and kernels on the class path.</li>
 * <li>{@link Rendezvous}: a rendezvous that joins the world over JGroups.</li>
 * <li>{@link TransportContext}: not bound. An application that uses normal and low-latency mode must bind one context
 * for both engines, and must request the two engines in the same order on all ranks.</li>
 * <li>{@link Engine} and {@link LowLatencyEngine}: opened with the objects above.</li>
 * </ul>
 * Each object is created once, when it is first requested. This is also true in {@code Stage.PRODUCTION}. To replace an
 * object, the application calls {@code OptionalBinder.newOptionalBinder(binder(), TYPE).setBinding()} in its own module
 * and binds an instance, or a provider with a scope. Without a scope, Guice creates a new object for each request. The
 * application must close its engines and then the rendezvous, even if it requested only an engine.
 * <p>
 * {@code Injector.getInstance} wraps exceptions in a {@code ProvisionException}. The cause of the
 * {@code ProvisionException} is one of the exceptions that
 * {@link Engine#open(EngineConfig, Rendezvous, TransportRegistry)} documents.
 */
public final class TransloadModule extends AbstractModule
{
    /**
     * Key of the configuration from which all settings are read. It has a qualifier because applications may bind their
     * own {@code Config}.
     */
    public static final Key<Config> CONFIG = Key.get(Config.class, Names.named("transload"));

    /** Singletons would be made by the injector itself in PRODUCTION: both engines, and the world joined. */
    private static final Scope ONCE_ASKED_FOR = new Scope()
    {
        @Override
        public <T> Provider<T> scope(final Key<T> key, final Provider<T> unscoped)
        {
            return new FirstMade<>(unscoped);
        }

        @Override
        public String toString()
        {
            return "made once, when it is first asked for";
        }
    };

    private final Map<String, String> environment;

    /**
     * Creates a module for one rank. The launcher, if any, passes its values in environment variables of this process.
     */
    public TransloadModule()
    {
        this(System.getenv());
    }

    TransloadModule(final Map<String, String> environment)
    {
        this.environment = environment;
    }

    @Override
    protected void configure()
    {
        final Provider<Config> config = getProvider(CONFIG);
        final Provider<TransportRegistry> transports = getProvider(TransportRegistry.class);
        bindDefault(CONFIG, () -> config(transports.get()));
        bindDefault(EngineConfig.class, () -> EngineConfig.from(config.get()));
        bindDefault(LowLatencyConfig.class, () -> LowLatencyConfig.from(config.get()));
        bindDefault(JGroupsRendezvousConfig.class, () -> rendezvous(config.get()));
        bindDefault(TransportRegistry.class, TransportRegistry::discover);
        bindDefault(KernelRegistry.class, KernelRegistry::discover);

        final Provider<JGroupsRendezvousConfig> meeting = getProvider(JGroupsRendezvousConfig.class);
        bindDefault(Rendezvous.class, () -> JGroupsRendezvous.join(meeting.get()));

        final Provider<Rendezvous> world = getProvider(Rendezvous.class);
        final Provider<KernelRegistry> kernels = getProvider(KernelRegistry.class);
        final Provider<EngineConfig> engine = getProvider(EngineConfig.class);
        final Provider<LowLatencyConfig> lowLatency = getProvider(LowLatencyConfig.class);
        // Without a default: the application that binds one closes it.
        OptionalBinder.newOptionalBinder(binder(), TransportContext.class);
        final Provider<Optional<TransportContext>> context = getProvider(new Key<Optional<TransportContext>>() {});
        bindDefault(Engine.class, () -> context.get().isPresent() ?
            Engine.open(engine.get(), context.get().get(), kernels.get()) :
            Engine.open(engine.get(), world.get(), transports.get(), kernels.get()));
        bindDefault(LowLatencyEngine.class, () -> context.get().isPresent() ?
            LowLatencyEngine.open(lowLatency.get(), context.get().get(), kernels.get()) :
            LowLatencyEngine.open(lowLatency.get(), world.get(), transports.get(), kernels.get()));
    }

    private <T> void bindDefault(final Class<T> type, final Provider<T> provider)
    {
        bindDefault(Key.get(type), provider);
    }

    /** Providers rather than constructors or methods: Guice then generates no classes. */
    private <T> void bindDefault(final Key<T> key, final Provider<T> provider)
    {
        OptionalBinder.newOptionalBinder(binder(), key).setDefault().toProvider(provider).in(ONCE_ASKED_FOR);
    }

    private Config config(final TransportRegistry transports)
    {
        final Optional<WorldConfig> world =
            LaunchEnvironment.detect(environment).map((place) -> new WorldConfig(place.requireRanksOfNodes()));
        return TransloadConfig.loadWithin(environment, ConfigFactory.defaultApplication(), world.isEmpty() ? Map.of() :
            Map.of("transload.nodes", String.valueOf(world.get().nodes()),
            "transload.ranks-per-node", world.get().ranksPerNode()), transports).config();
    }

    private JGroupsRendezvousConfig rendezvous(final Config config)
    {
        final LaunchEnvironment place = LaunchEnvironment.detect(environment).orElseThrow(() ->
            new ConfigurationException("no launcher tells which rank this process is: start it by one, set " +
                "TRANSLOAD_RANK and TRANSLOAD_WORLD_SIZE, or bind JGroupsRendezvousConfig or Rendezvous"));
        final JGroupsRendezvousConfig.Builder builder = JGroupsRendezvousConfig.from(config)
            .rank(place.rank()).worldSize(place.worldSize()).generation(place.generation());
        return (config.getString(JGroupsRendezvousConfig.PATH + ".address").isBlank() ?
            builder.address(place.requireAddress()) : builder).build();
    }

    /** One that fails to be made is tried again when it is asked for again. */
    private static final class FirstMade<T> implements Provider<T>
    {
        private final Provider<T> unscoped;
        private T made;

        private FirstMade(final Provider<T> unscoped)
        {
            this.unscoped = unscoped;
        }

        @Override
        public synchronized T get()
        {
            if (null == made)
            {
                made = unscoped.get();
            }

            return made;
        }
    }
}
