/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.transload.engine.assembly.KernelRegistry;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.reference.ReferenceCombine;
import dev.transload.reference.ReferenceDispatch;
import dev.transload.reference.Routing;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The engines of a whole world on a stepping fabric, driven by one thread, held to the reference. */
final class SteppingWorld implements AutoCloseable
{
    private static final int MAX_CYCLES = 100_000;
    private static final int STEPS_A_CYCLE = 24;

    final Scenario scenario;
    final WorldData data;
    final SteppingFabric fabric;
    final List<InMemoryRendezvous> rendezvous;
    final List<Engine> engines = new ArrayList<>();
    final List<RankTensors> tensors = new ArrayList<>();
    private final Random random;

    SteppingWorld(final Scenario scenario)
    {
        this(scenario, MemoryKind.HOST.equals(scenario.kind) ? SteppingOptions.host() : SteppingOptions.opaque());
    }

    SteppingWorld(final Scenario scenario, final SteppingOptions options)
    {
        this.scenario = scenario;
        this.data = new WorldData(scenario);
        this.random = new Random(scenario.seed);
        this.fabric = new SteppingFabric(scenario.seed, scenario.ranks(), options);
        this.rendezvous = InMemoryRendezvous.world(scenario.ranks());
        open();
        pumpUntil("ready", () -> engines.stream().allMatch(Engine::isReady));
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            tensors.add(new RankTensors(data, fabric, engines.get(rank), rank));
        }
    }

    private void open()
    {
        final RowKernelsProvider kernels = MemoryKind.HOST.equals(scenario.kind) ?
            new HostRowKernelsProvider() : fabric.kernelsProvider(scenario.kind);
        final TransportRegistry registry = TransportRegistry.of(List.of(fabric.provider()));
        final ExecutorService executor = Executors.newFixedThreadPool(scenario.ranks());
        try
        {
            final List<CompletableFuture<Engine>> opening = new ArrayList<>();
            for (int rank = 0; rank < scenario.ranks(); rank++)
            {
                final InMemoryRendezvous own = rendezvous.get(rank);
                opening.add(CompletableFuture.supplyAsync(() -> Engine.open(
                    scenario.config(SteppingFabric.DEFAULT_NAME), own, registry, KernelRegistry.of(List.of(kernels))),
                    executor));
            }

            opening.forEach((future) -> engines.add(future.join()));
        }
        finally
        {
            executor.shutdown();
        }
    }

    void pumpUntil(final String what, final java.util.function.BooleanSupplier condition)
    {
        for (int cycle = 0; cycle < MAX_CYCLES; cycle++)
        {
            if (condition.getAsBoolean())
            {
                return;
            }

            pump();
        }

        fail("not " + what + " after " + MAX_CYCLES + " cycles; " + scenario);
    }

    private void pump()
    {
        fabric.steps(random.nextInt(STEPS_A_CYCLE));
        for (int i = 0; i < engines.size(); i++)
        {
            if (random.nextInt(3) > 0)
            {
                engines.get(i).doWork();
            }
        }
    }

    List<DispatchResult> dispatch(final List<DispatchHandle> handles)
    {
        final List<Completion<DispatchResult>> calls = new ArrayList<>();
        for (int rank = 0; rank < engines.size(); rank++)
        {
            final RankTensors own = tensors.get(rank);
            final DispatchRequest request =
                scenario.isFp8 ? DispatchRequest.of(own.x, own.scales) : DispatchRequest.of(own.x);
            if (null == handles)
            {
                request.topk(own.idx, own.weights, scenario.experts)
                    .layout(scenario.layout).expertAlignment(scenario.alignment);
            }
            else
            {
                request.cached(handles.get(rank), own.weights);
            }

            calls.add(engines.get(rank).dispatch(request));
        }

        pumpUntil("dispatched", () -> calls.stream().allMatch(Completion::isDone));
        final List<DispatchResult> results = new ArrayList<>();
        calls.forEach((call) -> results.add(call.await()));
        return results;
    }

    void verifyDispatch(final List<DispatchResult> results)
    {
        for (int rank = 0; rank < results.size(); rank++)
        {
            final String where = "rank " + rank + " of " + scenario;
            final ReferenceDispatch expected = expected(rank);
            final DispatchResult result = results.get(rank);
            assertEquals(expected.rows(), result.rows(), where);
            assertArrayEquals(expected.rowsPerExpert(), result.rowsPerExpert(), where);
            assertArrayEquals(expected.rankPrefixSum(), result.rankPrefixSum(), where);
            final RankTensors own = tensors.get(rank);
            final int rows = result.rows();
            assertArrayEquals(
                expected.srcTokenIdx(), own.ints(result.output().srcTokenIdx(), rows), where);
            assertArrayEquals(expected.topkIdx(), own.longs(result.output().topkIdx(), rows * expected.topk()), where);
            assertArrayEquals(
                expected.topkWeights(), own.floats(result.output().topkWeights(), rows * expected.topk()), where);
            if (scenario.isFp8)
            {
                assertArrayEquals(
                    expected.gather(data.q, scenario.hidden), own.payload(result.output().x(), rows), where);
                assertArrayEquals(expected.gather(data.scales, scenario.hidden / 128),
                    RankTensors.toFloats(own.payload(result.output().xScales(), rows)), where);
            }
            else
            {
                assertArrayEquals(expected.gather(data.x, scenario.hidden),
                    RankTensors.toShorts(own.payload(result.output().x(), rows)), where);
            }
        }
    }

    ReferenceDispatch expected(final int rank)
    {
        return OutputLayout.EXPERT_MAJOR == scenario.layout ?
            data.reference.expertMajor(rank, scenario.alignment) :
            data.reference.rankMajor(rank, scenario.alignment);
    }

    void combineAndVerify(final List<DispatchResult> results)
    {
        final List<Completion<CombineResult>> calls = new ArrayList<>();
        for (int rank = 0; rank < engines.size(); rank++)
        {
            final RankTensors own = tensors.get(rank);
            final CombineRequest request = CombineRequest.of(
                results.get(rank).handle(), own.answers(expected(rank), scenario.layout));
            if (scenario.isWeighted)
            {
                request.topkWeights(results.get(rank).output().topkWeights());
            }

            request.biases(scenario.biases > 0 ? own.bias0 : null, scenario.biases > 1 ? own.bias1 : null);
            calls.add(engines.get(rank).combine(request));
        }

        pumpUntil("combined", () -> calls.stream().allMatch(Completion::isDone));
        for (int rank = 0; rank < engines.size(); rank++)
        {
            verifyCombined(rank, calls.get(rank).await());
        }
    }

    private void verifyCombined(final int rank, final CombineResult result)
    {
        final String where = "combined on rank " + rank + " of " + scenario;
        final ReferenceCombine reference =
            new ReferenceCombine(data.reference, scenario.hidden, scenario.isWireF32);
        final ReferenceCombine.Answers answers = OutputLayout.EXPERT_MAJOR == scenario.layout ?
            reference.summingExperts(rank, (from, token, k, into) ->
            System.arraycopy(data.answer(from, rank, token, k), 0, into, 0, into.length)) :
            (from, token, into) -> System.arraycopy(data.answer(from, rank, token, 0), 0, into, 0, into.length);
        final short[] expected = reference.rows(rank, answers,
            scenario.biases > 0 ? data.bias0[rank] : null, scenario.biases > 1 ? data.bias1[rank] : null);
        final RankTensors own = tensors.get(rank);
        assertArrayEquals(
            expected, RankTensors.toShorts(own.payload(result.x(), scenario.tokens[rank])), where);
        if (scenario.isWeighted)
        {
            final Routing routing = data.routings.get(rank);
            final float[] weights = reference.weights(rank, (from, token, k) ->
                data.reference.isOn(rank, token, k, from) ? routing.weight(token, k) : 0f);
            assertArrayEquals(
                weights, own.floats(result.topkWeights(), scenario.tokens[rank] * scenario.topk), where);
        }
    }

    @Override
    public void close()
    {
        engines.forEach(Engine::close);
    }
}
