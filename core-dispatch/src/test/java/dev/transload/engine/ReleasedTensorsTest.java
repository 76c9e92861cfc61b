/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/**
 * A rank whose call is done has its result, and may write over what it gave, whatever other ranks have yet to do.
 */
class ReleasedTensorsTest
{
    private static final int SEEDS = 100;

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
    }

    private static void awaitEach(
        final SteppingWorld world, final List<? extends Completion<?>> calls, final IntConsumer done)
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
