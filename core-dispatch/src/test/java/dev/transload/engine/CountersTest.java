/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reader sees of an engine that runs: calls, rows, bytes, and who waited for whom. */
class CountersTest
{
    private static final int LATE = 3;
    private static final int CYCLES = 400;

    @Test
    void shouldCountCallsByKind()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(1)))
        {
            world.runAndVerifyAll();
            final List<CallTime> calls = world.engines.get(2).counters().calls();
            assertEquals(List.of("dispatch", "cached dispatch", "combine"),
                calls.stream().map(CallTime::kind).toList());
            assertEquals(List.of(1L, 1L, 2L), calls.stream().map(CallTime::calls).toList());
            assertTrue(calls.stream().allMatch((call) -> call.ns() > 0), calls::toString);
            calls.forEach((call) -> assertEquals(call.calls(),
                call.byTime().stream().mapToLong(Long::longValue).sum(), call::toString));
        }
    }

    @Test
    void shouldCountRowsOfEachStageOnTheWayOutAndHome()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(2)))
        {
            final List<DispatchResult> results = world.dispatch(null);
            world.combineAndVerify(results);
            final long delivered = results.stream().mapToLong(DispatchResult::rows).sum();
            long abroad = 0;
            for (int rank = 0; rank < world.engines.size(); rank++)
            {
                final int[] perNode = world.engines.get(rank)
                    .layout(world.tensors.get(rank).idx, world.scenario.experts).tokensPerNode();
                abroad += perNode[1 - world.engines.get(rank).world().node()];
            }

            assertTrue(delivered > abroad && abroad > 0, "rows change nodes and are spread there");
            assertEquals(abroad, rows(world, Traffic.DISPATCH_SCALE_OUT));
            assertEquals(delivered, rows(world, Traffic.DISPATCH_SCALE_UP));
            assertEquals(delivered, rows(world, Traffic.COMBINE_SCALE_UP));
            assertEquals(abroad, rows(world, Traffic.COMBINE_SCALE_OUT));
        }
    }

    /** Metadata counts where it is put: between nodes, and within a node whose ranks cannot read it in place. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCountPayloadAndMetadataAsBytes(final boolean hasWindows)
    {
        final Scenario scenario = new Scenario(3);
        scenario.isWeighted = false;
        scenario.hasWindows = hasWindows;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.combineAndVerify(world.dispatch(null));
            final long rowBytes = 2L * scenario.hidden;
            assertEquals(rowBytes * rows(world, Traffic.COMBINE_SCALE_UP), bytes(world, Traffic.COMBINE_SCALE_UP));
            assertTrue(bytes(world, Traffic.DISPATCH_SCALE_OUT) > rowBytes * rows(world, Traffic.DISPATCH_SCALE_OUT));
            final long put =
                bytes(world, Traffic.DISPATCH_SCALE_UP) - rowBytes * rows(world, Traffic.DISPATCH_SCALE_UP);
            assertTrue(hasWindows ? 0 == put : put > 0, () -> put + " bytes of metadata within nodes");
        }
    }

    @Test
    void shouldBookWaitsOnTheRankThatIsLate()
    {
        try (SteppingWorld world = new SteppingWorld(new Scenario(4)))
        {
            final long beginNs = System.nanoTime();
            final List<Completion<DispatchResult>> calls = new ArrayList<>();
            for (int rank = 0; rank < LATE; rank++)
            {
                calls.add(world.engines.get(rank).dispatch(world.dispatchRequest(rank, null)));
            }

            final int[] cycles = {0};
            world.await("quiet", () -> ++cycles[0] > CYCLES);
            calls.add(world.engines.get(LATE).dispatch(world.dispatchRequest(LATE, null)));
            world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
            // Rank 1 is its same-rail peer, rank 2 is of its node; rank 0 meets it by way of both.
            assertTrue(waitNs(world, 1, LATE, "scale-out.notify") > 0, () -> waits(world, 1).toString());
            assertTrue(waitNs(world, 0, 1, "scale-up.notify") > 0, () -> waits(world, 0).toString());
            assertTrue(waits(world, 0).stream().noneMatch((wait) -> wait.rank() == LATE), "not a neighbour");
            final long ns = waits(world, 1).stream().mapToLong(PeerWait::ns).sum();
            assertTrue(ns > 0 && ns <= System.nanoTime() - beginNs, "one thread waits once at a time");
            assertTrue(waits(world, 1).stream().allMatch((wait) -> "dispatch".equals(wait.call())));
        }
    }

    @Test
    void shouldSayThatCreditWasAwaited()
    {
        final Scenario scenario = new Scenario(5);
        scenario.tokens = new int[]{40, 40, 40, 40};
        scenario.placement = "ring";
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.combineAndVerify(world.dispatch(null));
            for (final String call : List.of("dispatch", "combine"))
            {
                assertTrue(world.engines.stream().flatMap((engine) -> engine.counters().waits().stream())
                    .anyMatch((wait) -> wait.isCredit() && call.equals(wait.call()) && wait.ns() > 0), call);
            }
        }
    }

    @Test
    void shouldKeepTheFullestRingOfEachStage()
    {
        final Scenario scenario = new Scenario(8);
        scenario.tokens = new int[]{40, 40, 40, 40};
        scenario.placement = "ring";
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.combineAndVerify(world.dispatch(null));
            for (final Traffic traffic : Traffic.values())
            {
                final int slots = "scale-out".equals(traffic.stage()) ? scenario.outRing : scenario.upRing;
                final long most = world.engines.stream()
                    .mapToLong((engine) -> engine.counters().traffic().get(traffic.ordinal()).ringHighWater())
                    .max().orElseThrow();
                assertTrue(most > 1 && most <= slots, () -> traffic + ": " + most + " rows of " + slots + " slots");
            }
        }
    }

    @Test
    void shouldCountWhatTransportsRefuseForTheTimeBeing()
    {
        try (LoopbackWorld refusing = new LoopbackWorld(new Scenario(6), 2);
            LoopbackWorld willing = new LoopbackWorld(new Scenario(6), 0))
        {
            refusing.runAndVerifyAll();
            willing.runAndVerifyAll();
            assertTrue(refusing.engines.get(0).counters().backPressure() > 0);
            assertEquals(0, willing.engines.get(0).counters().backPressure());
        }
    }

    @Test
    void shouldAgreeWithTheStatisticsOnceCallsEnded()
    {
        final EngineCounters counters;
        final EngineStatistics statistics;
        try (SteppingWorld world = new SteppingWorld(new Scenario(7)))
        {
            world.runAndVerifyAll();
            counters = world.engines.get(1).counters();
            statistics = world.engines.get(1).statistics();
        }

        assertEquals(statistics.traffic(), counters.traffic(), "the engine is closed, its counters are not");
        assertEquals(statistics.callTimes(), counters.calls());
        assertEquals(statistics.dispatchScaleOutBytes(), counters.traffic().get(0).bytes());
        assertEquals(statistics.calls(), counters.calls().stream().mapToLong(CallTime::calls).sum());
    }

    private static List<PeerWait> waits(final EngineWorld world, final int rank)
    {
        return world.engines.get(rank).counters().waits();
    }

    private static long waitNs(final EngineWorld world, final int rank, final int peer, final String counter)
    {
        return waits(world, rank).stream().filter((wait) -> wait.rank() == peer && counter.equals(wait.counter()))
            .mapToLong(PeerWait::ns).sum();
    }

    private static long rows(final EngineWorld world, final Traffic traffic)
    {
        return world.engines.stream().mapToLong((engine) -> engine.counters().traffic().get(traffic.ordinal()).rows())
            .sum();
    }

    private static long bytes(final EngineWorld world, final Traffic traffic)
    {
        return world.engines.stream().mapToLong((engine) -> engine.counters().traffic().get(traffic.ordinal()).bytes())
            .sum();
    }
}
