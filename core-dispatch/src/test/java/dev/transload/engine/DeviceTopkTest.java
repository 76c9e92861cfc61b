/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException.Reason;
import dev.transload.kernels.ForeignEvent;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Top-k, and what comes of it, where the payload is: the engine copies it to host memory and back. */
class DeviceTopkTest
{
    private static final MemoryKind OPAQUE = SteppingOptions.OPAQUE;
    private static final Duration WHILE = Duration.ofMillis(100);

    /** After so many, ranks have nothing to do but what they wait for. */
    private static final int CYCLES = 2_000;

    /** Of more than one piece, or of less. */
    private static final int MANY_TOKENS = 701;

    private static Scenario scenario(final long seed)
    {
        final Scenario scenario = new Scenario(seed);
        scenario.kind = OPAQUE;
        scenario.isTopkOnDevice = true;
        scenario.more = "transload.payload.device = 0";
        return scenario;
    }

    private static Scenario pair(final long seed)
    {
        final Scenario scenario = scenario(seed);
        scenario.nodes = 1;
        scenario.tokens = new int[]{6, 4};
        return scenario;
    }

    @ParameterizedTest
    @CsvSource({"1, direct, RANK_MAJOR, false", "2, ring, RANK_MAJOR, true", "3, direct, EXPERT_MAJOR, true",
        "4, mixed, RANK_MAJOR, true", "5, direct, RANK_MAJOR, true"})
    void shouldTakeTopkAndGiveResultsOnTheDevice(
        final long seed, final String placement, final OutputLayout layout, final boolean isFp8)
    {
        final Scenario scenario = scenario(seed);
        scenario.nodes = 5 == seed ? 1 : 2;
        scenario.tokens = 5 == seed ? new int[]{7, 5} : scenario.tokens;
        scenario.placement = placement;
        scenario.layout = layout;
        scenario.isFp8 = isFp8;
        scenario.hidden = isFp8 ? 128 : 16;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyRepeated();
        }
    }

    @Test
    void shouldCopyTensorsOfManyPieces()
    {
        final Scenario scenario = pair(6);
        scenario.tokens = new int[]{MANY_TOKENS, 1};
        scenario.upRing = 64;
        scenario.upChunk = 16;
        scenario.hidden = 8;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
        }
    }

    @Test
    void shouldServeCallsUnderWayTogether()
    {
        try (SteppingWorld world = new SteppingWorld(pair(7)))
        {
            final List<Completion<DispatchResult>> calls = new ArrayList<>();
            for (int i = 0; i < 6; i++)
            {
                calls.add(world.engines.get(i % 2).dispatch(world.dispatchRequest(i % 2, null)));
            }

            world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
            for (int i = 0; i < calls.size(); i++)
            {
                world.verifyDispatch(i % 2, calls.get(i).await());
            }
        }
    }

    @Test
    void shouldLetRanksChooseForThemselves()
    {
        try (SteppingWorld world = new SteppingWorld(pair(8)))
        {
            final RankTensors own = world.tensors.get(1);
            world.scenario.isTopkOnDevice = false;
            final Tensor idx = own.topk(DataType.I64, own.idx.rows(), own.idx.columns());
            final Tensor weights = own.topk(DataType.F32, own.idx.rows(), own.idx.columns());
            own.write(idx, own.payload(own.idx, own.idx.rows()));
            own.write(weights, own.payload(own.weights, own.weights.rows()));
            final List<Completion<DispatchResult>> calls = List.of(
                world.engines.get(0).dispatch(world.dispatchRequest(0, null)),
                world.engines.get(1).dispatch(DispatchRequest.of(own.x).topk(idx, weights, world.scenario.experts)));
            world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
            world.verifyDispatch(calls.stream().map(Completion::await).toList());
        }
    }

    @Test
    void shouldFillTheOutputThatTheCallerBrought()
    {
        try (SteppingWorld world = new SteppingWorld(pair(9)))
        {
            final List<DispatchOutput> outputs = world.spoiltOutputs(world.dispatch(null));
            final List<Completion<DispatchResult>> calls = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++)
            {
                calls.add(world.engines.get(rank).dispatch(
                    world.dispatchRequest(rank, null).output(outputs.get(rank))));
            }

            world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
            final List<DispatchResult> again = calls.stream().map(Completion::await).toList();
            world.verifyDispatch(again);
            assertSame(outputs.get(0), again.get(0).output());
            assertEquals(OPAQUE, again.get(1).output().srcTokenIdx().memory().kind());
        }
    }

    @Test
    void shouldReadTopkOnlyBehindTheEvent()
    {
        try (SteppingWorld world = new SteppingWorld(pair(10)))
        {
            final RankTensors own = world.tensors.get(0);
            final byte[] chosen = own.payload(own.idx, own.idx.rows());
            own.write(own.idx, new byte[chosen.length]);
            final ForeignEvent made = world.fabric.event(OPAQUE);
            final ForeignEvent done = world.fabric.event(OPAQUE);
            final List<Completion<DispatchResult>> calls = List.of(
                world.engines.get(0).dispatch(world.dispatchRequest(0, null).waitFor(made).record(done)),
                world.engines.get(1).dispatch(world.dispatchRequest(1, null)));
            world.awaitFor(WHILE);
            assertFalse(calls.get(0).isDone(), "before the event");
            own.write(own.idx, chosen);
            world.fabric.signal(made);
            world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
            world.verifyDispatch(calls.stream().map(Completion::await).toList());
            world.await("recorded", () -> world.fabric.hasHappened(done));
        }
    }

    /** The submission woke the threads in vain: there was nothing to do yet. */
    @Test
    void shouldWakeThreadsWhenTopkHasCome()
    {
        try (SteppingWorld world = new SteppingWorld(pair(14)))
        {
            final AtomicInteger woken = new AtomicInteger();
            EngineInsides.board(world.engines.get(0)).wakeBy(woken::incrementAndGet);
            final ForeignEvent made = world.fabric.event(OPAQUE);
            final List<Completion<DispatchResult>> calls = List.of(
                world.engines.get(0).dispatch(world.dispatchRequest(0, null).waitFor(made)),
                world.engines.get(1).dispatch(world.dispatchRequest(1, null)));
            final AtomicInteger cycles = new AtomicInteger();
            world.await("looked at", () -> cycles.incrementAndGet() > CYCLES);
            assertEquals(0, woken.get());
            world.fabric.signal(made);
            world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
            assertEquals(1, woken.get());
        }
    }

    @Test
    void shouldSayThatItAwaitsTopkWhichNeverComes()
    {
        try (SteppingWorld world = new SteppingWorld(pair(11)))
        {
            final ForeignEvent never = world.fabric.event(OPAQUE);
            final Completion<DispatchResult> call = world.engines.get(0).dispatch(
                world.dispatchRequest(0, null).waitFor(never).timeout(Duration.ofMillis(300)));
            world.await("failed", call::isDone, Duration.ofMinutes(1));
            final CallFailedException failure = assertThrows(CallFailedException.class, call::await);
            assertEquals(Reason.DEADLINE, failure.reason());
            Messages.assertContains(failure, "call 1 (dispatch)", "it waits for rank 0, device top-k: expected");
        }
    }

    @Test
    void shouldFailTheCallWhoseTopkIsWrong()
    {
        try (SteppingWorld world = new SteppingWorld(pair(12)))
        {
            final RankTensors own = world.tensors.get(0);
            final byte[] chosen = own.payload(own.idx, own.idx.rows());
            chosen[0] = 99;
            own.write(own.idx, chosen);
            final List<Completion<DispatchResult>> calls = List.of(
                world.engines.get(0).dispatch(world.dispatchRequest(0, null)),
                world.engines.get(1).dispatch(world.dispatchRequest(1, null)));
            world.await("failed", () -> calls.stream().allMatch(Completion::isDone), Duration.ofMinutes(1));
            final CallFailedException here = assertThrows(CallFailedException.class, calls.get(0)::await);
            assertEquals(Reason.BAD_INPUT, here.reason());
            Messages.assertContains(here, "call 1 (dispatch)", "topk_idx[0][0] = ", "must be -1 or in [0, 8)");
            final CallFailedException there = assertThrows(CallFailedException.class, calls.get(1)::await);
            assertEquals(Reason.ABORTED_BY_PEER, there.reason());
            Messages.assertContains(there, "rank 0", "topk_idx[0][0]");
        }
    }

    @Test
    void shouldRefuseTopkOfOtherMemory()
    {
        try (SteppingWorld world = new SteppingWorld(pair(13)))
        {
            final Engine engine = world.engines.get(0);
            final RankTensors own = world.tensors.get(0);
            Messages.assertRefused(BadInputException.class, () -> engine.layout(own.idx, world.scenario.experts),
                "topkIdx is in OPAQUE memory", "must be in HOST memory");
            final Tensor closed = own.topk(DataType.I64, own.idx.rows(), own.idx.columns());
            closed.memory().close();
            Messages.assertRefused(BadInputException.class, () -> engine.dispatch(
                DispatchRequest.of(own.x).topk(closed, null, world.scenario.experts)),
                "topkIdx is in memory that was closed");
            assertTrue(engine.isReady());
        }
    }
}
