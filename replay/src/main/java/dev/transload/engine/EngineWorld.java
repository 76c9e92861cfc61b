/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernelsProvider;
import dev.transload.reference.ReferenceDispatch;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The engines of a whole world in one JVM, held to the reference. */
abstract class EngineWorld implements AutoCloseable
{
    final Scenario scenario;
    WorldData data;
    final List<InMemoryRendezvous> rendezvous;
    /** By rank, null for absent ones; as all that follows. */
    final List<Engine> engines = new ArrayList<>();
    final List<RankTensors> tensors = new ArrayList<>();
    private ExpectedResults expected;
    /** By rank, over which others may open engines too; null where each engine has transports of its own. */
    private final List<TransportContext> contexts;

    EngineWorld(final Scenario scenario)
    {
        this(scenario, null);
    }

    EngineWorld(final Scenario scenario, final List<TransportContext> contexts)
    {
        this.scenario = scenario;
        this.contexts = contexts;
        this.data = new WorldData(scenario);
        this.rendezvous =
            null == contexts ? new ArrayList<>(InMemoryRendezvous.world(scenario.ranks())) : List.of();
        this.expected = new ExpectedResults(data);
    }

    /** Opens all engines side by side, since opening is collective. */
    final void open(final TransportProvider provider, final RowKernelsProvider kernels)
    {
        open(provider, provider, kernels);
    }

    /** As above, with a transport for each stage. */
    final void open(final TransportProvider scaleOut, final TransportProvider scaleUp, final RowKernelsProvider kernels)
    {
        final TransportRegistry registry = registry(scaleOut, scaleUp);
        final KernelRegistry kernelRegistry = KernelRegistry.of(List.of(kernels));
        final ExecutorService executor = Executors.newFixedThreadPool(scenario.ranks());
        try
        {
            final List<CompletableFuture<Engine>> opening = new ArrayList<>();
            for (int rank = 0; rank < scenario.ranks(); rank++)
            {
                final int own = rank;
                final EngineConfig config = scenario.config(scaleOut.name(), scaleUp.name(), rank);
                opening.add(CompletableFuture.supplyAsync(() -> isAbsent(own) ? null : null == contexts ?
                    Engine.open(config, rendezvous.get(own), registry, kernelRegistry) :
                    Engine.open(config, contexts.get(own), kernelRegistry), executor));
            }

            opening.forEach((future) -> engines.add(future.join()));
        }
        finally
        {
            executor.shutdown();
        }
    }

    /** As above, in an order that is always the same: what the transports make of it follows from their seed alone. */
    final void openInOrder(
        final TransportProvider scaleOut, final TransportProvider scaleUp, final RowKernelsProvider kernels)
    {
        final TransportRegistry registry = registry(scaleOut, scaleUp);
        final KernelRegistry kernelRegistry = KernelRegistry.of(List.of(kernels));
        engines.addAll(OrderedOpening.open(rendezvous, (own) -> isAbsent(own.rank()) ? null : Engine.open(
            scenario.config(scaleOut.name(), scaleUp.name(), own.rank()), own, registry, kernelRegistry)));
    }

    /** From now on, results are held to what a world without these ranks gives. */
    final void expectWithout(final Set<Integer> absent)
    {
        scenario.absent = absent;
        data = new WorldData(scenario);
        expected = new ExpectedResults(data);
    }

    /** From now on, a rank answers to the rows that it gets now. */
    final void answer(final int rank)
    {
        tensors.get(rank).answer(expected.dispatch(rank), scenario);
    }

    /** Whether a rank takes no part. */
    final boolean isAbsent(final int rank)
    {
        return scenario.absent.contains(rank);
    }

    final Stream<Engine> present()
    {
        return engines.stream().filter(Objects::nonNull);
    }

    /** Something by rank, null for absent ones. */
    private <T> List<T> byRank(final IntFunction<T> each)
    {
        return IntStream.range(0, engines.size()).mapToObj((rank) -> isAbsent(rank) ? null : each.apply(rank)).toList();
    }

    /** Has all calls end, and gives their results by rank. */
    private <T> List<T> results(final String what, final List<Completion<T>> calls)
    {
        await(what, () -> calls.stream().filter(Objects::nonNull).allMatch(Completion::isDone));
        return byRank((rank) -> calls.get(rank).await());
    }

    static TransportRegistry registry(final TransportProvider scaleOut, final TransportProvider scaleUp)
    {
        return TransportRegistry.of(scaleOut == scaleUp ? List.of(scaleUp) : List.of(scaleOut, scaleUp));
    }

    /** Closes all engines side by side, since closing is collective where they have threads. */
    final void closeTogether()
    {
        final ExecutorService executor = Executors.newFixedThreadPool(scenario.ranks());
        try
        {
            present().map((engine) -> CompletableFuture.runAsync(engine::close, executor)).toList()
                .forEach(CompletableFuture::join);
        }
        finally
        {
            executor.shutdown();
            rendezvous.forEach(InMemoryRendezvous::close);
        }
    }

    @Override
    public abstract void close();

    /** Has time pass until a condition holds; fails when it does not come to hold. */
    abstract void await(String what, BooleanSupplier condition);

    DispatchRequest dispatchRequest(final int rank, final DispatchHandle handle)
    {
        final RankTensors own = tensors.get(rank);
        final DispatchRequest request =
            scenario.isFp8 ? DispatchRequest.of(own.x, own.scales) : DispatchRequest.of(own.x);
        if (scenario.isTopkOnDevice)
        {
            request.allocator(own::output);
        }

        return null != handle ? request.cached(handle) :
            request.topk(own.idx, own.weights, scenario.experts)
            .layout(scenario.layout).expertAlignment(scenario.alignment);
    }

    /** Dispatches on all ranks; with handles, cached. */
    List<DispatchResult> dispatch(final List<DispatchHandle> handles)
    {
        return results("dispatched", byRank((rank) ->
            engines.get(rank).dispatch(dispatchRequest(rank, null == handles ? null : handles.get(rank)))));
    }

    /** Repeats a dispatch into given outputs or new ones; rows come from either place. */
    List<DispatchResult> repeat(
        final List<DispatchResult> results, final List<DispatchOutput> outputs, final boolean isElsewhere)
    {
        return results("repeated", byRank((rank) ->
        {
            final RankTensors own = tensors.get(rank);
            final Tensor x = isElsewhere ? own.otherX : own.x;
            final DispatchRequest request = scenario.isFp8 ?
                DispatchRequest.of(x, isElsewhere ? own.otherScales : own.scales) : DispatchRequest.of(x);
            return engines.get(rank).dispatch(request.cached(results.get(rank).handle())
                .output(null == outputs ? null : outputs.get(rank)));
        }));
    }

    /** Outputs of the sizes of given ones, with room for metadata, that hold what no call delivers. */
    List<DispatchOutput> spoiltOutputs(final List<DispatchResult> results)
    {
        final DataType type = scenario.isFp8 ? DataType.F8_E4M3 : DataType.BF16;
        final int topk = OutputLayout.EXPERT_MAJOR == scenario.layout ? 1 : scenario.topk;
        final List<DispatchOutput> outputs = byRank((rank) -> tensors.get(rank)
            .output(new OutputShape(results.get(rank).rows(), scenario.hidden, type, topk)));
        spoil(outputs);
        return outputs;
    }

    /** Rows and scales alone: outputs of the engine have no metadata, that of spoilt ones is spoilt as before. */
    void verifyRepeated(final List<DispatchResult> results)
    {
        verifyRows(results);
        for (final int rank : scenario.world().present())
        {
            final DispatchOutput output = results.get(rank).output();
            for (final Tensor metadata : new Tensor[]{output.topkIdx(), output.topkWeights(), output.srcTokenIdx()})
            {
                assertTrue(null == metadata || tensors.get(rank).isSpoilt(metadata), "metadata of " + scenario);
            }
        }
    }

    void spoil(final List<DispatchOutput> outputs)
    {
        for (final int rank : scenario.world().present())
        {
            tensors.get(rank).spoil(outputs.get(rank));
        }
    }

    void verifyDispatch(final List<DispatchResult> results)
    {
        verifyDispatch(results, true);
    }

    /** Of ranks that brought weights, or of ranks that did not. */
    void verifyDispatch(final List<DispatchResult> results, final boolean hasWeights)
    {
        for (final int rank : scenario.world().present())
        {
            verifyDispatch(rank, results.get(rank), hasWeights);
        }
    }

    void verifyDispatch(final int rank, final DispatchResult result)
    {
        verifyDispatch(rank, result, true);
    }

    private void verifyDispatch(final int rank, final DispatchResult result, final boolean hasWeights)
    {
        final Supplier<String> where = () -> "rank " + rank + " of " + scenario;
        verifyRows(rank, result, where);
        final ReferenceDispatch wanted = expected.dispatch(rank);
        final RankTensors own = tensors.get(rank);
        final DispatchOutput output = result.output();
        final int rows = result.rows();
        assertArrayEquals(wanted.srcTokenIdx(), own.ints(output.srcTokenIdx(), rows), where);
        assertArrayEquals(wanted.topkIdx(), own.longs(output.topkIdx(), rows * wanted.topk()), where);
        assertArrayEquals(hasWeights ? wanted.topkWeights() : new float[rows * wanted.topk()],
            own.floats(output.topkWeights(), rows * wanted.topk()), where);
    }

    /** Counts, rows and scales, whatever the metadata is. */
    void verifyRows(final List<DispatchResult> results)
    {
        for (final int rank : scenario.world().present())
        {
            verifyRows(rank, results.get(rank));
        }
    }

    void verifyRows(final int rank, final DispatchResult result)
    {
        verifyRows(rank, result, () -> "rank " + rank + " of " + scenario);
    }

    private void verifyRows(final int rank, final DispatchResult result, final Supplier<String> where)
    {
        final ReferenceDispatch wanted = expected.dispatch(rank);
        assertEquals(wanted.rows(), result.rows(), where);
        assertEquals(data.leftOut(rank), result.leftOut(), where);
        assertArrayEquals(wanted.rowsPerExpert(), result.rowsPerExpert(), where);
        assertArrayEquals(wanted.rankPrefixSum(), result.rankPrefixSum(), where);
        final RankTensors own = tensors.get(rank);
        final DispatchOutput output = result.output();
        final int rows = result.rows();
        if (scenario.isFp8)
        {
            assertArrayEquals(wanted.gather(data.q, scenario.hidden), own.payload(output.x(), rows), where);
            assertArrayEquals(wanted.gather(data.scales, scenario.hidden / 128),
                RankTensors.toFloats(own.payload(output.xScales(), rows)), where);
        }
        else
        {
            assertArrayEquals(wanted.gather(data.x, scenario.hidden),
                RankTensors.toShorts(own.payload(output.x(), rows)), where);
        }
    }

    CombineRequest combineRequest(final int rank, final DispatchResult result)
    {
        final RankTensors own = tensors.get(rank);
        final CombineRequest request =
            CombineRequest.of(result.handle(), own.answers(expected.dispatch(rank), scenario.layout));
        if (scenario.isWeighted)
        {
            request.topkWeights(scenario.hasOwnWeights ?
                own.answerWeights(expected.dispatch(rank), scenario.layout) : result.output().topkWeights());
        }

        if (scenario.isTopkOnDevice)
        {
            request.output(own.empty(DataType.BF16, scenario.tokens[rank], scenario.hidden),
                scenario.isWeighted ? own.topk(DataType.F32, scenario.tokens[rank], scenario.topk) : null);
        }

        return request.biases(scenario.biases > 0 ? own.bias0 : null, scenario.biases > 1 ? own.bias1 : null);
    }

    /** Combines on all ranks. */
    List<CombineResult> combine(final List<DispatchResult> results)
    {
        return results("combined",
            byRank((rank) -> engines.get(rank).combine(combineRequest(rank, results.get(rank)))));
    }

    void combineAndVerify(final List<DispatchResult> results)
    {
        final List<CombineResult> combined = combine(results);
        for (final int rank : scenario.world().present())
        {
            verifyCombined(rank, combined.get(rank));
        }
    }

    void verifyCombined(final int rank, final CombineResult result)
    {
        final Supplier<String> where = () -> "combined on rank " + rank + " of " + scenario;
        final RankTensors own = tensors.get(rank);
        assertArrayEquals(expected.combined(rank),
            RankTensors.toShorts(own.payload(result.x(), scenario.tokens[rank])), where);
        if (scenario.isWeighted)
        {
            assertArrayEquals(expected.combinedWeights(rank),
                own.floats(result.topkWeights(), scenario.tokens[rank] * scenario.topk), where);
        }
    }

    /** Dispatch and combine, then both again with the handles of the first, all held to the reference. */
    List<DispatchResult> runAndVerifyAll()
    {
        final List<DispatchResult> results = dispatch(null);
        verifyDispatch(results);
        combineAndVerify(results);
        verifyRepeated(dispatch(byRank((rank) -> results.get(rank).handle())));
        // With the weights that the first dispatch delivered.
        combineAndVerify(results);
        return results;
    }

    /** Dispatch and combine in turn, all held to the reference. */
    void runAndVerifyIterations(final int iterations, final boolean isCached)
    {
        List<DispatchResult> results = List.of();
        for (int iteration = 0; iteration < iterations; iteration++)
        {
            if (0 < iteration && isCached)
            {
                final List<DispatchResult> first = results;
                verifyRepeated(dispatch(byRank((rank) -> first.get(rank).handle())));
            }
            else
            {
                results.stream().filter(Objects::nonNull).forEach((result) -> result.handle().close());
                results = dispatch(null);
                verifyDispatch(results);
            }

            combineAndVerify(results);
        }
    }

    /** And again among other calls, with other tensors, into outputs of the engine and of the caller. */
    void runAndVerifyRepeated()
    {
        final List<DispatchResult> results = runAndVerifyAll();
        verifyRepeated(repeat(results, null, false));
        final List<DispatchOutput> outputs = spoiltOutputs(results);
        verifyRepeated(repeat(results, outputs, false));
        combineAndVerify(results);
        spoil(outputs);
        verifyRepeated(repeat(results, outputs, true));
        final List<DispatchOutput> shifted =
            byRank((rank) -> tensors.get(rank).elsewhere(outputs.get(rank)));
        spoil(shifted);
        verifyRepeated(repeat(results, shifted, true));
        final List<DispatchResult> others = dispatch(null);
        verifyDispatch(others);
        spoil(outputs);
        verifyRepeated(repeat(results, outputs, true));
        combineAndVerify(others);
        spoil(outputs);
        verifyRepeated(repeat(others, outputs, true));
        combineAndVerify(results);
    }
}
