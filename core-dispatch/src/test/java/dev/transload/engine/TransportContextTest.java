/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.engine.lowlatency.LowLatencyRanks;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several engines of each rank over one set of transports: each gets its own rows, and none ends another. */
class TransportContextTest
{
    private static final KernelRegistry KERNELS = KernelRegistry.of(List.of(new HostRowKernelsProvider()));
    private static final Duration BOUND = Duration.ofSeconds(15);
    private static final int MAX_STEPS = 400_000;
    private static final int WORKERS = 64;
    private static final int NODES = 2;
    private static final int LOCALS = 2;
    private static final int RANKS = NODES * LOCALS;

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final SteppingFabric fabric = new SteppingFabric(1, RANKS, SteppingOptions.host());
    private final List<InMemoryRendezvous> rendezvous = InMemoryRendezvous.world(RANKS);
    private List<TransportContext> contexts = contexts(
        new CountedProvider(fabric.provider(), WORKERS, opened, closed),
        new CountedProvider(fabric.provider("wire"), WORKERS, opened, closed));

    private List<TransportContext> contexts(final TransportProvider... providers)
    {
        final TransportRegistry registry = TransportRegistry.of(List.of(providers));
        return rendezvous.stream().map((own) -> TransportContext.open(own, registry)).toList();
    }

    @AfterEach
    void close()
    {
        contexts.forEach(TransportContext::close);
        rendezvous.forEach(InMemoryRendezvous::close);
        assertEquals(opened.get(), closed.get(), "transports that were opened, and closed");
    }

    /** Counts the transports that are opened and closed, which have so many workers. */
    private record CountedProvider(
        TransportProvider whole, int maxWorkers, AtomicInteger opened, AtomicInteger closed)
        implements WrappedProvider
    {
        @Override
        public Transport open(final TransportConfig config)
        {
            opened.incrementAndGet();
            final Transport transport = whole.open(config);
            return (Transport)Proxy.newProxyInstance(
                Transport.class.getClassLoader(), new Class<?>[]{Transport.class}, (proxy, method, arguments) ->
                {
                    closed.addAndGet("close".equals(method.getName()) ? 1 : 0);
                    try
                    {
                        final Object result = method.invoke(transport, arguments);
                        return result instanceof Capabilities ? narrow((Capabilities)result) : result;
                    }
                    catch (final InvocationTargetException ex)
                    {
                        throw ex.getCause();
                    }
                });
        }

        private Capabilities narrow(final Capabilities wide)
        {
            return new Capabilities(wide.transport(), wide.version(), wide.optional(), wide.kinds(), wide.remoteKinds(),
                wide.atomicScope(), maxWorkers, wide.maxRegionLength(), wide.maxPutLength(), wide.offsetAlignment());
        }
    }

    private static Scenario scenario(final long seed)
    {
        final Scenario scenario = Scenario.random(seed, MemoryKind.HOST);
        scenario.nodes = NODES;
        scenario.ranksPerNode = LOCALS;
        scenario.experts = 2 * RANKS;
        scenario.topk = Math.min(scenario.topk, scenario.experts);
        scenario.tokens = new int[]{7, 0, 12, 5};
        scenario.isTopkOnDevice = false;
        return scenario;
    }

    private SteppingWorld normal(final long seed)
    {
        return new SteppingWorld(scenario(seed), fabric, contexts);
    }

    private LowLatencyRanks lowLatency(final long seed)
    {
        return new LowLatencyRanks(seed, NODES, LOCALS, fabric, contexts);
    }

    /** Steps all engines in turn. */
    private static void await(final BooleanSupplier condition, final Runnable... steps)
    {
        for (int i = 0; i < MAX_STEPS; i++)
        {
            if (condition.getAsBoolean())
            {
                return;
            }

            steps[i % steps.length].run();
        }

        throw new AssertionError("not done after " + MAX_STEPS + " steps");
    }

    private static List<Completion<DispatchResult>> begin(final EngineWorld world)
    {
        final List<Completion<DispatchResult>> calls = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++)
        {
            calls.add(world.engines.get(rank).dispatch(world.dispatchRequest(rank, null)));
        }

        return calls;
    }

    private static boolean isDone(final List<Completion<DispatchResult>> calls)
    {
        return calls.stream().allMatch(Completion::isDone);
    }

    private static void verify(final EngineWorld world, final List<Completion<DispatchResult>> calls)
    {
        final List<DispatchResult> results = calls.stream().map(Completion::await).toList();
        world.verifyDispatch(results);
        world.combineAndVerify(results);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldCarryBothModesAtOnce(final long seed)
    {
        try (SteppingWorld normal = normal(seed); LowLatencyRanks latency = lowLatency(seed + 40))
        {
            assertEquals(0, normal.engines.get(1).number());
            assertEquals(1, latency.engine(1).number());
            final List<Completion<DispatchResult>> calls = begin(normal);
            latency.begin();
            await(() -> isDone(calls) && latency.isDone(), () -> normal.pump(1), latency::step);
            verify(normal, calls);
            latency.run();
            normal.runAndVerifyAll();
            assertEquals(6, normal.engines.get(0).statistics().calls());
            assertEquals(8, latency.engine(0).statistics().dispatches());
        }

        assertTrue(opened.get() <= 2 * RANKS, "each transport of a rank is opened once, not " + opened);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void shouldCarryTwoNormalEnginesOfDifferentSettings(final long seed)
    {
        try (SteppingWorld one = normal(seed); SteppingWorld other = normal(seed + 20))
        {
            for (int call = 0; call < 3; call++)
            {
                final List<Completion<DispatchResult>> calls = begin(one);
                final List<Completion<DispatchResult>> others = begin(other);
                await(() -> isDone(calls) && isDone(others), () -> one.pump(1), () -> other.pump(1));
                verify(other, others);
                verify(one, calls);
            }
        }
    }

    @Test
    void shouldCarryTwoLowLatencyEngines()
    {
        try (LowLatencyRanks one = lowLatency(21); LowLatencyRanks other = lowLatency(22))
        {
            one.begin();
            other.begin();
            await(() -> one.isDone() && other.isDone(), one::step, other::step);
        }

        assertEquals(RANKS, opened.get());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGoOnWhenAnotherEngineCloses(final boolean isNormalFirst)
    {
        final SteppingWorld normal = normal(31);
        final LowLatencyRanks latency = lowLatency(32);
        normal.runAndVerifyAll();
        latency.run();
        if (isNormalFirst)
        {
            normal.close();
            latency.run();
            try (SteppingWorld again = normal(33))
            {
                assertEquals(2, again.engines.get(0).number());
                again.runAndVerifyAll();
                latency.run();
            }

            latency.close();
        }
        else
        {
            latency.close();
            normal.runAndVerifyAll();
            try (LowLatencyRanks again = lowLatency(34))
            {
                assertEquals(2, again.engine(0).number());
                again.run();
                normal.runAndVerifyAll();
            }

            normal.close();
        }

        assertEquals(0, closed.get(), "transports that were closed before their context");
    }

    @Test
    void shouldCloseTransportsWithTheLastEngineOfAClosedContext()
    {
        final SteppingWorld normal = normal(35);
        final LowLatencyRanks latency = lowLatency(36);
        contexts.forEach(TransportContext::close);
        Messages.assertRefused(IllegalStateException.class, () -> Engine.open(config(1), contexts.get(0), KERNELS),
            "the TransportContext of rank 0 is closed");
        normal.runAndVerifyAll();
        normal.close();
        assertEquals(0, closed.get());
        latency.run();
        latency.close();
        assertEquals(opened.get(), closed.get());
    }

    /** A missed deadline ends the engine of every rank, but only that one. */
    @Test
    void shouldLeaveOtherEnginesAloneWhenOneFails()
    {
        try (SteppingWorld failing = normal(41); SteppingWorld normal = normal(42);
            LowLatencyRanks latency = lowLatency(43))
        {
            failing.deaf.add(3);
            final List<Completion<DispatchResult>> calls = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++)
            {
                calls.add(failing.engines.get(rank).dispatch(
                    failing.dispatchRequest(rank, null).timeout(Duration.ofMillis(300))));
            }

            latency.begin();
            failing.await("failed", () -> calls.stream().allMatch(Completion::isDone), BOUND);
            for (final Completion<DispatchResult> call : calls)
            {
                final Reason reason = assertThrows(CallFailedException.class, call::await).reason();
                assertTrue(Reason.DEADLINE == reason || Reason.ABORTED_BY_PEER == reason, reason::toString);
            }

            await(latency::isDone, latency::step);
            normal.runAndVerifyAll();
            failing.engines.forEach(Engine::close);
            latency.run();
            normal.runAndVerifyAll();
            try (SteppingWorld again = normal(44))
            {
                again.runAndVerifyAll();
            }

            assertNull(latency.engine(0).maskReason(3));
        }
    }

    /** The death of a rank is one for all of its engines: one fails, the other goes on without the rank. */
    @Test
    void shouldTellAllEnginesOfALostRank()
    {
        try (SteppingWorld normal = normal(51); LowLatencyRanks latency = lowLatency(52))
        {
            rendezvous.get(3).lose("its process was killed");
            latency.leave(3);
            latency.awaitNewsOf(3);
            normal.await("failed", () -> null != EngineInsides.board(normal.engines.get(0)).failure(), BOUND);
            assertEquals(Reason.PEER_FAILED, EngineInsides.board(normal.engines.get(0)).failure().reason());
            latency.run();
            assertTrue(latency.engine(0).maskReason(3).contains("its process was killed"));
        }
    }

    /** Its transports still answer, so only its word tells. */
    @Test
    void shouldMaskARankThatClosedItsLowLatencyEngine()
    {
        try (SteppingWorld normal = normal(53); LowLatencyRanks latency = lowLatency(54))
        {
            latency.run();
            latency.close(3);
            latency.run();
            for (int rank = 0; rank < 3; rank++)
            {
                assertEquals("it closed its engine", latency.engine(rank).maskReason(3));
            }

            normal.runAndVerifyAll();
        }
    }

    @Test
    void shouldRefuseCallsOfAnEngineThatARankClosed()
    {
        try (SteppingWorld normal = normal(55); SteppingWorld other = normal(56))
        {
            normal.engines.get(2).close();
            normal.await("told", () -> null != EngineInsides.board(normal.engines.get(0)).failure(), BOUND);
            Messages.assertRefused(CallFailedException.class,
                () -> normal.engines.get(0).dispatch(normal.dispatchRequest(0, null)), "rank 2 closed the engine");
            other.runAndVerifyAll();
        }
    }

    @Test
    void shouldUseTensorsOfOneEngineInCallsOfAnother()
    {
        final Scenario scenario = scenario(61);
        scenario.placement = "direct";
        try (SteppingWorld one = new SteppingWorld(scenario, fabric, contexts);
            SteppingWorld other = new SteppingWorld(scenario, fabric, contexts))
        {
            one.runAndVerifyAll();
            for (int rank = 0; rank < RANKS; rank++)
            {
                other.tensors.set(rank, one.tensors.get(rank));
            }

            for (int i = 0; i < 3; i++)
            {
                other.runAndVerifyAll();
                one.runAndVerifyAll();
            }
        }
    }

    @Test
    void shouldRefuseTensorsOfAnEngineOverOtherTransports()
    {
        final Scenario apart = scenario(62);
        apart.isApart = true;
        final Scenario together = scenario(63);
        together.isApart = false;
        try (SteppingWorld one = new SteppingWorld(apart, fabric, contexts);
            SteppingWorld other = new SteppingWorld(together, fabric, contexts))
        {
            Messages.assertRefused(BadInputException.class, () -> other.engines.get(0).dispatch(
                DispatchRequest.of(new Tensor(one.engines.get(0).allocatePayload(64), 0, DataType.BF16, 1, 16))
                .topk(other.tensors.get(0).idx, null, together.experts)),
                "x is in memory of an engine over wire and stepping", "must be of one over stepping and stepping");
            one.runAndVerifyAll();
            other.runAndVerifyAll();
        }
    }

    private interface Opening
    {
        AutoCloseable open(int rank);
    }

    /** Opens on all ranks at once; what each threw. */
    private static List<Throwable> failures(final Opening opening)
    {
        final ExecutorService executor = Executors.newFixedThreadPool(RANKS);
        try
        {
            final List<CompletableFuture<AutoCloseable>> all = new ArrayList<>();
            for (int rank = 0; rank < RANKS; rank++)
            {
                final int own = rank;
                all.add(CompletableFuture.supplyAsync(() -> opening.open(own), executor));
            }

            return all.stream().map(
                (one) -> assertThrows(CompletionException.class, one::join).getCause()).toList();
        }
        finally
        {
            executor.shutdown();
        }
    }

    private static EngineConfig config(final int channels)
    {
        final Scenario scenario = scenario(71);
        scenario.channels = channels;
        scenario.isApart = false;
        return scenario.config(SteppingFabric.DEFAULT_NAME);
    }

    private LowLatencyEngine openLowLatency(final int rank, final int channels)
    {
        return LowLatencyEngine.open(
            new LowLatencyConfig(config(1), 4, channels, Duration.ofSeconds(1)), contexts.get(rank), KERNELS);
    }

    @Test
    void shouldNameTheLowLatencySettingInWhichRanksDiffer()
    {
        failures((rank) -> openLowLatency(rank, 3 == rank ? 2 : 1)).forEach((failure) ->
        {
            assertInstanceOf(ConfigurationException.class, failure);
            Messages.assertContains(failure, "rank 3 has transload.low-latency.channels = 2",
                "has transload.low-latency.channels = 1", "must be equal on all ranks");
        });
    }

    @Test
    void shouldSayWhichRanksOpenEnginesInAnotherOrder()
    {
        final List<Throwable> failures = failures((rank) -> 2 == rank ? openLowLatency(rank, 1) :
            Engine.open(config(1), contexts.get(rank), KERNELS));
        failures.forEach((failure) ->
        {
            assertInstanceOf(ConfigurationException.class, failure);
            Messages.assertContains(failure, "rank 2", "normal", "low-latency", "must be the same on all ranks",
                "open the engines of a TransportContext in the same order (this is number 0, from 0)");
        });

        final List<Throwable> differing = failures((rank) ->
            Engine.open(config(0 == rank ? 1 : 2), contexts.get(rank), KERNELS));
        differing.forEach((failure) -> Messages.assertContains(failure, "rank 0", "transload.channels = 1",
            "transload.channels = 2", "in the same order (this is number 1, from 0)"));

        // All ranks have counted alike, though nothing was opened.
        try (SteppingWorld normal = normal(72))
        {
            assertEquals(2, normal.engines.get(3).number());
            normal.runAndVerifyAll();
        }
    }

    @Test
    void shouldRefuseASecondContextOfARendezvous()
    {
        try (SteppingWorld normal = normal(73))
        {
            final List<TransportContext> others = contexts(fabric.provider());
            failures((rank) -> Engine.open(config(1), others.get(rank), KERNELS)).forEach((failure) ->
                Messages.assertContains(failure, "a rendezvous has one TransportContext"));
            others.forEach(TransportContext::close);
            normal.runAndVerifyAll();
        }
    }

    @Test
    void shouldRefuseOtherOptionsOfATransportThatIsOpen()
    {
        try (SteppingWorld normal = normal(74))
        {
            assertEquals(RANKS, normal.engines.size());
            final Scenario scenario = scenario(74);
            scenario.more = "transload.timeouts { call = 1 s, liveness = 100 ms }";
            failures((rank) -> Engine.open(
                scenario.config(SteppingFabric.DEFAULT_NAME), contexts.get(rank), KERNELS)).forEach((failure) ->
                Messages.assertContains(failure, "transload.timeouts.liveness = 100 ms is not allowed",
                    "with 7500 ms", "shortest must be opened first"));
        }
    }

    @Test
    void shouldSayWhenWorkersOfATransportAreTaken()
    {
        contexts.forEach(TransportContext::close);
        contexts = contexts(new CountedProvider(fabric.provider(), 1, opened, closed));
        final Scenario scenario = scenario(75);
        scenario.isApart = false;
        try (SteppingWorld normal = new SteppingWorld(scenario, fabric, contexts))
        {
            failures((rank) -> openLowLatency(rank, 1)).forEach((failure) -> Messages.assertContains(failure,
                "transport stepping opens at most 1 workers, 1 of which other engines of the TransportContext have"));
            normal.runAndVerifyAll();
        }

        // Its worker is free again.
        try (LowLatencyRanks latency = lowLatency(76))
        {
            latency.run();
        }
    }

    /** Threads of a normal engine beside callers of the low-latency mode, which opens and closes meanwhile. */
    @Test
    void shouldCarryBothModesOnThreads()
    {
        contexts.forEach(TransportContext::close);
        final LoopbackNetwork network = new LoopbackNetwork(5);
        contexts = contexts(new CountedProvider(network, WORKERS, opened, closed));
        final Scenario scenario = scenario(81);
        scenario.isApart = false;
        scenario.threads = 1;
        final ExecutorService callers = Executors.newFixedThreadPool(RANKS);
        try (LoopbackWorld normal = new LoopbackWorld(scenario, network, contexts))
        {
            final List<CompletableFuture<Void>> decoding = new ArrayList<>();
            final IntConsumer calls = (rank) ->
            {
                LowLatencyRanks.call(82, NODES, LOCALS, LoopbackNetwork.NAME, 6, contexts.get(rank));
                LowLatencyRanks.call(83, NODES, LOCALS, LoopbackNetwork.NAME, 6, contexts.get(rank));
            };
            for (int rank = 0; rank < RANKS; rank++)
            {
                final int own = rank;
                decoding.add(CompletableFuture.runAsync(() -> calls.accept(own), callers));
            }

            do
            {
                normal.runAndVerifyAll();
            }
            while (!decoding.stream().allMatch(CompletableFuture::isDone));
            decoding.forEach(CompletableFuture::join);
        }
        finally
        {
            callers.shutdown();
        }

        assertEquals(RANKS, opened.get());
    }
}
