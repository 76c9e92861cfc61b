/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.BadInputException;
import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.ConfigurationException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is refused, in one sentence that says what, where and what is allowed; and calls that do not agree. */
class LowLatencyInputTest
{
    private SteppingWorld world;
    private LowLatencyEngine engine;
    private LowLatencyOutput output;
    private Tensor x;
    private Tensor idx;

    @BeforeEach
    void open()
    {
        final Scenario scenario = new Scenario(1);
        scenario.hidden = 256;
        world = new SteppingWorld(scenario);
        engine = world.engines.get(0);
        output = engine.allocateOutput(4, 256, DataType.BF16, null);
        x = payload(DataType.BF16, 3, 256);
        idx = host(DataType.I64, 3, 2);
        put(0, 1, 2, 3, -1, 0);
    }

    @AfterEach
    void close()
    {
        world.close();
    }

    private Tensor payload(final DataType type, final int rows, final int columns)
    {
        return new Tensor(engine.allocatePayload((long)rows * columns * type.bytes()), 0, type, rows, columns);
    }

    private Tensor host(final DataType type, final int rows, final int columns)
    {
        return new Tensor(engine.allocateHost((long)rows * columns * type.bytes()), 0, type, rows, columns);
    }

    private void put(final long... experts)
    {
        idx.view().asLongBuffer().put(experts);
    }

    private void refused(final LowLatencyDispatchRequest request, final String part)
    {
        final String message = assertThrows(BadInputException.class, () -> engine.dispatch(request)).getMessage();
        assertTrue(message.contains(part), message);
    }

    @Test
    void shouldRefuseInputsThatDoNotFit()
    {
        refused(LowLatencyDispatchRequest.of(payload(DataType.BF16, 5, 256), idx, 4, output), "max-tokens = 4");
        refused(LowLatencyDispatchRequest.of(payload(DataType.BF16, 3, 200), idx, 4, output), "multiple of 128");
        refused(LowLatencyDispatchRequest.of(payload(DataType.BF16, 3, 384), idx, 4, output), "max-hidden = 256");
        refused(LowLatencyDispatchRequest.of(payload(DataType.F32, 3, 256), idx, 4, output), "must be BF16");
        refused(LowLatencyDispatchRequest.of(x, idx, 5, output), "max-experts = 4");
        refused(LowLatencyDispatchRequest.of(x, host(DataType.I64, 2, 2), 4, output), "topkIdx is I64 [2, 2]");
        refused(LowLatencyDispatchRequest.of(x, host(DataType.I64, 3, 3), 4, output), "max-topk = 2");
        refused(LowLatencyDispatchRequest.of(x, idx, 2, output), "topkIdx[1, 0] = 2");
        refused(LowLatencyDispatchRequest.of(x, idx, 4, null), "output.x is null");
        refused(LowLatencyDispatchRequest.of(x, idx, 4, engine.allocateOutput(2, 256, DataType.BF16, null)),
            "output.x is BF16 [8, 256]: must be BF16 [16, 256]");
        refused(LowLatencyDispatchRequest.of(x, idx, 4, output).timeout(Duration.ZERO), "timeout = PT0S");
        put(0, 1, 2, 2, -1, 0);
        refused(LowLatencyDispatchRequest.of(x, idx, 4, output), "topkIdx[1, 1] = 2");
        put(0, 1, -2, 2, -1, 0);
        refused(LowLatencyDispatchRequest.of(x, idx, 4, output), "topkIdx[1, 0] = -2");
        put(0, 1, 2, 3, -1, 0);
        engine.mask(1);
        assertEquals(1, engine.dispatch(LowLatencyDispatchRequest.of(x, idx, 4, output)).call(),
            "what was refused is no call");
    }

    @Test
    void shouldRefuseScalesThatCannotBeWritten()
    {
        final LowLatencyOutput packed =
            engine.allocateOutput(4, 256, DataType.F8_E4M3, ScaleLayout.PACKED_ROWS);
        refused(LowLatencyDispatchRequest.of(x, idx, 4, packed), "packed scales need POWER_OF_TWO");
        final LowLatencyOutput wrong = new LowLatencyOutput(packed.x(), packed.xScales(), ScaleLayout.ROWS,
            packed.count(), packed.srcInfo(), packed.layoutRange());
        refused(LowLatencyDispatchRequest.of(x, idx, 4, wrong), "must be F32 [16, 2]");
    }

    @Test
    void shouldRefuseAThirdResultThatIsAlive()
    {
        final LowLatencyOutput other = engine.allocateOutput(4, 256, DataType.BF16, null);
        engine.mask(1);
        engine.dispatch(LowLatencyDispatchRequest.of(x, idx, 4, output));
        refused(LowLatencyDispatchRequest.of(x, idx, 4, output), "output is that of dispatch 1");
        final LowLatencyDispatchResult second = engine.dispatch(LowLatencyDispatchRequest.of(x, idx, 4, other));
        final String message = assertThrows(IllegalStateException.class,
            () -> engine.dispatch(LowLatencyDispatchRequest.of(x, idx, 4, output))).getMessage();
        assertTrue(message.contains("dispatch 3 is one too many: the result of dispatch 1 is still alive"), message);
        second.close();
        assertThrows(IllegalStateException.class,
            () -> engine.dispatch(LowLatencyDispatchRequest.of(x, idx, 4, other)), "sets are taken in turn");
    }

    @Test
    void shouldRefuseACombineThatDoesNotFit()
    {
        engine.mask(1);
        final LowLatencyDispatchResult result = engine.dispatch(LowLatencyDispatchRequest.of(x, idx, 4, output));
        final Tensor weights = host(DataType.F32, 3, 2);
        final Tensor answers = payload(DataType.BF16, 16, 256);
        final Tensor combined = payload(DataType.BF16, 3, 256);
        combineRefused(LowLatencyCombineRequest.of(result, answers, weights, combined), "SENT: must be");
        result.receive();
        combineRefused(LowLatencyCombineRequest.of(null, answers, weights, combined), "null: must be");
        combineRefused(LowLatencyCombineRequest.of(result, x, weights, combined), "x is BF16 [3, 256]");
        combineRefused(LowLatencyCombineRequest.of(result, answers, null, combined), "topkWeights is null");
        combineRefused(LowLatencyCombineRequest.of(result, answers, weights, answers), "output is BF16 [16, 256]");
        engine.combine(LowLatencyCombineRequest.of(result, answers, weights, combined)).receive();
        combineRefused(LowLatencyCombineRequest.of(result, answers, weights, combined), "FREE: must be");
    }

    private void combineRefused(final LowLatencyCombineRequest request, final String part)
    {
        final String message = assertThrows(BadInputException.class, () -> engine.combine(request)).getMessage();
        assertTrue(message.contains(part), message);
    }

    @Test
    void shouldNameBothRanksOfCallsThatDiffer()
    {
        final LowLatencyOutput fp8 =
            world.engines.get(1).allocateOutput(4, 256, DataType.F8_E4M3, ScaleLayout.ROWS);
        final LowLatencyDispatchResult own = engine.calls().begin(LowLatencyDispatchRequest.of(x, idx, 4, output));
        final LowLatencyEngine other = world.engines.get(1);
        final Tensor theirX = new Tensor(other.allocatePayload(3 * 512), 0, DataType.BF16, 3, 256);
        final Tensor theirIdx = new Tensor(other.allocateHost(3 * 16), 0, DataType.I64, 3, 2);
        theirIdx.view().asLongBuffer().put(new long[]{-1, -1, -1, -1, -1, -1});
        final LowLatencyDispatchResult theirs = other.calls().begin(
            LowLatencyDispatchRequest.of(theirX, theirIdx, 4, fp8).scaleFormat(ScaleFormat.POWER_OF_TWO));
        final CallFailedException failure = assertThrows(CallFailedException.class, () -> world.await(() ->
        {
            other.calls().doWork(theirs.exchange());
            engine.calls().doWork(own.exchange());
            engine.calls().beginReceive(own);
            return false;
        }));
        assertEquals(Reason.MISMATCH, failure.reason());
        assertEquals(1, failure.peer());
        assertTrue(failure.getMessage().startsWith("rank 1 makes another call than rank 0's low-latency dispatch 1: "),
            failure.getMessage());
        assertEquals(Reason.RETIRED, assertThrows(CallFailedException.class, () -> engine.clear(1, 1)).reason());
    }

    @Test
    void shouldRefuseSettingsThatAreNotAllowed()
    {
        settingRefused("max-tokens = 0",
            "transload.low-latency.max-tokens = 0 is not allowed: must be a whole number in [1, 16384]");
        settingRefused("channels = many", "transload.low-latency.channels = many");
        settingRefused("timeout = 0 s", "transload.low-latency.timeout");
        settingRefused("hook = true", "transload.low-latency.hook is not a key");
        assertEquals(Duration.ofSeconds(7), LowLatencyConfig.from(
            ConfigFactory.parseString("transload.timeouts.call = 7 s")).timeout());
    }

    private static void settingRefused(final String setting, final String part)
    {
        final String message = assertThrows(ConfigurationException.class, () -> LowLatencyConfig.from(
            ConfigFactory.parseString("transload.low-latency { " + setting + " }"))).getMessage();
        assertTrue(message.contains(part), message);
    }
}
