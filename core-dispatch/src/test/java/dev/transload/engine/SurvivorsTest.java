/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** After a loss, the ranks that are left open an engine without the lost ones over the same transports. */
class SurvivorsTest
{
    private static final Duration BOUND = Duration.ofSeconds(15);
    private static final int NODES = 2;
    private static final int LOCALS = 3;
    private static final int RANKS = NODES * LOCALS;

    private final SteppingFabric fabric = new SteppingFabric(1, RANKS, SteppingOptions.host());
    private final List<InMemoryRendezvous> rendezvous = InMemoryRendezvous.world(RANKS);
    private final TransportRegistry registry =
        TransportRegistry.of(List.of(fabric.provider(), fabric.provider("wire")));
    private final List<TransportContext> contexts =
        rendezvous.stream().map((own) -> TransportContext.open(own, registry)).toList();

    private final ExecutorService executor = Executors.newFixedThreadPool(RANKS);

    @AfterEach
    void close()
    {
        executor.shutdown();
        contexts.forEach(TransportContext::close);
        rendezvous.forEach(InMemoryRendezvous::close);
    }

    private static Scenario world(final long seed)
    {
        final Scenario scenario = Scenario.random(seed, MemoryKind.HOST);
        scenario.nodes = NODES;
        scenario.ranksPerNode = LOCALS;
        scenario.experts = 2 * RANKS - 1;
        scenario.tokens = new int[]{7, 0, 12, 5, 9, 3};
        return scenario;
    }

    private SteppingWorld world(final long seed, final Set<Integer> absent)
    {
        final Scenario scenario = world(seed);
        scenario.absent = absent;
        return new SteppingWorld(scenario, fabric, contexts);
    }

    /** Loses a rank while the others call, and gives who is lost, as all of them are told. */
    private Set<Integer> lose(final SteppingWorld world, final int rank)
    {
        world.deaf.add(rank);
        final List<Completion<DispatchResult>> calls = new ArrayList<>();
        for (final int other : world.scenario.world().without(List.of(rank)).present())
        {
            calls.add(world.engines.get(other).dispatch(world.dispatchRequest(other, null)));
        }

        rendezvous.get(rank).lose("its process was killed");
        world.await("failed", () -> calls.stream().allMatch(Completion::isDone), BOUND);
        final Set<Integer> absent = new TreeSet<>(world.scenario.absent);
        for (final Completion<DispatchResult> call : calls)
        {
            final GroupChangedException failure = assertThrows(GroupChangedException.class, call::await);
            assertEquals(List.of(rank), failure.dead());
            assertEquals(world.scenario.world().without(failure.dead()).present(), failure.alive());
            absent.addAll(failure.dead());
        }

        return absent;
    }

    @ParameterizedTest
    @CsvSource({"71, 5, 0", "72, 0, 1", "73, 3, 4", "74, 4, 2", "75, 1, 3", "76, 2, 5"})
    void shouldGoOnWithoutLostRanks(final long seed, final int lost, final int lostNext)
    {
        try (SteppingWorld first = world(seed, Set.of()))
        {
            first.runAndVerifyAll();
            try (SteppingWorld second = world(seed, lose(first, lost)))
            {
                second.runAndVerifyRepeated();
                try (SteppingWorld third = world(seed, lose(second, lostNext)))
                {
                    third.runAndVerifyRepeated();
                }
            }
        }
    }

    /** Memory that the first engine gave out outlives its failure. */
    @Test
    void shouldUseTensorsOfTheFailedEngine()
    {
        try (SteppingWorld first = world(81, Set.of()))
        {
            final Set<Integer> absent = lose(first, 4);
            try (SteppingWorld second = world(81, absent))
            {
                for (final int rank : second.scenario.world().present())
                {
                    second.tensors.set(rank, first.tensors.get(rank));
                }

                second.runAndVerifyRepeated();
            }
        }
    }

    @Test
    void shouldGoOnAloneOnANode()
    {
        final Set<Integer> absent = Set.of(0, 1, 2, 4);
        try (SteppingWorld world = world(91, absent))
        {
            world.runAndVerifyRepeated();
            assertEquals(List.of(3, 5), world.engines.get(3).config().world().present());
        }
    }

    /** A rank that is lost in one of the exchanges of opening: the others open again, in the same context. */
    @ParameterizedTest
    @ValueSource(strings = {"engine", "settings", "memory"})
    void shouldAgreeOnALossWhileEnginesOpen(final String exchange)
    {
        final int lost = 4;
        final EngineConfig config = world(85).config(fabric.provider().name());
        final KernelRegistry kernels = KernelRegistry.of(List.of(new HostRowKernelsProvider()));
        try (TransportContext dying = TransportContext.open(losing(lost, "." + exchange), registry))
        {
            final List<CompletableFuture<Engine>> opening = IntStream.range(0, RANKS).mapToObj((rank) ->
                CompletableFuture.supplyAsync(() -> Engine.open(
                config, lost == rank ? dying : contexts.get(rank), kernels), executor)).toList();
            for (int rank = 0; rank < RANKS; rank++)
            {
                final Throwable failure = assertThrows(CompletionException.class, opening.get(rank)::join).getCause();
                if (lost != rank)
                {
                    final GroupChangedException change = assertInstanceOf(GroupChangedException.class, failure);
                    assertEquals(List.of(lost), change.dead());
                }
            }
        }

        try (SteppingWorld next = world(85, Set.of(lost)))
        {
            next.runAndVerifyAll();
        }
    }

    /** The rendezvous of a rank that is killed when it comes to an exchange. */
    private Rendezvous losing(final int rank, final String exchange)
    {
        final InMemoryRendezvous own = rendezvous.get(rank);
        return (Rendezvous)Proxy.newProxyInstance(Rendezvous.class.getClassLoader(), new Class<?>[]{Rendezvous.class},
            (proxy, method, arguments) ->
            {
                if ("allGather".equals(method.getName()) && ((String)arguments[0]).endsWith(exchange))
                {
                    own.lose("its process was killed");
                }

                try
                {
                    return method.invoke(own, arguments);
                }
                catch (final InvocationTargetException ex)
                {
                    throw ex.getCause();
                }
            });
    }

    @Test
    void shouldRefuseRanksThatDisagreeOnWhoIsAbsent()
    {
        final EngineConfig config = EngineConfig.builder().nodes(NODES).ranksPerNode(LOCALS)
            .scaleOut(fabric.provider().name()).scaleUp(fabric.provider().name())
            .openTimeout(Duration.ofSeconds(2)).build();
        final KernelRegistry kernels = KernelRegistry.of(List.of(new HostRowKernelsProvider()));
        // It waits for rank 2, which is not asked to open anything.
        final CompletableFuture<Engine> other = CompletableFuture.supplyAsync(
            () -> Engine.open(config.without(List.of(3, 4, 5)), contexts.get(1), kernels));
        Messages.assertRefused(ConfigurationException.class,
            () -> Engine.open(config.without(List.of(2, 3, 4, 5)), contexts.get(0), kernels),
            "rank 0 has absent ranks = [2, 3, 4, 5]", "rank 1 has absent ranks = [3, 4, 5]");
        Messages.assertContains(assertThrows(CompletionException.class, other::join), "rank 2");
    }

    @Test
    void shouldRefuseAnAbsentRank()
    {
        final EngineConfig config = EngineConfig.builder().nodes(NODES).ranksPerNode(LOCALS)
            .scaleOut(fabric.provider().name()).scaleUp(fabric.provider().name()).build().without(List.of(2));
        Messages.assertRefused(ConfigurationException.class, () -> Engine.open(config, contexts.get(2),
            KernelRegistry.of(List.of(new HostRowKernelsProvider()))), "rank 2 is one of the absent ranks [2]");
    }
}
