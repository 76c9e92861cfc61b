/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.loopback.InterceptedKernels;
import dev.transload.engine.loopback.LoopbackKernelsProvider;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.engine.loopback.MeteredKernels;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.lang.reflect.Method;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Combines with one handle, again and again: where rows are read in place their sums stay with it, whatever moves. */
class RepeatedCombineTest
{
    private static final int SEEDS = 120;
    private static final int WARM_UP = 60;
    private static final int MEASURED = 100;
    private static final int WINDOWS = 4;
    private static final int REFUSAL_INTERVAL = 7;

    private static Scenario random(final long seed, final MemoryKind kind)
    {
        final Random random = new Random(new SplittableRandom(seed).nextLong());
        final Scenario scenario = Scenario.random(seed, kind);
        scenario.nodes = 1;
        scenario.ranksPerNode = 1 + random.nextInt(4);
        scenario.experts = scenario.ranksPerNode * 3;
        scenario.topk = 1 + random.nextInt(3);
        scenario.tokens = new int[scenario.ranksPerNode];
        Arrays.setAll(scenario.tokens, (rank) -> random.nextInt(4) == 0 ? 0 : random.nextInt(14));
        return scenario;
    }

    @ParameterizedTest
    @ValueSource(strings = {"HOST", "OPAQUE"})
    void shouldAgreeWithTheReferenceWhateverMoves(final String kind)
    {
        for (long seed = 1; seed <= SEEDS; seed++)
        {
            final MemoryKind rows = "HOST".equals(kind) ? MemoryKind.HOST : SteppingOptions.OPAQUE;
            try (SteppingWorld world = new SteppingWorld(random(seed, rows)))
            {
                combineAgainAndAgain(world);
            }
        }
    }

    private static void combineAgainAndAgain(final EngineWorld world)
    {
        final List<DispatchResult> results = world.dispatch(null);
        world.verifyDispatch(results);
        for (int i = 0; i < 4; i++)
        {
            world.combineAndVerify(results);
        }

        final List<CombineRequest> moved = new ArrayList<>();
        for (int rank = 0; rank < results.size(); rank++)
        {
            final CombineRequest request = world.combineRequest(rank, results.get(rank));
            final RankTensors own = world.tensors.get(rank);
            final UnaryOperator<Tensor> elsewhere = (tensor) -> null == tensor ? null : own.elsewhere(tensor);
            final CombineRequest other =
                CombineRequest.of(request.handle(), own.elsewhere(request.x())).topkWeights(request.topkWeights());
            moved.add(0 == rank % 2 ?
                other.biases(elsewhere.apply(request.bias0()), elsewhere.apply(request.bias1())) :
                other.biases(request.bias0(), request.bias1()).output(own.elsewhere(own.bias0), null));
        }

        for (int i = 0; i < 3; i++)
        {
            combineAndVerify(world, moved, null);
        }

        world.combineAndVerify(results);
        combineWithOtherBiases(world, results);
        final List<DispatchHandle> handles = results.stream().map(DispatchResult::handle).toList();
        world.verifyRepeated(world.dispatch(handles));
        world.combineAndVerify(results);
        handles.forEach(DispatchHandle::close);
        final List<DispatchResult> others = world.dispatch(null);
        world.combineAndVerify(others);
        world.combineAndVerify(others);
    }

    private static void combineWithOtherBiases(final EngineWorld world, final List<DispatchResult> results)
    {
        final int biases = world.scenario.biases;
        for (world.scenario.biases = 0; world.scenario.biases < 3; world.scenario.biases++)
        {
            final ExpectedResults expected = new ExpectedResults(world.data);
            for (int i = 0; i < 2; i++)
            {
                combineAndVerify(world, requests(world, results), expected);
            }
        }

        world.scenario.biases = biases;
    }

    private static List<CombineRequest> requests(final EngineWorld world, final List<DispatchResult> results)
    {
        final List<CombineRequest> requests = new ArrayList<>();
        for (int rank = 0; rank < results.size(); rank++)
        {
            requests.add(world.combineRequest(rank, results.get(rank)));
        }

        return requests;
    }

    /** Against what is expected of the scenario unless told otherwise. */
    private static void combineAndVerify(
        final EngineWorld world, final List<CombineRequest> requests, final ExpectedResults expected)
    {
        final List<Completion<CombineResult>> calls = new ArrayList<>();
        for (int rank = 0; rank < requests.size(); rank++)
        {
            calls.add(world.engines.get(rank).combine(requests.get(rank)));
        }

        world.await("combined", () -> calls.stream().allMatch(Completion::isDone));
        for (int rank = 0; rank < calls.size(); rank++)
        {
            final CombineResult result = calls.get(rank).await();
            if (null == expected)
            {
                world.verifyCombined(rank, result);
            }
            else
            {
                assertArrayEquals(expected.combined(rank), RankTensors.toShorts(
                    world.tensors.get(rank).payload(result.x(), world.scenario.tokens[rank])));
            }
        }
    }

    private static Scenario twoRanks(final MemoryKind kind)
    {
        final Scenario scenario = new Scenario(7);
        scenario.nodes = 1;
        scenario.tokens = new int[]{300, 190};
        scenario.channels = 1;
        scenario.topk = 3;
        scenario.missing = 0;
        scenario.kind = kind;
        return scenario;
    }

    /**
     * Each part of the first combine is submitted when it is written; later ones find all of the table. Where the
     * forward table says the same, the first one, too.
     */
    @ParameterizedTest
    @CsvSource({"1, 0, 5", "0, 0, 2", "0, 0.9, 5"})
    void shouldWriteSumsOnce(final int biases, final double missing, final long first)
    {
        final Scenario scenario = twoRanks(LoopbackNetwork.DEVICE);
        scenario.biases = biases;
        scenario.missing = missing;
        final MeteredKernels kernels = new MeteredKernels(new LoopbackKernelsProvider());
        final LoopbackNetwork network = new LoopbackNetwork(
            LoopbackNetwork.NAME, Set.of(MemoryKind.HOST, LoopbackNetwork.DEVICE), 0);
        try (LoopbackWorld world = new LoopbackWorld(scenario, network, kernels))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final List<Long> parts = new ArrayList<>();
            for (int i = 0; i < 4; i++)
            {
                final long before = kernels.reductionsToTheEnd();
                world.combineAndVerify(results);
                parts.add(kernels.reductionsToTheEnd() - before);
            }

            // Rank 0: 64 + 128 + 108 tokens, rank 1: 64 + 126; then only the last of each reaches the end.
            assertEquals(List.of(first, 2L, 2L, 2L), parts);
        }
    }

    /** One launch for each rank; four where a rank of 1300 tokens adds up weights beside them. */
    @ParameterizedTest
    @CsvSource({"false, 2", "true, 4"})
    void shouldSumByFewLaunchesWhatTheForwardTableSays(final boolean isWeighted, final long launches)
    {
        final Scenario scenario = twoRanks(LoopbackNetwork.DEVICE);
        scenario.tokens = new int[]{1300, 190};
        scenario.isWeighted = isWeighted;
        final MeteredKernels kernels = new MeteredKernels(new LoopbackKernelsProvider());
        final LoopbackNetwork network = new LoopbackNetwork(
            LoopbackNetwork.NAME, Set.of(MemoryKind.HOST, LoopbackNetwork.DEVICE), 0);
        try (LoopbackWorld world = new LoopbackWorld(scenario, network, kernels))
        {
            final List<DispatchResult> results = world.dispatch(null);
            for (int i = 0; i < 2; i++)
            {
                final long before = kernels.reductions();
                world.combineAndVerify(results);
                assertEquals(launches, kernels.reductions() - before);
            }
        }
    }

    /** A device sums rows while the CPU adds up their weights. */
    @ParameterizedTest
    @CsvSource({"1, 0", "1, 0.5", "2, 0"})
    void shouldSubmitSumsBeforeTheirWeights(final int nodes, final double missing)
    {
        final Scenario scenario = twoRanks(LoopbackNetwork.DEVICE);
        scenario.nodes = nodes;
        scenario.ranksPerNode = 2 / nodes;
        scenario.tokens = new int[]{300, 0};
        scenario.missing = missing;
        final AtomicReference<FloatBuffer> weights = new AtomicReference<>();
        final AtomicInteger sums = new AtomicInteger();
        final AtomicInteger late = new AtomicInteger();
        final LoopbackNetwork network = new LoopbackNetwork(
            LoopbackNetwork.NAME, Set.of(MemoryKind.HOST, LoopbackNetwork.DEVICE), 0);
        try (LoopbackWorld world = new LoopbackWorld(scenario, network,
            new InterceptedKernels(new LoopbackKernelsProvider())
            {
                @Override
                protected Object answer(final RowKernels kernels, final Method method, final Object[] arguments)
                    throws Throwable
                {
                    if ("reduceRows".equals(method.getName()) && isHome((Reduction)arguments[0]))
                    {
                        final int token = ((RowTable)arguments[1]).row((int)arguments[2]);
                        sums.incrementAndGet();
                        late.addAndGet(Float.isNaN(weights.get().get(token * scenario.topk)) ? 0 : 1);
                    }

                    return super.answer(kernels, method, arguments);
                }

                /** Of rank 0: partial sums of another node go to a ring. */
                private boolean isHome(final Reduction reduction)
                {
                    return 1 == nodes || reduction.sourceRegions() > 1;
                }
            }))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final Engine engine = world.engines.get(0);
            final Tensor output = new Tensor(engine.allocateHost(300L * scenario.topk * Float.BYTES), 0, DataType.F32,
                300, scenario.topk);
            final Tensor rows = new Tensor(engine.allocatePayload(600L * scenario.hidden), 0, DataType.BF16, 300,
                scenario.hidden);
            weights.set(output.view().order(ByteOrder.nativeOrder()).asFloatBuffer());
            for (int i = 0; i < 2; i++)
            {
                for (int weight = 0; weight < weights.get().capacity(); weight++)
                {
                    weights.get().put(weight, Float.NaN);
                }

                final List<CombineRequest> requests = requests(world, results);
                requests.get(0).output(rows, output);
                combineAndVerify(world, requests, null);
            }

            assertTrue(sums.get() >= 2, sums + " sums");
            assertEquals(0, late.get(), "sums that waited for weights");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAllocateNothingOnceSumsAreWritten(final boolean isOnDevice)
    {
        final Scenario scenario = twoRanks(MemoryKind.HOST);
        scenario.channels = 3;
        try (LoopbackWorld world =
            new LoopbackWorld(scenario.staged(isOnDevice, LoopbackNetwork.DEVICE), REFUSAL_INTERVAL))
        {
            final ReusedOutputs outputs = new ReusedOutputs(world);
            final List<DispatchResult> results = outputs.dispatch(null);
            iterate(outputs, results, WARM_UP);
            long least = Long.MAX_VALUE;
            for (int window = 0; window < WINDOWS && least > 0; window++)
            {
                final long before = world.dutyCycleBytes;
                iterate(outputs, results, MEASURED);
                least = Math.min(least, world.dutyCycleBytes - before);
            }

            assertEquals(0, least, "bytes that duty cycles allocated in " + MEASURED + " combines");
        }
    }

    private static void iterate(final ReusedOutputs outputs, final List<DispatchResult> results, final int iterations)
    {
        for (int i = 0; i < iterations; i++)
        {
            outputs.combine(results, 0 == i);
        }
    }
}
