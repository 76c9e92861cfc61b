/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.StageConfig.PassedOver;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.Availability;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.TransportUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A stage that names several transports takes the first that is available, the same on all ranks. */
class PreferredTransportTest
{
    private static final KernelRegistry KERNELS = KernelRegistry.of(List.of(new HostRowKernelsProvider()));

    private final TransportProvider near = network("near");
    private final TransportProvider far = network("far");

    private static TransportProvider network(final String name)
    {
        return new LoopbackNetwork(name, Set.of(MemoryKind.HOST), 0);
    }

    /** A transport whose device is missing. */
    private record Absent(TransportProvider whole) implements WrappedProvider
    {
        @Override
        public Availability probe(final TransportConfig config)
        {
            return new Availability.Unavailable("there is no device of " + name() + ":\n\tplug it in", null);
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            throw new AssertionError(name() + " was opened");
        }
    }

    /** A jar of another version. */
    private record Refused(TransportProvider whole) implements WrappedProvider
    {
        @Override
        public int spiVersion()
        {
            return -1;
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            throw new AssertionError(name() + " was opened");
        }
    }

    private static TransportRegistry registry(final TransportProvider... providers)
    {
        return TransportRegistry.of(List.of(providers));
    }

    private static Config settings(final String... lines)
    {
        return ConfigFactory.parseString("transload { max-hidden = 128, max-topk = 1, max-experts = 2, " +
            "ring-memory = 1 MiB, kernels.mode = scalar, low-latency.max-tokens = 1, threads.count = 1, " +
            "scale-out.transport = far, " +
            String.join(", ", lines) + " }");
    }

    private static StageConfig scaleUp(final String transport, final TransportRegistry registry)
    {
        return EngineConfig.from(settings("scale-up.transport = " + transport)).resolve(registry).scaleUp();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[near, far]", "\"near,far\"", "\"near , far\"", "[\"near\", \"far\"]"})
    void shouldTakeTheFirstThatIsAvailable(final String value)
    {
        final StageConfig both = scaleUp(value, registry(near, far));
        assertEquals("near", both.transport());
        assertEquals(List.of(), both.passedOver());

        final StageConfig second = scaleUp(value, registry(new Absent(near), far));
        assertEquals("far", second.transport());
        assertEquals(List.of(new PassedOver("near", "there is no device of near:\n\tplug it in")), second.passedOver());
    }

    @Test
    void shouldPassOverATransportThatIsRefused()
    {
        final StageConfig stage = scaleUp("[near, far]", registry(new Refused(near), far));
        assertEquals("far", stage.transport());
        assertEquals("near", stage.passedOver().get(0).transport());
        assertTrue(stage.passedOver().get(0).reason().startsWith("it is refused: it was built for SPI version -1"),
            () -> "" + stage);
    }

    @Test
    void shouldSayOfEachWhyItIsNotAvailableWhereNoneIs()
    {
        Messages.assertRefused(TransportUnavailableException.class,
            () -> scaleUp("[near, far]", registry(new Absent(near), new Absent(far))),
            "transload.scale-up.transport = [near, far] cannot choose: ",
            "near is unavailable because there is no device of near", "far is unavailable because there is no device");
    }

    @Test
    void shouldRefuseAnUnknownNameWhereverItStands()
    {
        Messages.assertRefused(ConfigurationException.class, () -> scaleUp("[near, fra]", registry(near, far)),
            "unknown transport 'fra': found are far, near; did you mean far?");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "[]", "[near, near]", "[auto, near]", "\"near,,far\"", "\"near,\"", "[near, 1]", "[\"near,far\"]", "\"\""})
    void shouldRefuseWhatIsNoListOfNames(final String value)
    {
        Messages.assertRefused(ConfigurationException.class, () -> scaleUp(value, registry(near, far)),
            "transload.scale-up.transport = ", "different names in order of preference");
    }

    @Test
    void shouldAskNoTransportOfAStageThatIsNotThere()
    {
        final EngineConfig config = EngineConfig.from(settings("scale-out.transport = [near, far]",
            "scale-up.transport = far")).resolve(registry(new Absent(near), far));
        assertEquals("near", config.scaleOut().transport());
        assertEquals("far", EngineConfig.from(settings("nodes = 2", "scale-out.transport = [near, far]",
            "scale-up.transport = far")).resolve(registry(new Absent(near), far)).scaleOut().transport());
    }

    /** {@code auto} cannot choose of two, and need not where there is nothing to carry. */
    @Test
    void shouldLeaveAutoOfAStageThatIsNotThereToTheOtherStage()
    {
        final TransportRegistry transports = registry(near, far);
        final EngineConfig one = EngineConfig.from(settings("scale-out.transport = auto",
            "scale-up.transport = near")).resolve(transports);
        assertEquals("near", one.scaleOut().transport());
        assertEquals("near", one.scaleUp().transport());
        assertEquals("near", EngineConfig.from(settings("scale-out.transport = auto",
            "scale-up.transport = [far, near]")).resolve(registry(near, new Absent(far))).scaleOut().transport());
        Messages.assertRefused(ConfigurationException.class, () -> EngineConfig.from(settings("nodes = 2",
            "scale-out.transport = auto", "scale-up.transport = near")).resolve(transports),
            "transload.scale-out.transport = auto cannot choose: must name one of far, near");
    }

    @Test
    void shouldRefuseNoWorldForARefusedTransportOfAStageThatIsNotThere()
    {
        final TransportRegistry transports = registry(new Refused(near), far);
        assertEquals("far", EngineConfig.from(settings("scale-out.transport = [near, far]",
            "scale-up.transport = far")).resolve(transports).scaleOut().transport());
        final TransportProvider third = network("third");
        assertEquals("near", EngineConfig.from(settings("scale-out.transport = [near, far]",
            "scale-up.transport = third")).resolve(registry(new Refused(near), new Refused(far), third))
            .scaleOut().transport());
        Messages.assertRefused(ConfigurationException.class, () -> EngineConfig.from(settings(
            "scale-out.transport = [near, fra]", "scale-up.transport = far")).resolve(transports),
            "unknown transport 'fra'");
    }

    @Test
    void shouldTakeSeveralFromTheBuilder()
    {
        assertEquals(List.of("near", "far"),
            EngineConfig.builder().scaleUp("near", "far").build().scaleUp().preferences());
        assertEquals(List.of(StageConfig.AUTO), EngineConfig.builder().build().scaleUp().preferences());
    }

    private interface Opening
    {
        AutoCloseable open(Config settings, InMemoryRendezvous own, TransportRegistry transports);
    }

    private static AutoCloseable normal(
        final Config settings, final InMemoryRendezvous own, final TransportRegistry transports)
    {
        final Engine engine = Engine.open(EngineConfig.from(settings), own, transports, KERNELS);
        assertEquals("far", engine.transports().get(1).transport());
        assertEquals("near", engine.config().scaleUp().passedOver().get(0).transport());
        return engine;
    }

    private static AutoCloseable lowLatency(
        final Config settings, final InMemoryRendezvous own, final TransportRegistry transports)
    {
        final LowLatencyEngine engine =
            LowLatencyEngine.open(LowLatencyConfig.from(settings), own, transports, KERNELS);
        assertEquals("far", engine.transports().get(1).transport());
        assertEquals("near", engine.config().common().scaleUp().passedOver().get(0).transport());
        return engine;
    }

    /** What opening ended with on each rank of two, null where it opened. */
    private static List<Throwable> ends(final Opening opening, final IntFunction<TransportRegistry> registries)
    {
        final Config settings = settings("ranks-per-node = 2", "scale-up.transport = [near, far]");
        final ExecutorService executor = Executors.newFixedThreadPool(2);
        final List<InMemoryRendezvous> world = InMemoryRendezvous.world(2);
        try
        {
            final List<CompletableFuture<Throwable>> ends = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++)
            {
                final TransportRegistry registry = registries.apply(rank);
                final InMemoryRendezvous own = world.get(rank);
                ends.add(CompletableFuture.supplyAsync(() ->
                {
                    try
                    {
                        opening.open(settings, own, registry).close();
                        return null;
                    }
                    catch (final Exception | AssertionError ex)
                    {
                        return ex;
                    }
                }, executor));
            }

            return ends.stream().map(CompletableFuture::join).toList();
        }
        finally
        {
            executor.shutdown();
            world.forEach(InMemoryRendezvous::close);
        }
    }

    @Test
    void shouldOpenBothModesOverTheFirstThatIsAvailable()
    {
        for (final Opening opening : List.<Opening>of(
            PreferredTransportTest::normal, PreferredTransportTest::lowLatency))
        {
            ends(opening, (rank) -> registry(new Absent(near), far)).forEach((end) -> assertNull(end, () -> "" + end));
        }
    }

    @Test
    void shouldNameBothRanksTheirChoicesAndReasonsWhereTheyDiffer()
    {
        for (final Opening opening : List.<Opening>of(
            PreferredTransportTest::normal, PreferredTransportTest::lowLatency))
        {
            final List<Throwable> ends =
                ends(opening, (rank) -> registry(0 == rank ? near : new Absent(near), far));
            ends.forEach((end) -> assertInstanceOf(ConfigurationException.class, end));
            Messages.assertContains(ends.get(0), "rank 0 has transload.scale-up.transport = near, rank 1 has " +
                "transload.scale-up.transport = far (near is unavailable because there is no device of near: plug it " +
                "in): must be equal on all ranks");
            Messages.assertContains(ends.get(1), "rank 1 has transload.scale-up.transport = far (near is unavailable " +
                "because there is no device of near: plug it in), rank 0 has transload.scale-up.transport = near: ");
        }
    }

    @Test
    void shouldOpenWhereRanksPassOneOverForDifferentReasons()
    {
        ends(PreferredTransportTest::normal, (rank) ->
            registry(0 == rank ? new Absent(near) : new Refused(near), far))
            .forEach((end) -> assertNull(end, () -> "" + end));
    }
}
