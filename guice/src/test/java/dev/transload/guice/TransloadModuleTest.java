/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.ProvisionException;
import com.google.inject.Stage;
import com.google.inject.multibindings.OptionalBinder;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.CombineResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.TransportContext;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What the module binds by default, what of it can be replaced, and what comes out where it fails. */
class TransloadModuleTest
{
    private static final Path EXAMPLE = Path.of("src/test/java/dev/transload/guice/GuiceRank.java");

    @Test
    void shouldExchangeWithSettingsAndWorldOfTheApplication() throws InterruptedException, ExecutionException
    {
        final List<FutureTask<CombineResult>> ranks = new ArrayList<>();
        for (final Rendezvous world : InMemoryRendezvous.world(2))
        {
            ranks.add(new FutureTask<>(() -> GuiceRank.run(GuiceRank.application(world))));
        }

        ranks.forEach((rank) -> new Thread(rank).start());
        for (final FutureTask<CombineResult> rank : ranks)
        {
            assertEquals(16, rank.get().x().rows());
        }
    }

    @Test
    void shouldBeNamedInTheDocumentation() throws IOException
    {
        assertTrue(Files.exists(EXAMPLE));
        assertTrue(Files.readString(Path.of("..", "docs", "EMBEDDING.md")).contains("](../guice/" + EXAMPLE + ")"));
    }

    @Test
    void shouldLearnItsPlaceFromTheLauncher()
    {
        final Injector injector = Guice.createInjector(new TransloadModule(Map.of("TRANSLOAD_RANK", "5",
            "TRANSLOAD_WORLD_SIZE", "6", "TRANSLOAD_RANKS_PER_NODE", "3", "TRANSLOAD_RENDEZVOUS", "127.0.0.1:7")));
        final JGroupsRendezvousConfig rendezvous = injector.getInstance(JGroupsRendezvousConfig.class);
        assertEquals(5, rendezvous.rank());
        assertEquals(6, rendezvous.worldSize());
        final EngineConfig engine = injector.getInstance(EngineConfig.class);
        assertEquals(2, engine.nodes());
        assertEquals(3, engine.world().mostRanks());
    }

    @Test
    void shouldReadVariablesAsTheCommandLineDoes()
    {
        final Injector injector = Guice.createInjector(new TransloadModule(
            Map.of("TRANSLOAD_SCALE_UP_CHUNK", "7", "TRANSLOAD_AERON_HOST", "10.0.0.1")));
        final EngineConfig engine = injector.getInstance(EngineConfig.class);
        assertEquals(7, engine.scaleUp().chunk());
        assertEquals("10.0.0.1", engine.optionsOf("aeron").get("host"));
        final Throwable cause = assertThrows(ProvisionException.class, () -> Guice.createInjector(
            new TransloadModule(Map.of("TRANSLOAD_CHANELS", "3"))).getInstance(EngineConfig.class)).getCause();
        assertTrue(cause.getMessage().contains("did you mean TRANSLOAD_CHANNELS?"), cause.getMessage());
    }

    @Test
    void shouldReadAllSettingsFromTheConfigurationOfTheApplication()
    {
        final Injector injector = Guice.createInjector(new TransloadModule(Map.of()), replacing(TransloadModule.CONFIG,
            config("transload.channels = 3, transload.low-latency.max-tokens = 7")));
        assertEquals(3, injector.getInstance(EngineConfig.class).channels());
        assertEquals(7, injector.getInstance(
            LowLatencyConfig.class).maxTokens());
    }

    @Test
    void shouldOpenALowLatencyEngine()
    {
        final Injector injector = Guice.createInjector(new TransloadModule(Map.of()),
            replacing(TransloadModule.CONFIG, config("transload.scale-up.transport = aeron")),
            replacing(Key.get(Rendezvous.class), InMemoryRendezvous.world(1).get(0)));
        try (LowLatencyEngine engine = injector.getInstance(LowLatencyEngine.class))
        {
            assertEquals(1, engine.world().size());
        }
    }

    @Test
    void shouldOpenBothModesOverAContextThatIsBound()
    {
        try (Rendezvous own = InMemoryRendezvous.world(1).get(0);
            TransportContext context = TransportContext.open(own, TransportRegistry.discover()))
        {
            final Injector injector = Guice.createInjector(new TransloadModule(Map.of()),
                replacing(TransloadModule.CONFIG, config("transload.scale-up.transport = aeron")),
                replacing(Key.get(TransportContext.class), context));
            try (Engine engine = injector.getInstance(Engine.class);
                LowLatencyEngine latency = injector.getInstance(LowLatencyEngine.class))
            {
                assertEquals(0, engine.number());
                assertEquals(1, latency.number());
            }
        }
    }

    /** In PRODUCTION the injector makes all singletons itself: two engines, and a world joined. */
    @Test
    void shouldMakeEachOnceAndOnlyWhenItIsAskedFor()
    {
        final Injector injector = Guice.createInjector(Stage.PRODUCTION, new TransloadModule(Map.of()), (binder) ->
            OptionalBinder.newOptionalBinder(binder, JGroupsRendezvousConfig.class).setBinding().toProvider(() ->
            {
                throw new AssertionError("nobody asked for a rendezvous");
            }));
        assertSame(injector.getInstance(TransportRegistry.class), injector.getInstance(TransportRegistry.class));
    }

    @Test
    void shouldHaveTheDocumentedExceptionAsCause()
    {
        final Injector injector = Guice.createInjector(new TransloadModule(Map.of()),
            replacing(TransloadModule.CONFIG, config("transload.scale-up.transport = telepathy")),
            replacing(Key.get(Rendezvous.class), InMemoryRendezvous.world(1).get(0)));
        final Throwable cause =
            assertThrows(ProvisionException.class, () -> injector.getInstance(Engine.class)).getCause();
        assertInstanceOf(ConfigurationException.class, cause);
        assertTrue(cause.getMessage().contains("telepathy"), cause.getMessage());
    }

    @Test
    void shouldSayWhatIsMissingWhereNoLauncherTellsTheRank()
    {
        final Injector injector = Guice.createInjector(new TransloadModule(Map.of()));
        final Throwable cause =
            assertThrows(ProvisionException.class, () -> injector.getInstance(Engine.class)).getCause();
        assertInstanceOf(ConfigurationException.class, cause);
        assertTrue(cause.getMessage().contains("TRANSLOAD_RANK"), cause.getMessage());
    }

    @Test
    void shouldSayWhereTheLauncherGivesNoAddress()
    {
        final Injector injector = Guice.createInjector(
            new TransloadModule(Map.of("TRANSLOAD_RANK", "0", "TRANSLOAD_WORLD_SIZE", "2")));
        final Throwable cause =
            assertThrows(ProvisionException.class, () -> injector.getInstance(Engine.class)).getCause();
        assertInstanceOf(RendezvousException.class, cause);
        assertTrue(cause.getMessage().contains("TRANSLOAD_RENDEZVOUS"), cause.getMessage());
    }

    private static Config config(final String text)
    {
        return ConfigFactory.parseString(text).withFallback(ConfigFactory.load());
    }

    private static <T> Module replacing(final Key<T> key, final T value)
    {
        return (binder) -> OptionalBinder.newOptionalBinder(binder, key).setBinding().toInstance(value);
    }
}
