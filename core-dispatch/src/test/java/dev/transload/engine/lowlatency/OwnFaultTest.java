/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.CallFailedException;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepWords;
import dev.transload.tck.stepping.SteppingOptions;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What fails on this rank ends its calls, in time, and nobody else is blamed. */
class OwnFaultTest
{
    private static Scenario scenario(final long seed)
    {
        final Scenario scenario = new Scenario(seed);
        scenario.isFp8 = true;
        scenario.missing = 0;
        return scenario;
    }

    @ParameterizedTest
    @CsvSource({
        "quantizeRows, cast or send, 31, DISPATCH", "scatterRows, pack, 32, RECEIVE",
        "scatterRows, send the answers to, 34, COMBINE", "reduceRows, sum, 33, DISPATCH"})
    void shouldNameItselfWhereItsKernelsTakeNothing(
        final String operation, final String what, final long seed, final String from)
    {
        final Scenario scenario = scenario(seed);
        try (SteppingWorld world = new SteppingWorld(scenario, FaultyKernels::new))
        {
            world.unwell(0);
            world.scripts.forEach((script) -> script.calls(0, 1));
            world.await(() -> world.scripts.get(0).standing().contains(from));
            ((FaultyKernels)world.kernelsOfFirst).refuse(operation);
            final CallFailedException failure =
                assertThrows(CallFailedException.class, () -> world.await(world::isDone));
            assertOwnFault(world, failure, "rank 0's row kernels did not " + what +
                " the rows of low-latency dispatch 1 within 9 times the time-out of 8 ms");
            final long waited = world.nowNs() / scenario.timeoutNs;
            assertTrue(waited <= StepShape.LONGEST_WAIT + 2, () -> "waited " + waited + " time-outs");
        }
    }

    @Test
    void shouldNotBlameAPeerForRowsThatItsOwnKernelsDoNotMake()
    {
        final Scenario scenario = scenario(36);
        try (SteppingWorld world = new SteppingWorld(scenario, FaultyKernels::new))
        {
            world.unwell(0);
            ((FaultyKernels)world.kernelsOfFirst).hang();
            // Its peer makes no call yet, and so gives no sign of life either.
            world.scripts.get(0).calls(0, 1);
            final CallFailedException failure =
                assertThrows(CallFailedException.class, () -> world.await(world::isDone));
            assertOwnFault(world, failure, "rank 0's row kernels did not cast or send the rows of " +
                "low-latency dispatch 1 within 9 times the time-out of 8 ms");
        }
    }

    @Test
    void shouldTellNobodyOfRowsThatItsKernelsDoNotStore()
    {
        final Scenario scenario = scenario(38);
        scenario.kind = SteppingOptions.OPAQUE;
        scenario.isFp8 = false;
        try (SteppingWorld world = new SteppingWorld(scenario, FaultyKernels::new))
        {
            world.unwell(0);
            ((FaultyKernels)world.kernelsOfFirst).refuse("scatterRows");
            world.scripts.forEach((script) -> script.calls(0, 1));
            final CallFailedException failure =
                assertThrows(CallFailedException.class, () -> world.await(world::isDone));
            assertOwnFault(world, failure, "rank 0's row kernels did not cast or send the rows of " +
                "low-latency dispatch 1 within 9 times the time-out of 8 ms");
            final LowLatencyParts told = world.parts.get(1);
            final StepWords words = new StepWords(told.shape().steps());
            assertEquals(0, ((ListedExchange)told.exchange(1)).session().word(0, words.done(1, 0, 0)),
                "rank 1 was told of rows that nobody stored");
        }
    }

    private static void assertOwnFault(
        final SteppingWorld world, final CallFailedException failure, final String message)
    {
        assertEquals(Reason.DEADLINE, failure.reason());
        assertEquals(0, failure.peer());
        assertEquals(message, failure.getMessage());
        assertTrue(world.engines.get(0).isActive(1), () -> world.engines.get(0).maskReason(1));
        assertRetired(world.engines.get(0), world);
    }

    @Test
    void shouldEndTheEngineWhereAStepCannotBegin()
    {
        try (SteppingWorld world = new SteppingWorld(scenario(35)))
        {
            world.unwell(0);
            final LowLatencyParts own = world.parts.get(0);
            final RankScript script = world.scripts.get(0).calls(0, 1);
            world.scripts.get(1).calls(0, 1);
            final StepWords words = new StepWords(own.shape().steps());
            world.await(() -> Exchange.Phase.SENT == own.exchange(1).phase() &&
                0 != ((ListedExchange)own.exchange(1)).session().word(1, words.done(1, 1, 0)));
            UnsafeApi.putLong(own.memory().own(own.link(1).inStage(), 1).words().address() + words.counts(1, 1, 0), 0);
            final CallFailedException failure =
                assertThrows(CallFailedException.class, () -> world.await(script::isDone));
            assertEquals(Reason.INTERNAL, failure.reason());
            assertTrue(failure.getMessage().contains("rank 1 told of rows, but not how many"), failure.getMessage());
            assertRetired(world.engines.get(0), world);
        }
    }

    private static void assertRetired(final LowLatencyEngine engine, final SteppingWorld world)
    {
        final RankTensors tensors = new RankTensors(world.scenario, engine, world.fabric);
        assertEquals(Reason.RETIRED, assertThrows(
            CallFailedException.class, () -> engine.dispatch(tensors.dispatch(world.data[0]))).reason());
    }
}
