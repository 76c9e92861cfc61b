/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.transload.engine.BadInputException;
import dev.transload.engine.Tensor;
import dev.transload.kernels.Fp8;
import dev.transload.reference.Bf16;
import dev.transload.reference.E4m3;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Worlds of any size by the public calls, a thread for each rank, against brute force. */
class LowLatencyWorldTest
{
    private static final long TIMEOUT_NS = 60_000_000_000L;
    private static final int WARM_UP = 2_000;
    private static final int MEASURED = 100;
    private static final int WINDOWS = 6;

    @ParameterizedTest
    @CsvSource({
        "1, 1, 256, 8, 4, false, false", "1, 2, 1, 3, 2, true, false", "2, 2, 128, 16, 8, false, true",
        "1, 5, 33, 37, 6, true, true", "2, 4, 64, 32, 32, false, false", "3, 4, 17, 24, 3, true, false",
        "2, 8, 32, 64, 8, false, false", "16, 1, 8, 40, 5, true, true"})
    void shouldAgreeWithBruteForce(
        final int nodes, final int ranksPerNode, final int maxTokens, final int experts, final int topk,
        final boolean isFp8, final boolean isHot)
    {
        final Scenario scenario = scenario(nodes, ranksPerNode);
        scenario.maxTokens = maxTokens;
        scenario.experts = experts;
        scenario.topk = topk;
        scenario.isFp8 = isFp8;
        scenario.isHot = isHot;
        scenario.isEmptyRank = isHot;
        scenario.channels = 1 + topk % 3;
        runAndVerify(scenario, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldAgreeWithBruteForceAThousandTimes(final int overlap)
    {
        final Scenario scenario = scenario(1, 3);
        scenario.overlap = overlap;
        runAndVerify(scenario, 1_000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTellNearRanksFromFarOnes(final boolean isFar)
    {
        final Scenario scenario = scenario(1, 3);
        scenario.isFar = isFar;
        try (ThreadedWorld world = new ThreadedWorld(scenario))
        {
            world.run((engine) ->
            {
                final int own = engine.world().rank();
                assertEquals(!isFar, engine.isNear((own + 1) % 3));
                assertEquals(!isFar, engine.isNear((own + 2) % 3));
                assertThrows(BadInputException.class, () -> engine.isNear(own));
                assertThrows(BadInputException.class, () -> engine.isNear(3));
            });
        }
    }

    private static Scenario scenario(final int nodes, final int ranksPerNode)
    {
        final Scenario scenario = new Scenario(nodes * 100L + ranksPerNode);
        scenario.nodes = nodes;
        scenario.ranksPerNode = ranksPerNode;
        scenario.timeoutNs = TIMEOUT_NS;
        return scenario;
    }

    /** With overlap, the next dispatch is sent before what came is received: the hook of a split call. */
    private static void runAndVerify(final Scenario scenario, final int calls)
    {
        final CallData[] data = {new CallData(scenario, 0), new CallData(scenario, 1), new CallData(scenario, 2)};
        try (ThreadedWorld world = new ThreadedWorld(scenario))
        {
            world.run((engine) ->
            {
                final RankTensors[] tensors =
                    {new RankTensors(scenario, engine, null), new RankTensors(scenario, engine, null)};
                LowLatencyDispatchResult earlier = null;
                for (int call = 0; call < calls; call++)
                {
                    final LowLatencyDispatchResult result =
                        engine.dispatch(tensors[call % 2].dispatch(data[call % data.length]));
                    assertEquals(call + 1, result.call());
                    if (1 == scenario.overlap && null != earlier)
                    {
                        finish(engine, tensors[(call + 1) % 2], earlier, scenario + ", call " + (call - 1));
                    }

                    earlier = result;
                    if (0 == scenario.overlap || call + 1 == calls)
                    {
                        finish(engine, tensors[call % 2], result, scenario + ", call " + call);
                    }
                }

                assertEquals(calls, engine.statistics().dispatches());
                assertEquals(calls, engine.statistics().combines());
                assertEquals(0, engine.statistics().leftOut());
            });
        }
    }

    private static void finish(
        final LowLatencyEngine engine, final RankTensors tensors, final LowLatencyDispatchResult result,
        final String where)
    {
        assertTrue(!result.isReceived());
        final LowLatencyCombineRequest request = tensors.verifyAndAnswer(result.receive(), where);
        assertTrue(result.isReceived());
        tensors.verifyCombined(engine.combine(request).receive(), where);
        assertTrue(!result.isReceived());
    }

    @ParameterizedTest
    @CsvSource({"false, 1e-5", "true, 9e-4"})
    void shouldCombineWhatWasDispatchedToTheWeightedInput(final boolean isFp8, final double bound)
    {
        final Scenario scenario = scenario(2, 2);
        scenario.maxTokens = 40;
        scenario.experts = 16;
        scenario.topk = 6;
        scenario.hidden = 384;
        scenario.isFp8 = isFp8;
        final CallData data = new CallData(scenario, 0);
        try (ThreadedWorld world = new ThreadedWorld(scenario))
        {
            world.run((engine) ->
            {
                final RankTensors tensors = new RankTensors(scenario, engine, null);
                final LowLatencyDispatchResult result = engine.dispatch(tensors.dispatch(data)).receive();
                final LowLatencyCombineRequest request = tensors.verifyAndAnswer(result, scenario.toString());
                echo(result.output(), request.x());
                engine.combine(request).receive();
                final double diff = diff(scenario, data, tensors, engine.world().rank());
                assertTrue(diff < bound, () -> "difference " + diff);
            });
        }
    }

    /** Answer every row by itself. */
    private static void echo(final LowLatencyOutput output, final Tensor answers)
    {
        if (null == output.xScales())
        {
            answers.view().put(output.x().view());
            return;
        }

        final int hidden = output.x().columns();
        final byte[] q = new byte[hidden];
        final float[] scales = new float[Fp8.scales(hidden)];
        final short[] row = new short[hidden];
        final ByteBuffer rows = output.x().view();
        final ByteBuffer target = answers.view();
        for (int i = 0; i < output.x().rows(); i++)
        {
            rows.get(q);
            output.xScales().view().asFloatBuffer().position(i * scales.length).get(scales);
            E4m3.dequantize(q, scales, row);
            target.put(RankTensors.bytes(row));
        }
    }

    /** 1 − 2Σxy / Σ(x² + y²), of the combined rows and x · Σw. */
    private static double diff(
        final Scenario scenario, final CallData data, final RankTensors tensors, final int rank)
    {
        double products = 0;
        double squares = 0;
        for (int token = 0; token < data.tokens[rank]; token++)
        {
            double weight = 0;
            for (int k = 0; k < scenario.topk; k++)
            {
                final int at = token * scenario.topk + k;
                weight += data.idx[rank][at] < 0 ? 0 : data.weights[rank][at];
            }

            final short[] row = tensors.combinedRow(token);
            for (int i = 0; i < row.length; i++)
            {
                final double expected = Bf16.toFloat(data.x[rank][token][i]) * weight;
                final double seen = Bf16.toFloat(row[i]);
                products += expected * seen;
                squares += expected * expected + seen * seen;
            }
        }

        return 1 - 2 * products / squares;
    }

    @ParameterizedTest
    @CsvSource({"false, ROWS", "true, ROWS", "true, COLUMNS"})
    void shouldAllocateNothingInACall(final boolean isFp8, final ScaleLayout layout)
    {
        final Scenario scenario = scenario(1, 2);
        scenario.isFp8 = isFp8;
        scenario.layout = layout;
        scenario.channels = 2;
        final CallData data = new CallData(scenario, 0);
        final AtomicLong allocated = new AtomicLong();
        try (ThreadedWorld world = new ThreadedWorld(scenario))
        {
            world.run((engine) ->
            {
                final RankTensors tensors = new RankTensors(scenario, engine, null);
                final LowLatencyDispatchRequest dispatch = tensors.dispatch(data);
                final LowLatencyDispatchResult[] results = new LowLatencyDispatchResult[Shape.LANES];
                final LowLatencyCombineRequest[] combines = new LowLatencyCombineRequest[Shape.LANES];
                for (int i = 0; i < Shape.LANES; i++)
                {
                    results[i] = engine.dispatch(dispatch).receive();
                    combines[i] = tensors.verifyAndAnswer(results[i], "warm-up");
                    engine.combine(combines[i]).receive();
                }

                call(engine, dispatch, combines, WARM_UP);
                allocated.addAndGet(leastAllocated(engine, dispatch, combines));
            });
        }

        assertEquals(0, allocated.get(), "bytes that both ranks allocated in " + MEASURED + " calls, the least of " +
            WINDOWS + " times");
    }

    private static long leastAllocated(
        final LowLatencyEngine engine, final LowLatencyDispatchRequest dispatch,
        final LowLatencyCombineRequest[] combines)
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int window = 0; window < WINDOWS; window++)
        {
            final long before = threads.getCurrentThreadAllocatedBytes();
            call(engine, dispatch, combines, MEASURED);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }

        return least;
    }

    /** The results of the two sets come in turn, so that requests can be used again. */
    private static void call(
        final LowLatencyEngine engine, final LowLatencyDispatchRequest dispatch,
        final LowLatencyCombineRequest[] combines, final int calls)
    {
        for (int call = 0; call < calls; call++)
        {
            engine.dispatch(dispatch).receive();
            engine.combine(combines[call % Shape.LANES]).receive();
        }
    }

    @Test
    void shouldHintTheBytesThatPeersWriteTo()
    {
        // Two lanes, each double: 8 writers of 128 rows and 128 * 8 answers, of 14336 bytes each, and of headers of 40
        // bytes. Words of 8 bytes: a count and a start for each of 32 experts, 3 more, 2 * 32 chunks; a sign of life.
        final long rows = 2L * 2 * 8 * (128 + 128 * 8) * 14336;
        final long words = 2L * (2 * 8 * (32 + 32 + 3 + 2 * 32) + 8) * 8;
        assertEquals(rows + 2L * 2 * 8 * 128 * 40 + words, LowLatencyEngine.bytes(128, 7168, 8, 256, 8));
    }
}
