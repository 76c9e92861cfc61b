/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.loopback.LoopbackKernelsProvider;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.engine.loopback.SlowKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A rank whose call is done has its result, and may write over what it gave, whatever other ranks have yet to do.
 */
class ReleasedTensorsTest
{
    private static final int SEEDS = 40;
    private static final int CYCLES_AN_OPERATION = 50;

    @Test
    void shouldNeedNoTensorOfACallThatIsDone()
    {
        for (long seed = 1; seed <= SEEDS; seed++)
        {
            runOnHost(seed);
            runOnDevice(seed);
        }
    }

    private static void runOnHost(final long seed)
    {
        run(Scenario.random(seed, MemoryKind.HOST));
    }

    private static void runOnDevice(final long seed)
    {
        run(0 == seed % 4 ? Scenario.randomStaged(seed, SteppingOptions.OPAQUE) :
            Scenario.random(seed, SteppingOptions.OPAQUE));
    }

    private static void run(final Scenario scenario)
    {
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            run(world);
        }
    }

    /** Rings are no longer than they must be, and row kernels read them long after they were told to. */
    @ParameterizedTest
    @CsvSource({"1, 3, ring, RANK_MAJOR", "1, 2, direct, EXPERT_MAJOR", "2, 2, ring, RANK_MAJOR",
        "2, 2, ring, EXPERT_MAJOR", "2, 2, mixed, RANK_MAJOR", "2, 2, direct, RANK_MAJOR", "3, 1, direct, RANK_MAJOR"})
    void shouldKeepWhatSlowRowKernelsAreToRead(
        final int nodes, final int ranks, final String placement, final OutputLayout layout)
    {
        runSlowly(nodes, ranks, placement, layout, "auto");
    }

    /** Tables are written part by part; a part has one row or two. */
    @ParameterizedTest
    @CsvSource({"1, 2, direct, RANK_MAJOR", "1, 3, direct, RANK_MAJOR", "1, 2, direct, EXPERT_MAJOR",
        "2, 2, ring, RANK_MAJOR", "2, 2, direct, RANK_MAJOR", "2, 2, mixed, EXPERT_MAJOR"})
    void shouldKeepPartsOfTablesThatSlowRowKernelsAreToRead(
        final int nodes, final int ranks, final String placement, final OutputLayout layout)
    {
        runSlowly(nodes, ranks, placement, layout, "1 KiB");
    }

    private static void runSlowly(
        final int nodes, final int ranks, final String placement, final OutputLayout layout, final String tables)
    {
        final Scenario scenario = new Scenario(17);
        scenario.tableMemory = tables;
        scenario.nodes = nodes;
        scenario.ranksPerNode = ranks;
        scenario.placement = placement;
        scenario.layout = layout;
        scenario.channels = 1;
        scenario.tokens = new int[nodes * ranks];
        Arrays.setAll(scenario.tokens, (rank) -> 12 + 5 * rank);
        scenario.experts = 2 * scenario.ranks();
        scenario.topk = 3;
        scenario.missing = 0.1;
        scenario.hasOwnWeights = true;
        scenario.kind = LoopbackNetwork.DEVICE;
        scenario.outRing = scenario.outChunk + scenario.outBatch - 1;
        scenario.upRing = scenario.upChunk + scenario.upBatch - 1;
        final LoopbackNetwork network =
            new LoopbackNetwork(LoopbackNetwork.NAME, Set.of(MemoryKind.HOST, LoopbackNetwork.DEVICE), 0);
        try (LoopbackWorld world = new LoopbackWorld(
            scenario, network, new SlowKernels(new LoopbackKernelsProvider(), CYCLES_AN_OPERATION)))
        {
            run(world);
        }
    }

    private static void run(final EngineWorld world)
    {
        final Scenario scenario = world.scenario;
        final List<Completion<DispatchResult>> dispatches = new ArrayList<>();
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            dispatches.add(world.engines.get(rank).dispatch(world.dispatchRequest(rank, null)));
        }

        awaitEach(world, dispatches, (rank) ->
        {
            world.verifyDispatch(rank, dispatches.get(rank).await());
            spoil(world.tensors.get(rank), world.tensors.get(rank).x);
        });

        final List<CombineRequest> requests = new ArrayList<>();
        final List<Completion<CombineResult>> combines = new ArrayList<>();
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            requests.add(world.combineRequest(rank, dispatches.get(rank).await()));
            combines.add(world.engines.get(rank).combine(requests.get(rank)));
        }

        awaitEach(world, combines, (rank) ->
        {
            world.verifyCombined(rank, combines.get(rank).await());
            spoil(world.tensors.get(rank), requests.get(rank).x());
        });
    }

    private static void awaitEach(
        final EngineWorld world, final List<? extends Completion<?>> calls, final IntConsumer done)
    {
        final Set<Integer> seen = new HashSet<>();
        world.await("done", () ->
        {
            for (int rank = 0; rank < calls.size(); rank++)
            {
                if (calls.get(rank).isDone() && seen.add(rank))
                {
                    done.accept(rank);
                }
            }

            return seen.size() == calls.size();
        });
    }

    private static void spoil(final RankTensors own, final Tensor tensor)
    {
        final byte[] bytes = new byte[(int)tensor.bytes()];
        Arrays.fill(bytes, (byte)0x55);
        own.write(tensor, bytes);
    }
}
