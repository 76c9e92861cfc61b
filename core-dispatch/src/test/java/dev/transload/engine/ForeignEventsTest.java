/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException.Reason;
import dev.transload.kernels.ForeignEvent;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls between device work of other code: inputs still being made, results that only the device waits for. */
class ForeignEventsTest
{
    private static final MemoryKind OPAQUE = SteppingOptions.OPAQUE;
    private static final Duration WHILE = Duration.ofMillis(100);

    private static Scenario scenario(final long seed, final String placement)
    {
        final Scenario scenario = new Scenario(seed);
        scenario.kind = OPAQUE;
        scenario.placement = placement;
        scenario.more = "transload.payload.device = 0";
        scenario.isStaged = 0 == seed % 2;
        scenario.layout = 1 == seed % 3 ? OutputLayout.EXPERT_MAJOR : OutputLayout.RANK_MAJOR;
        return scenario;
    }

    private static byte[] bytes(final SteppingWorld world, final Tensor tensor)
    {
        return world.fabric.peek(tensor.memory().scaleUpRegion(), tensor.offset(), (int)tensor.bytes());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldReadRowsOnlyBehindTheEventAndRecordAnother(final long seed)
    {
        for (final String placement : List.of("direct", "ring"))
        {
            try (SteppingWorld world = new SteppingWorld(scenario(seed, placement)))
            {
                shouldReadRowsOnlyBehindTheEvent(world);
            }
        }
    }

    /** The rows of rank 0 are made late; all ranks are given them as they are then. */
    private static void shouldReadRowsOnlyBehindTheEvent(final SteppingWorld world)
    {
        final RankTensors own = world.tensors.get(0);
        final byte[] rows = bytes(world, own.x);
        world.fabric.poke(own.x.memory().scaleUpRegion(), own.x.offset(), new byte[rows.length]);
        final ForeignEvent made = world.fabric.event(OPAQUE);
        final ForeignEvent done = world.fabric.event(OPAQUE);
        final List<Completion<DispatchResult>> calls = new ArrayList<>();
        for (int rank = 0; rank < world.engines.size(); rank++)
        {
            final DispatchRequest request = world.dispatchRequest(rank, null);
            calls.add(world.engines.get(rank).dispatch(0 == rank ? request.waitFor(made).record(done) : request));
        }

        world.awaitFor(WHILE);
        assertFalse(calls.get(0).isDone(), "before the event");
        world.fabric.poke(own.x.memory().scaleUpRegion(), own.x.offset(), rows);
        world.fabric.signal(made);
        world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
        final List<DispatchResult> results = new ArrayList<>();
        calls.forEach((call) -> results.add(call.await()));
        world.await("recorded", () -> world.fabric.hasHappened(done));
        world.verifyDispatch(results);
        shouldCombineOnlyBehindTheEvent(world, results);
    }

    /** Answers of rank 1 are made late, and its output is still in use. */
    private static void shouldCombineOnlyBehindTheEvent(final SteppingWorld world, final List<DispatchResult> results)
    {
        final ForeignEvent made = world.fabric.event(OPAQUE);
        final ForeignEvent done = world.fabric.event(OPAQUE);
        final Tensor x = world.combineRequest(1, results.get(1)).x();
        final byte[] rows = bytes(world, x);
        world.fabric.poke(x.memory().scaleUpRegion(), x.offset(), new byte[rows.length]);
        final Tensor output = new Tensor(world.engines.get(1).allocatePayload(
            Math.max(64, x.rowBytes() * world.scenario.tokens[1])), 0, DataType.BF16, world.scenario.tokens[1],
            x.columns());
        final Tensor weights = new Tensor(world.engines.get(1).allocateHost(1024), 0, DataType.F32,
            world.scenario.tokens[1], world.scenario.topk);
        final byte[] blank = bytes(world, output);
        final List<Completion<CombineResult>> calls = new ArrayList<>();
        for (int rank = 0; rank < world.engines.size(); rank++)
        {
            final CombineRequest request = world.combineRequest(rank, results.get(rank));
            calls.add(world.engines.get(rank).combine(
                1 == rank ? request.waitFor(made).record(done).output(output, weights) : request));
        }

        world.awaitFor(WHILE);
        assertFalse(calls.get(1).isDone(), "before the event");
        assertArrayEquals(blank, bytes(world, output), "the output is in use until the event");
        world.fabric.poke(x.memory().scaleUpRegion(), x.offset(), rows);
        world.fabric.signal(made);
        world.await("combined", () -> calls.stream().allMatch(Completion::isDone));
        for (int rank = 0; rank < calls.size(); rank++)
        {
            world.verifyCombined(rank, calls.get(rank).await());
        }

        world.await("recorded", () -> world.fabric.hasHappened(done));
    }

    @Test
    void shouldSayThatItAwaitsAnEventWhichNeverHappens()
    {
        try (SteppingWorld world = new SteppingWorld(scenario(1, "ring")))
        {
            final ForeignEvent never = world.fabric.event(OPAQUE);
            final ForeignEvent behind = world.fabric.event(OPAQUE);
            final Completion<DispatchResult> call = world.engines.get(0).dispatch(
                world.dispatchRequest(0, null).waitFor(never).record(behind).timeout(Duration.ofMillis(400)));
            world.await("failed", call::isDone, Duration.ofMinutes(1));
            final CallFailedException failure = assertThrows(CallFailedException.class, call::await);
            assertEquals(Reason.DEADLINE, failure.reason());
            assertFalse(world.fabric.hasHappened(behind));
        }
    }

    @Test
    void shouldRefuseEventsOfOtherDevices()
    {
        try (SteppingWorld world = new SteppingWorld(scenario(1, "direct")))
        {
            final DispatchRequest request = world.dispatchRequest(0, null);
            Messages.assertContains(assertThrows(BadInputException.class, () -> world.engines.get(0).dispatch(
                request.waitFor(new ForeignEvent(OPAQUE, 1, 5)))), "waitFor is an event of OPAQUE device 1",
                "transload.payload.device = 0");
            Messages.assertContains(assertThrows(BadInputException.class, () -> world.engines.get(0).dispatch(
                request.waitFor(null).record(new ForeignEvent(MemoryKind.CUDA, 0, 5)))),
                "record is an event of CUDA device 0", "transload.payload.kind = OPAQUE");
        }

        final Scenario host = scenario(1, "direct");
        host.kind = MemoryKind.HOST;
        try (SteppingWorld world = new SteppingWorld(host))
        {
            Messages.assertContains(assertThrows(BadInputException.class, () -> world.engines.get(0).dispatch(
                world.dispatchRequest(0, null).record(new ForeignEvent(MemoryKind.HOST, 0, 5)))), "HOST", "has none");
            assertTrue(world.engines.get(0).isReady());
        }
    }
}
