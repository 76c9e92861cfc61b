/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.ArrayList;
import java.util.List;

/** Calls of all ranks of a world into output memory that is brought once, of the size that is needed. */
final class ReusedOutputs
{
    private final EngineWorld world;
    private final List<DispatchOutput> outputs = new ArrayList<>();
    private final List<CombineResult> combined = new ArrayList<>();

    ReusedOutputs(final EngineWorld world)
    {
        this.world = world;
        final Scenario scenario = world.scenario;
        final List<DispatchResult> first = world.dispatch(null);
        for (int rank = 0; rank < first.size(); rank++)
        {
            final Engine engine = world.engines.get(rank);
            outputs.add(first.get(rank).output());
            combined.add(new CombineResult(
                tensor(engine, DataType.BF16, scenario.tokens[rank], scenario.hidden),
                tensor(engine, DataType.F32, scenario.tokens[rank], scenario.topk), 0));
            first.get(rank).handle().close();
        }
    }

    private static Tensor tensor(final Engine engine, final DataType type, final int rows, final int columns)
    {
        final long bytes = (long)rows * columns * type.bytes();
        return new Tensor(DataType.BF16 == type ? engine.allocatePayload(bytes) : engine.allocateHost(bytes), 0, type,
            rows, columns);
    }

    List<DispatchResult> dispatch(final List<DispatchHandle> handles)
    {
        final List<Completion<DispatchResult>> calls = new ArrayList<>();
        for (int rank = 0; rank < outputs.size(); rank++)
        {
            calls.add(world.engines.get(rank).dispatch(
                world.dispatchRequest(rank, null == handles ? null : handles.get(rank)).output(outputs.get(rank))));
        }

        world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
        return calls.stream().map(Completion::await).toList();
    }

    /** Once more: the metadata that the dispatch before delivered stays. */
    void repeat(final List<DispatchResult> results, final boolean isVerified)
    {
        final List<DispatchResult> repeated = world.repeat(results, outputs, false);
        if (isVerified)
        {
            world.verifyDispatch(repeated);
        }
    }

    void combine(final List<DispatchResult> results, final boolean isVerified)
    {
        final List<Completion<CombineResult>> calls = new ArrayList<>();
        for (int rank = 0; rank < outputs.size(); rank++)
        {
            final CombineResult into = combined.get(rank);
            calls.add(world.engines.get(rank).combine(
                world.combineRequest(rank, results.get(rank)).output(into.x(), into.topkWeights())));
        }

        world.await("combined", () -> calls.stream().allMatch(Completion::isDone));
        for (int rank = 0; rank < calls.size(); rank++)
        {
            final CombineResult result = calls.get(rank).await();
            if (isVerified)
            {
                world.verifyCombined(rank, result);
            }
        }
    }
}
