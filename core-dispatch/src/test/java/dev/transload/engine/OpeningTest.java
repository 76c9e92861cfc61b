/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Worlds that cannot open say why, on every rank that can know. */
class OpeningTest
{
    private static final KernelRegistry KERNELS = KernelRegistry.of(List.of(new HostRowKernelsProvider()));

    private final SteppingFabric fabric = new SteppingFabric(1, 2, SteppingOptions.host());

    private static Scenario pair()
    {
        final Scenario scenario = new Scenario(1);
        scenario.nodes = 1;
        scenario.ranksPerNode = 2;
        scenario.tokens = new int[]{1, 1};
        return scenario;
    }

    private static List<Throwable> failures(
        final int ranks, final TransportProvider provider, final IntFunction<EngineConfig> configs)
    {
        return failures(ranks, provider, configs, (rendezvous) -> rendezvous);
    }

    private static List<Throwable> failures(
        final int ranks, final TransportProvider provider, final IntFunction<EngineConfig> configs,
        final UnaryOperator<Rendezvous> wrapping)
    {
        final List<InMemoryRendezvous> rendezvous = InMemoryRendezvous.world(ranks);
        final TransportRegistry registry = TransportRegistry.of(List.of(provider));
        final ExecutorService executor = Executors.newFixedThreadPool(ranks);
        try
        {
            final List<CompletableFuture<Engine>> opening = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++)
            {
                final int own = rank;
                opening.add(CompletableFuture.supplyAsync(() -> Engine.open(
                    configs.apply(own), wrapping.apply(rendezvous.get(own)), registry, KERNELS), executor));
            }

            final List<Throwable> failures = new ArrayList<>();
            opening.forEach(
                (future) -> failures.add(assertThrows(CompletionException.class, future::join).getCause()));
            return failures;
        }
        finally
        {
            executor.shutdown();
            rendezvous.forEach(InMemoryRendezvous::close);
        }
    }

    private void assertDiffers(final String setting, final String one, final String other)
    {
        final List<Throwable> failures = failures(2, fabric.provider(), (rank) ->
        {
            final Scenario scenario = pair();
            scenario.more = "transload." + setting + " = " + (0 == rank ? one : other);
            return scenario.config(SteppingFabric.DEFAULT_NAME);
        });
        failures.forEach((failure) ->
        {
            assertInstanceOf(ConfigurationException.class, failure);
            Messages.assertContains(
                failure, setting, "rank 0 has", "rank 1 has", one, other, "must be equal on all ranks");
        });
    }

    @Test
    void shouldNameTheSettingInWhichRanksDiffer()
    {
        assertDiffers("max-hidden", "64", "128");
        assertDiffers("max-topk", "4", "8");
        assertDiffers("max-experts", "100", "200");
        assertDiffers("channels", "2", "3");
        assertDiffers("scale-up.ring", "8", "9");
        assertDiffers("scale-up.chunk", "1", "2");
    }

    @Test
    void shouldRefuseRanksOfDifferentBuilds()
    {
        final List<Throwable> failures = failures(2, fabric.provider(),
            (rank) -> pair().config(SteppingFabric.DEFAULT_NAME), OpeningTest::ofAnotherBuild);
        for (int rank = 0; rank < 2; rank++)
        {
            assertInstanceOf(ConfigurationException.class, failures.get(rank));
            Messages.assertContains(failures.get(rank), "rank " + rank + " runs Transload ",
                "rank " + (1 - rank) + " runs ?", "must be the same build on all ranks");
        }
    }

    /** The other rank's version, with which its first message begins, has another first character. */
    @SuppressWarnings("unchecked")
    private static Rendezvous ofAnotherBuild(final Rendezvous rendezvous)
    {
        return (Rendezvous)Proxy.newProxyInstance(Rendezvous.class.getClassLoader(), new Class<?>[]{Rendezvous.class},
            (proxy, method, arguments) ->
            {
                final Object result = method.invoke(rendezvous, arguments);
                if ("allGather".equals(method.getName()))
                {
                    final List<ByteBuffer> all = new ArrayList<>((List<ByteBuffer>)result);
                    final int other = 1 - rendezvous.rank();
                    final ByteBuffer theirs = ByteBuffer.allocate(all.get(other).remaining());
                    theirs.put(all.get(other).duplicate()).flip();
                    theirs.put(Integer.BYTES, (byte)'?');
                    all.set(other, theirs);
                    return all;
                }

                return result;
            });
    }

    @Test
    void shouldRefuseAWorldOfAnotherSizeThanItsSettings()
    {
        final List<Throwable> failures =
            failures(3, fabric.provider(), (rank) -> pair().config(SteppingFabric.DEFAULT_NAME));
        failures.forEach((failure) ->
        {
            assertInstanceOf(ConfigurationException.class, failure);
            Messages.assertContains(failure, "the world has 3 ranks", "1 x 2", "must be equal");
        });
    }

    @Test
    void shouldRefuseATransportThatCannotPutAWholeRegion()
    {
        final SteppingFabric limited = new SteppingFabric(1, 2, SteppingOptions.host().maxPutLength(1 << 20));
        failures(2, limited.provider(), (rank) -> pair().config(SteppingFabric.DEFAULT_NAME)).forEach((failure) ->
        {
            assertInstanceOf(ConfigurationException.class, failure);
            Messages.assertContains(failure, SteppingFabric.DEFAULT_NAME, "longest put has 1048576 bytes");
        });
    }

    @Test
    void shouldRefuseATransportWhoseRegionsAreTooShort()
    {
        final List<Throwable> failures = failures(
            2, new ShortRegions(fabric.provider()), (rank) -> pair().config(SteppingFabric.DEFAULT_NAME));
        failures.forEach((failure) ->
        {
            assertInstanceOf(ConfigurationException.class, failure);
            Messages.assertContains(failure, SteppingFabric.DEFAULT_NAME, "at most " + ShortRegions.LONGEST +
                " bytes in one region", "of HOST memory", "transload.ring-memory");
        });
    }

    /** What it opens promises short regions, and would allocate long ones. */
    private record ShortRegions(TransportProvider whole) implements WrappedProvider
    {
        private static final long LONGEST = 512;

        @Override
        public Transport open(final TransportConfig config)
        {
            final Transport opened = whole.open(config);
            final Capabilities promised = Capabilities.builder(name(), "short regions", LONGEST)
                .kinds(MemoryKind.HOST)
                .maxWorkers(opened.capabilities().maxWorkers())
                .build();
            return (Transport)Proxy.newProxyInstance(Transport.class.getClassLoader(), new Class<?>[]{Transport.class},
                (proxy, method, arguments) ->
                    "capabilities".equals(method.getName()) ? promised : method.invoke(opened, arguments));
        }
    }

    @Test
    void shouldListTheTransportsFoundWhenOneIsUnknown()
    {
        final InMemoryRendezvous alone = InMemoryRendezvous.world(1).get(0);
        final Scenario scenario = pair();
        scenario.ranksPerNode = 1;
        Messages.assertRefused(ConfigurationException.class, () -> Engine.open(
            scenario.config("telepathy"), alone, TransportRegistry.of(List.of(fabric.provider())), KERNELS),
            "telepathy", "found are " + SteppingFabric.DEFAULT_NAME);
    }

    @Test
    void shouldRefuseASectionThatIsNoTransports()
    {
        final InMemoryRendezvous alone = InMemoryRendezvous.world(1).get(0);
        final Scenario scenario = pair();
        scenario.ranksPerNode = 1;
        scenario.more = "transload.telepathy.range = 3";
        Messages.assertRefused(ConfigurationException.class, () -> Engine.open(
            scenario.config(SteppingFabric.DEFAULT_NAME), alone,
            TransportRegistry.of(List.of(fabric.provider())), KERNELS),
            "transload.telepathy", "found are " + SteppingFabric.DEFAULT_NAME);
    }

    @Test
    void shouldNameThePeerThatCannotBeReached()
    {
        final List<Throwable> failures = failures(2, fabric.provider("broken", (from, to) -> from == to),
            (rank) -> pair().config("broken"));
        for (int rank = 0; rank < 2; rank++)
        {
            assertInstanceOf(TransportUnavailableException.class, failures.get(rank));
            Messages.assertContains(failures.get(rank), "rank " + rank + " cannot reach rank " + (1 - rank),
                "transport broken (scale-up)");
        }
    }

    /** As of a transport whose library is of another version. */
    @Test
    void shouldThrowTheVeryErrorOfATransport()
    {
        final Error broken = new NoSuchMethodError("stopwatch");
        final Scenario scenario = pair();
        scenario.ranksPerNode = 1;
        assertSame(broken, assertThrows(Throwable.class, () -> Engine.open(
            scenario.config(SteppingFabric.DEFAULT_NAME), InMemoryRendezvous.world(1).get(0),
            TransportRegistry.of(List.of(new BrokenProvider(fabric.provider(), broken))), KERNELS)));
    }

    private record BrokenProvider(TransportProvider whole, Error error) implements WrappedProvider
    {
        @Override
        public Transport open(final TransportConfig config)
        {
            throw error;
        }
    }

    @Test
    void shouldNotWaitForEverForARankThatDoesNotOpen()
    {
        final Scenario scenario = pair();
        scenario.more = "transload.timeouts.open = 200 ms";
        final InMemoryRendezvous first = InMemoryRendezvous.world(2).get(0);
        Messages.assertRefused(RendezvousException.class, () -> Engine.open(
            scenario.config(SteppingFabric.DEFAULT_NAME), first,
            TransportRegistry.of(List.of(fabric.provider())), KERNELS), "1");
    }
}
