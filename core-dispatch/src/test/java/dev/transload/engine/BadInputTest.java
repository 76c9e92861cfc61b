/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.tck.stepping.SteppingOptions;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Input that a call cannot take: one sentence says what, where and what is allowed, and the next call works. */
class BadInputTest
{
    private static final int TOKENS = 3;
    private static final int HIDDEN = 256;
    private static final int TOPK = 2;
    private static final int EXPERTS = 4;

    private final LoopbackWorld world = new LoopbackWorld(alone(), 0);
    private final Engine engine = world.engines.get(0);
    private final Tensor x = host(DataType.BF16, TOKENS, HIDDEN);
    private final Tensor idx = host(DataType.I64, TOKENS, TOPK);

    private static Scenario alone()
    {
        final Scenario scenario = new Scenario(1);
        scenario.nodes = 1;
        scenario.ranksPerNode = 1;
        scenario.hidden = HIDDEN;
        scenario.topk = TOPK;
        scenario.experts = EXPERTS;
        scenario.tokens = new int[]{TOKENS};
        return scenario;
    }

    /** No refusal may spoil the engine. */
    @AfterEach
    void shouldStillWork()
    {
        world.runAndVerifyAll();
        world.close();
    }

    private Tensor host(final DataType type, final int rows, final int columns)
    {
        return new Tensor(engine.allocateHost((long)rows * columns * type.bytes() + 1), 0, type, rows, columns);
    }

    private void assertRefused(final DispatchRequest request, final String... parts)
    {
        Messages.assertRefused(BadInputException.class, () -> engine.dispatch(request), parts);
    }

    private void assertRefused(final CombineRequest request, final String... parts)
    {
        Messages.assertRefused(BadInputException.class, () -> engine.combine(request), parts);
    }

    private Tensor choices(final long... values)
    {
        final Tensor tensor = host(DataType.I64, TOKENS, TOPK);
        for (int i = 0; i < TOKENS * TOPK; i++)
        {
            tensor.view().putLong(i * Long.BYTES, i < values.length ? values[i] : -1);
        }

        return tensor;
    }

    @Test
    void shouldRefuseRowsOfAnotherTypeOrShape()
    {
        assertRefused(DispatchRequest.of(null), "x is null", "BF16 or F8_E4M3 [T, hidden]");
        assertRefused(DispatchRequest.of(host(DataType.F32, TOKENS, HIDDEN)), "x is F32 [3, 256]", "BF16 or F8_E4M3");
        assertRefused(DispatchRequest.of(host(DataType.BF16, TOKENS, 12)).topk(idx, null, EXPERTS),
            "hidden = 12", "a multiple of 8 for BF16");
        assertRefused(DispatchRequest.of(host(DataType.BF16, TOKENS, 264)).topk(idx, null, EXPERTS),
            "hidden = 264", "at most transload.max-hidden = 256");
        assertRefused(DispatchRequest.of(host(DataType.F8_E4M3, TOKENS, 136), null).topk(idx, null, EXPERTS),
            "hidden = 136", "a multiple of 128 for F8_E4M3");
    }

    @Test
    void shouldRefuseScalesThatDoNotFit()
    {
        final Tensor fp8 = host(DataType.F8_E4M3, TOKENS, HIDDEN);
        assertRefused(DispatchRequest.of(fp8).topk(idx, null, EXPERTS), "xScales is null", "F32 [3, 2]");
        assertRefused(DispatchRequest.of(fp8, host(DataType.F32, TOKENS, 1)).topk(idx, null, EXPERTS),
            "xScales is F32 [3, 1]", "must be F32 [3, 2]");
        assertRefused(DispatchRequest.of(x, host(DataType.F32, TOKENS, 2)).topk(idx, null, EXPERTS),
            "xScales are given with BF16 rows", "absent unless x is F8_E4M3");
    }

    @Test
    void shouldRefuseRoutingThatDoesNotFit()
    {
        assertRefused(DispatchRequest.of(x), "topkIdx is missing", "I64 [3, K], or a handle");
        assertRefused(DispatchRequest.of(x).topk(host(DataType.I32, TOKENS, TOPK), null, EXPERTS),
            "topkIdx is I32 [3, 2]", "must be I64 [3, 2]");
        assertRefused(DispatchRequest.of(x).topk(host(DataType.I64, 2, TOPK), null, EXPERTS),
            "topkIdx is I64 [2, 2]", "must be I64 [3, 2]");
        assertRefused(DispatchRequest.of(x).topk(host(DataType.I64, TOKENS, 3), null, EXPERTS),
            "K = 3", "at most transload.max-topk = 2");
        assertRefused(DispatchRequest.of(x).topk(idx, null, 1), "K = 2", "at most E = 1");
        assertRefused(DispatchRequest.of(x).topk(idx, null, 0), "E = 0", "in [1, transload.max-experts = 5]");
        assertRefused(DispatchRequest.of(x).topk(idx, null, 6), "E = 6", "in [1, transload.max-experts = 5]");
        assertRefused(DispatchRequest.of(x).topk(idx, host(DataType.F32, TOKENS, 1), EXPERTS),
            "topkWeights is F32 [3, 1]", "must be F32 [3, 2]");
        Messages.assertRefused(BadInputException.class, () -> engine.layout(null, EXPERTS), "topkIdx is missing");
    }

    @Test
    void shouldRefuseExpertsOutOfRangeOrTwiceInARow()
    {
        assertRefused(DispatchRequest.of(x).topk(choices(0, 1, 2, 4), null, EXPERTS),
            "topk_idx[1][1] = 4", "-1 or in [0, 4)");
        assertRefused(DispatchRequest.of(x).topk(choices(-2), null, EXPERTS), "topk_idx[0][0] = -2", "in [0, 4)");
        assertRefused(DispatchRequest.of(x).topk(choices(0, 1, -1, -1, 3, 3), null, EXPERTS),
            "topk_idx[2] selects expert 3 twice, at 0 and 1", "must differ");
        assertEquals(0, engine.layout(choices(-1, -1), EXPERTS).tokensPerRank()[0]);
    }

    @Test
    void shouldRefuseAlignmentsTimeoutsAndClosedMemory()
    {
        assertRefused(DispatchRequest.of(x).topk(choices(), null, EXPERTS).expertAlignment(-1),
            "expertAlignment = -1", "in [1, 1048576]");
        assertRefused(DispatchRequest.of(x).topk(choices(), null, EXPERTS).timeout(Duration.ZERO),
            "timeout = PT0S", "positive");
        final Tensor closed = host(DataType.BF16, TOKENS, HIDDEN);
        closed.memory().close();
        assertRefused(DispatchRequest.of(closed).topk(choices(), null, EXPERTS), "x is in memory that was closed");
    }

    @Test
    void shouldRefuseTensorsThatDoNotLieInTheirMemory()
    {
        final TensorMemory memory = engine.allocateHost(64);
        Messages.assertRefused(IllegalArgumentException.class,
            () -> new Tensor(memory, 0, DataType.F32, 5, 4), "80 bytes at offset 0", "memory of 64 bytes");
        Messages.assertRefused(IllegalArgumentException.class,
            () -> new Tensor(memory, 8, DataType.F32, 1, 4), "offset 8", "a multiple of 16");
        Messages.assertRefused(IllegalArgumentException.class,
            () -> new Tensor(memory, 0, DataType.F32, -1, 4), "[-1, 4]", "rows must be >= 0");
    }

    @Test
    void shouldRefuseHandlesThatAreClosedForeignOrOfAnotherCall()
    {
        final DispatchHandle handle = handle();
        final Tensor two = host(DataType.BF16, 2, HIDDEN);
        assertRefused(DispatchRequest.of(two).cached(handle), "x has 2 rows", "the handle's dispatch had 3");
        assertRefused(DispatchRequest.of(x).topk(idx, null, EXPERTS).cached(handle),
            "topkIdx and a handle are both given", "one of them");
        assertRefused(DispatchRequest.of(x).cached(handle).layout(OutputLayout.EXPERT_MAJOR),
            "the handle's, RANK_MAJOR and 1", "left out or equal");
        assertRefused(DispatchRequest.of(x).topk(null, host(DataType.F32, TOKENS, 2), EXPERTS).cached(handle),
            "topkWeights and a handle are both given", "one of them");
        handle.close();
        handle.close();
        assertRefused(DispatchRequest.of(x).cached(handle), "the handle is closed", "must be open");
        assertRefused(CombineRequest.of(null, x), "the handle is not of this engine");
        try (LoopbackWorld other = new LoopbackWorld(alone(), 0))
        {
            assertRefused(CombineRequest.of(other.dispatch(null).get(0).handle(), x),
                "the handle is not of this engine", "one that its dispatch returned");
        }
    }

    private DispatchHandle handle()
    {
        return world.dispatch(null).get(0).handle();
    }

    @Test
    void shouldRefuseCombinesThatDoNotFit()
    {
        final DispatchHandle handle = handle();
        final Tensor rows = host(DataType.BF16, handle.rows(), HIDDEN);
        assertRefused(CombineRequest.of(handle, null), "x is null", "BF16 [" + handle.rows() + " or more, hidden]");
        assertRefused(CombineRequest.of(handle, host(DataType.F32, handle.rows(), HIDDEN)), "x is F32", "must be BF16");
        assertRefused(CombineRequest.of(handle, host(DataType.BF16, handle.rows() - 1, HIDDEN)),
            "x is BF16 [" + (handle.rows() - 1), "must be BF16 [" + handle.rows() + " or more");
        assertRefused(CombineRequest.of(handle, host(DataType.BF16, handle.rows(), 20)), "hidden = 20");
        assertRefused(CombineRequest.of(handle, rows).topkWeights(host(DataType.F32, handle.rows(), 1)),
            "topkWeights is F32", "or more, 2]");
        assertRefused(CombineRequest.of(handle, rows).biases(null, host(DataType.BF16, TOKENS, HIDDEN)),
            "bias1 is given without bias0");
        assertRefused(CombineRequest.of(handle, rows).biases(host(DataType.BF16, 1, HIDDEN), null),
            "bias0 is BF16 [1, 256]", "must be BF16 [3, 256]");
        assertRefused(CombineRequest.of(handle, rows).output(host(DataType.BF16, TOKENS, 8), null),
            "output is BF16 [3, 8]", "must be BF16 [3, 256]");
        assertRefused(CombineRequest.of(handle, rows).topkWeights(host(DataType.F32, handle.rows(), TOPK))
            .output(null, host(DataType.F32, TOKENS, 1)), "outputWeights is F32 [3, 1]", "must be F32 [3, 2]");
        assertRefused(CombineRequest.of(handle, rows).output(null, host(DataType.F32, TOKENS, TOPK)),
            "outputWeights are given without topkWeights");
        assertRefused(CombineRequest.of(handle, rows).timeout(Duration.ofMillis(-1)), "timeout = ", "positive");
    }

    @Test
    void shouldRefuseMemoryOfAnotherKind()
    {
        final Scenario opaque = alone();
        opaque.kind = SteppingOptions.OPAQUE;
        try (SteppingWorld other = new SteppingWorld(opaque))
        {
            final Engine engineOfOpaque = other.engines.get(0);
            final RankTensors own = other.tensors.get(0);
            Messages.assertRefused(BadInputException.class,
                () -> engineOfOpaque.dispatch(DispatchRequest.of(x).topk(own.idx, own.weights, EXPERTS)),
                "x is in HOST memory", "transload.payload.kind = OPAQUE");
            final Tensor hidden = new Tensor(
                engineOfOpaque.allocatePayload(64), 0, DataType.I64, TOKENS, TOPK);
            Messages.assertRefused(BadInputException.class,
                () -> engine.dispatch(DispatchRequest.of(x).topk(hidden, null, EXPERTS)),
                "topkIdx is in OPAQUE memory", "must be in HOST memory");
        }
    }

    @Test
    void shouldSayThatAnEngineWithoutThreadsIsDriven()
    {
        final Scenario threaded = alone();
        threaded.threads = 1;
        try (LoopbackWorld other = new LoopbackWorld(threaded, 0))
        {
            Messages.assertRefused(IllegalStateException.class, () -> other.engines.get(0).doWork(),
                "threads of its own", "transload.threads.count = 0");
            Messages.assertRefused(IllegalStateException.class, () -> other.engines.get(0).drive(() -> true),
                "threads of its own", "transload.threads.count = 0");
        }
    }

    @Test
    void shouldFailTheCallWhoseAllocatorBringsWhatWasNotAskedFor()
    {
        assertFails((shape) -> null, "the output allocator returned null", "rows or more");
        assertFails((shape) -> new DispatchOutput(host(DataType.BF16, 1, HIDDEN), null, idx, idx, idx),
            "output x is BF16 [1, 256]", "or more, 256]");
    }

    private void assertFails(final OutputAllocator allocator, final String... parts)
    {
        try (LoopbackWorld other = new LoopbackWorld(alone(), 0))
        {
            final Completion<DispatchResult> call =
                other.engines.get(0).dispatch(other.dispatchRequest(0, null).allocator(allocator));
            other.await("failed", call::isDone);
            final CallFailedException failure = assertThrows(CallFailedException.class, call::await);
            assertEquals(CallFailedException.Reason.INTERNAL, failure.reason());
            Messages.assertContains(failure, parts);
        }
    }
}
