/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException.Reason;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousListener;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportRegistry;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An engine that goes on without lost ranks, and what it refuses. */
class MaskedRanksTest
{
    private static final Duration BOUND = Duration.ofSeconds(15);
    private static final int NODES = 2;
    private static final int LOCALS = 3;
    private static final int RANKS = NODES * LOCALS;
    private static final int LOST = 1;

    private final SteppingFabric fabric = new SteppingFabric(1, RANKS, SteppingOptions.host());
    private final TransportRegistry registry =
        TransportRegistry.of(List.of(fabric.provider(), fabric.provider("wire")));
    private final List<InMemoryRendezvous> rendezvous = InMemoryRendezvous.world(RANKS);
    private final List<TransportContext> contexts = new ArrayList<>();

    @AfterEach
    void close()
    {
        contexts.forEach(TransportContext::close);
        rendezvous.forEach(InMemoryRendezvous::close);
    }

    private static Scenario scenario(final String onPeerFailure)
    {
        final Scenario scenario = new Scenario(7);
        scenario.nodes = NODES;
        scenario.ranksPerNode = LOCALS;
        scenario.experts = 2 * RANKS;
        scenario.topk = 4;
        scenario.tokens = new int[]{7, 4, 12, 5, 9, 3};
        scenario.more = "transload.on-peer-failure = " + onPeerFailure + "\ntransload.timeouts.liveness = 300 ms";
        return scenario;
    }

    private SteppingWorld world(final UnaryOperator<Rendezvous> view)
    {
        return world(scenario("mask"), view);
    }

    private SteppingWorld world(final Scenario scenario, final UnaryOperator<Rendezvous> view)
    {
        rendezvous.forEach((own) -> contexts.add(TransportContext.open(view.apply(own), registry)));
        return new SteppingWorld(scenario, fabric, contexts);
    }

    /** A rendezvous that takes ranks that have ended for silent ones. */
    private static Rendezvous hearingSilence(final Rendezvous own)
    {
        return (Rendezvous)Proxy.newProxyInstance(Rendezvous.class.getClassLoader(), new Class<?>[]{Rendezvous.class},
            (proxy, method, arguments) ->
            {
                try
                {
                    return method.invoke(own, "listen".equals(method.getName()) ?
                        new Object[]{silent((RendezvousListener)arguments[0])} : arguments);
                }
                catch (final InvocationTargetException ex)
                {
                    throw ex.getCause();
                }
            });
    }

    private static RendezvousListener silent(final RendezvousListener listener)
    {
        return new RendezvousListener()
        {
            @Override
            public void onMemberLost(final Member member, final Loss loss, final String reason)
            {
                listener.onMemberLost(member, Loss.SILENT, reason);
            }

            @Override
            public void onAnnouncement(final int rank, final ByteBuffer message)
            {
                listener.onAnnouncement(rank, message);
            }
        };
    }

    /** Dispatches of all ranks but one, which is lost before it makes its own. */
    private static Map<Integer, Completion<DispatchResult>> submit(
        final SteppingWorld world, final BiConsumer<Integer, DispatchRequest> change)
    {
        final Map<Integer, Completion<DispatchResult>> calls = new TreeMap<>();
        world.deaf.add(LOST);
        IntStream.range(0, RANKS).filter((rank) -> rank != LOST).forEach((rank) ->
        {
            final DispatchRequest request = world.dispatchRequest(rank, null);
            change.accept(rank, request);
            calls.put(rank, world.engines.get(rank).dispatch(request));
        });
        return calls;
    }

    private Map<Integer, Completion<DispatchResult>> dispatch(
        final SteppingWorld world, final BiConsumer<Integer, DispatchRequest> change)
    {
        final Map<Integer, Completion<DispatchResult>> calls = submit(world, change);
        // Ranks tell each other where rows go, and wait for those of the lost one.
        world.pump(300);
        rendezvous.get(LOST).lose("its process was killed");
        world.await("ended", () -> calls.values().stream().allMatch(Completion::isDone), BOUND);
        return calls;
    }

    private Map<Integer, Completion<DispatchResult>> dispatch(final SteppingWorld world, final boolean hasOutput)
    {
        return dispatch(world, (rank, request) -> request.output(hasOutput ? output(world, rank) : null));
    }

    private static DispatchOutput output(final SteppingWorld world, final int rank)
    {
        return world.tensors.get(rank).output(new OutputShape(
            IntStream.of(world.scenario.tokens).sum(), world.scenario.hidden, DataType.BF16, world.scenario.topk));
    }

    private static void verify(final SteppingWorld world, final Map<Integer, Completion<DispatchResult>> calls)
    {
        world.expectWithout(Set.of(LOST));
        calls.forEach((rank, call) ->
        {
            world.verifyDispatch(rank, call.await());
            assertFalse(world.engines.get(rank).world().isPresent(LOST));
        });
    }

    @Test
    void shouldWriteToGivenOutputsAgainIfTheLostProcessHasEnded()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            verify(world, dispatch(world, true));
            world.runAndVerifyRepeated();
        }
    }

    @Test
    void shouldBringOtherOutputsIfTheLostProcessMayStillWrite()
    {
        try (SteppingWorld world = world(MaskedRanksTest::hearingSilence))
        {
            verify(world, dispatch(world, false));
            world.runAndVerifyRepeated();
        }
    }

    /** Ranks of its node say so, and the others hear it. */
    @Test
    void shouldNotWriteToGivenOutputsAgainIfTheLostProcessMayStillWrite()
    {
        try (SteppingWorld world = world(MaskedRanksTest::hearingSilence))
        {
            final Map<Integer, Completion<DispatchResult>> calls = dispatch(world, true);
            final CallFailedException own = assertThrows(CallFailedException.class, calls.get(0)::await);
            assertEquals(Reason.BAD_INPUT, own.reason());
            Messages.assertContains(own, "the output is in memory that rank 1 may still write to",
                "must be left to the engine, or an allocator must bring other memory");
            final CallFailedException other = assertThrows(CallFailedException.class, calls.get(3)::await);
            assertEquals(Reason.ABORTED_BY_PEER, other.reason());
            Messages.assertContains(other, "rank 1 may still write");
        }
    }

    @Test
    void shouldAskTheAllocatorForOtherMemoryIfTheLostProcessMayStillWrite()
    {
        try (SteppingWorld world = world(MaskedRanksTest::hearingSilence))
        {
            verify(world, dispatch(world, (rank, request) -> request.allocator(world.tensors.get(rank)::output)));
        }
    }

    /** A cached dispatch asks for its output before the lost rank makes it. */
    @Test
    void shouldRefuseTheSameMemoryOfAnAllocatorIfTheLostProcessMayStillWrite()
    {
        try (SteppingWorld world = world(MaskedRanksTest::hearingSilence))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final Map<Integer, DispatchOutput> outputs = new TreeMap<>();
            final Map<Integer, Completion<DispatchResult>> calls = dispatch(world, (rank, request) -> request
                .topk(null, null, 0).layout(null).expertAlignment(0).cached(results.get(rank).handle())
                .allocator((shape) -> outputs.computeIfAbsent(rank, (any) -> output(world, rank))));
            final CallFailedException failure = assertThrows(CallFailedException.class, calls.get(0)::await);
            Messages.assertContains(failure, "the output is in memory that rank 1 may still write to");
        }
    }

    /** Rows and scales share memory, which no lost rank knows of. */
    @Test
    void shouldTakeOutputsOfItsOwnWhileALostProcessMayStillWriteToOthers()
    {
        final Scenario scenario = scenario("mask");
        scenario.isFp8 = true;
        scenario.hidden = 128;
        try (SteppingWorld world = world(scenario, MaskedRanksTest::hearingSilence))
        {
            final Map<Integer, Completion<DispatchResult>> calls = dispatch(world, false);
            verify(world, calls);
            final Map<Integer, Completion<DispatchResult>> next = new TreeMap<>();
            calls.forEach((rank, call) -> next.put(rank, world.engines.get(rank).dispatch(
                world.dispatchRequest(rank, null).output(call.await().output()))));
            world.await("ended", () -> next.values().stream().allMatch(Completion::isDone), BOUND);
            verify(world, next);
        }
    }

    /** Three calls, one of which is submitted while the next engine opens. */
    @Test
    void shouldMakeAllCallsAgainInTheirOrder()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            final List<Map<Integer, Completion<DispatchResult>>> calls = new ArrayList<>();
            calls.add(submit(world, (rank, request) -> {}));
            calls.add(submit(world, (rank, request) -> request.output(output(world, rank))));
            world.pump(300);
            rendezvous.get(LOST).lose("its process was killed");
            world.pump(50);
            calls.add(submit(world, (rank, request) -> {}));
            for (final Map<Integer, Completion<DispatchResult>> each : calls)
            {
                world.await("ended", () -> each.values().stream().allMatch(Completion::isDone), BOUND);
                verify(world, each);
                each.values().forEach((call) -> assertEquals(
                    1 + calls.indexOf(each), call.await().handle().callNumber()));
            }
        }
    }

    @Test
    void shouldEndCallsWhenItIsClosedWhileALossIsDealtWith()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            final Map<Integer, Completion<DispatchResult>> calls = submit(world, (rank, request) -> {});
            world.pump(300);
            rendezvous.get(LOST).lose("its process was killed");
            world.pump(20);
            calls.keySet().forEach((rank) -> world.engines.get(rank).close());
            calls.values().forEach((call) ->
            {
                assertTrue(call.isDone());
                assertThrows(CallFailedException.class, call::await);
            });
            Messages.assertRefused(CallFailedException.class,
                () -> world.engines.get(0).dispatch(world.dispatchRequest(0, null)), "it was closed");
        }
    }

    /** Between calls, too. */
    @Test
    void shouldTellOthersThatItHasFailed()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            world.dispatch(null);
            EngineInsides.board(world.engines.get(0)).fail(Reason.INTERNAL, -1, "it broke", null);
            world.await("told", () -> null != EngineInsides.board(world.engines.get(3)).failure(), BOUND);
            assertEquals(Reason.ABORTED_BY_PEER, EngineInsides.board(world.engines.get(3)).failure().reason());
        }
    }

    @Test
    void shouldStopDrivingAnEngineThatHasFailed()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            world.deaf.add(LOST);
            final Map<Integer, Completion<DispatchResult>> calls = submit(world, (rank, request) ->
                request.timeout(Duration.ofMillis(200)));
            world.await("ended", () -> calls.values().stream().allMatch(Completion::isDone), BOUND);
            assertFalse(world.engines.get(0).drive(() -> false));
            assertThrows(CallFailedException.class, () -> world.engines.get(0).dispatch(
                world.dispatchRequest(0, null)));
        }
    }

    @Test
    void shouldRefuseHandlesThatAreClosedOrOfOthers()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final Engine engine = world.engines.get(0);
            final CombineRequest request = world.combineRequest(0, results.get(0));
            results.get(0).handle().close();
            Messages.assertRefused(BadInputException.class, () -> engine.combine(request), "the handle is closed");
            Messages.assertRefused(BadInputException.class,
                () -> engine.dispatch(DispatchRequest.of(world.tensors.get(0).x).cached(other())),
                "the handle is not of this engine");
        }
    }

    private static DispatchHandle other()
    {
        return (DispatchHandle)Proxy.newProxyInstance(DispatchHandle.class.getClassLoader(),
            new Class<?>[]{DispatchHandle.class}, (proxy, method, arguments) -> null);
    }

    private static void lose(final SteppingWorld world, final Set<Integer> lost)
    {
        for (final int rank : lost)
        {
            world.deaf.add(rank);
            world.rendezvous.get(rank).lose("its process was killed");
        }

        world.expectWithout(lost);
        world.await("ready", () -> world.scenario.world().present().stream().map(world.engines::get).allMatch(
            (engine) -> engine.isReady() && lost.stream().noneMatch(engine.world()::isPresent)), BOUND);
    }

    /** Two of a node are lost, and return one after the other. */
    @Test
    void shouldReadmitRanksThatWereLost()
    {
        final Scenario scenario = scenario("mask");
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<DispatchResult> before = world.dispatch(null);
            lose(world, Set.of(3, 4));
            world.runAndVerifyAll();
            assertEquals(List.of(), readmit(world));
            world.rejoin(4);
            assertEquals(List.of(4), readmitAny(world));
            world.expectAgain(4);
            world.runAndVerifyAll();
            world.rejoin(3);
            assertEquals(List.of(3), readmitAny(world));
            world.expectAgain(3);
            world.runAndVerifyRepeated();
            assertEquals(1, world.present().map(Engine::calls).distinct().count());
            final Engine engine = world.engines.get(0);
            Messages.assertRefused(BadInputException.class, () -> engine.combine(world.combineRequest(
                0, before.get(0))), "the handle is of a dispatch before ranks were readmitted", "can only be closed");
        }
    }

    /** Each of them has joined before the other takes part in an engine. */
    @Test
    void shouldReadmitTwoRanksThatReturnAtOnce()
    {
        try (SteppingWorld world = new SteppingWorld(scenario("mask")))
        {
            final Set<Integer> lost = Set.of(1, 4);
            lose(world, lost);
            lost.forEach(world::rejoin);
            final List<Integer> back = new ArrayList<>();
            for (final long beginNs = System.nanoTime(); back.size() < lost.size();)
            {
                assertTrue(System.nanoTime() - beginNs < BOUND.toNanos(), () -> back + " are back");
                final List<Integer> now = readmit(world);
                now.forEach(world::expectAgain);
                back.addAll(now);
            }

            assertEquals(lost, Set.copyOf(back));
            world.runAndVerifyAll();
        }
    }

    /** A lost rank had told what it knows, another one leaves without telling: nobody waits for that. */
    @Test
    void shouldLeaveAReadmissionThatALossInterrupts()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            final int late = 2;
            final Map<Integer, Completion<List<Integer>>> calls = new TreeMap<>();
            IntStream.range(0, RANKS).filter((rank) -> late != rank).forEach((rank) ->
                calls.put(rank, world.engines.get(rank).readmit()));
            world.awaitFor(Duration.ofMillis(100));
            world.deaf.add(LOST);
            rendezvous.get(LOST).lose("its process was killed");
            calls.remove(LOST);
            world.await("without it", () -> !world.engines.get(late).world().isPresent(LOST), BOUND);
            calls.put(late, world.engines.get(late).readmit());
            world.await("ended", () -> calls.values().stream().allMatch(Completion::isDone), BOUND);
            calls.values().forEach((call) -> assertEquals(List.of(), call.await()));
            world.expectWithout(Set.of(LOST));
            world.runAndVerifyAll();
        }
    }

    @Test
    void shouldEndAReadmissionWhenItIsClosed()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            final Completion<List<Integer>> call = world.engines.get(0).readmit();
            world.awaitFor(Duration.ofMillis(50));
            final long beginNs = System.nanoTime();
            world.engines.get(0).close();
            assertTrue(System.nanoTime() - beginNs < BOUND.toNanos());
            assertThrows(CallFailedException.class, call::await);
        }
    }

    @Test
    void shouldReadmitNobodyToAnEngineThatEndsWhenARankIsLost()
    {
        try (SteppingWorld world = world(scenario("fail"), UnaryOperator.identity()))
        {
            Messages.assertRefused(IllegalStateException.class, world.engines.get(0)::readmit,
                "transload.on-peer-failure = mask");
            final InMemoryRendezvous again = replaceLost();
            try (TransportContext context = TransportContext.open(again, registry))
            {
                Messages.assertRefused(ConfigurationException.class, () -> open(scenario("fail").config(
                    fabric.provider().name()), context), "transload.on-peer-failure = mask is required", "rank 1");
            }

            again.close();
        }
    }

    @Test
    void shouldSayThatNobodyReadmitsAProcess()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            world.deaf.add(LOST);
            final InMemoryRendezvous again = replaceLost();
            final Scenario own = scenario("mask");
            own.more += "\ntransload.timeouts.open = 300 ms";
            try (TransportContext context = TransportContext.open(again, registry))
            {
                final RendezvousException told = assertThrows(RendezvousException.class,
                    () -> open(own.config(fabric.provider().name()), context));
                Messages.assertContains(told, "rank 1", "did not readmit it within transload.timeouts.open = 300 ms",
                    "Engine.readmit()");
            }

            again.close();
            // Others may still remember that it asked.
            world.expectWithout(Set.of(LOST));
            readmit(world);
            assertEquals(List.of(), readmit(world));
            world.runAndVerifyAll();
        }
    }

    /** A restarted process may be of another build, or have other settings. */
    @Test
    void shouldGoOnWithoutAProcessThatCannotTakePart()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            world.deaf.add(LOST);
            final InMemoryRendezvous again = replaceLost();
            final Scenario other = scenario("mask");
            other.more += "\ntransload.max-experts = 100";
            try (TransportContext context = TransportContext.open(again, registry))
            {
                final CompletableFuture<Engine> opening = CompletableFuture.supplyAsync(
                    () -> open(other.config(fabric.provider().name()), context));
                world.expectWithout(Set.of(LOST));
                while (!opening.isDone())
                {
                    readmit(world);
                }

                final Throwable told = assertThrows(CompletionException.class, opening::join).getCause();
                Messages.assertContains(told, "max-experts");
            }

            again.close();
            assertEquals(List.of(), readmit(world));
            world.runAndVerifyAll();
        }
    }

    /** Its process has ended, and a new one has joined. */
    private InMemoryRendezvous replaceLost()
    {
        fabric.kill(LOST);
        rendezvous.get(LOST).lose("its process was killed");
        return rendezvous.get(LOST).rejoin();
    }

    /** Until processes that ask are known to all. */
    private static List<Integer> readmitAny(final SteppingWorld world)
    {
        final long beginNs = System.nanoTime();
        List<Integer> readmitted = List.of();
        while (readmitted.isEmpty() && System.nanoTime() - beginNs < BOUND.toNanos())
        {
            readmitted = readmit(world);
        }

        return readmitted;
    }

    private static List<Integer> readmit(final SteppingWorld world)
    {
        final List<Completion<List<Integer>>> calls = world.scenario.world().present().stream()
            .map((rank) -> world.engines.get(rank).readmit()).toList();
        world.await("readmitted", () -> calls.stream().allMatch(Completion::isDone), BOUND);
        final List<List<Integer>> results = calls.stream().map(Completion::await).distinct().toList();
        assertEquals(1, results.size());
        return results.get(0);
    }

    @Test
    void shouldRefuseAContextWithOtherEngines()
    {
        rendezvous.forEach((own) -> contexts.add(TransportContext.open(own, registry)));
        try (SteppingWorld plain = new SteppingWorld(scenario("fail"), fabric, contexts))
        {
            plain.runAndVerifyAll();
            final EngineConfig masking = scenario("mask").config(fabric.provider().name());
            Messages.assertRefused(ConfigurationException.class, () -> open(masking, contexts.get(0)),
                "an engine with transload.on-peer-failure = mask must be the only one of its TransportContext",
                "other open engines");
        }
    }

    @Test
    void shouldRefuseOtherEnginesInItsContext()
    {
        try (SteppingWorld world = world(UnaryOperator.identity()))
        {
            world.runAndVerifyAll();
            for (final String policy : List.of("fail", "mask"))
            {
                final EngineConfig other = scenario(policy).config(fabric.provider().name());
                Messages.assertRefused(
                    ConfigurationException.class, () -> open(other, contexts.get(0)), "must be", "only one");
            }
        }
    }

    private static Engine open(final EngineConfig config, final TransportContext context)
    {
        return Engine.open(config, context, KernelRegistry.of(List.of(new HostRowKernelsProvider())));
    }
}
