/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.TimeBuckets;
import dev.transload.engine.loopback.InterceptedKernels;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a low-latency engine counts, beside what the inputs say by brute force. */
class LowLatencyCountersTest
{
    private static final int LOST = 2;
    private static final long TIMEOUT_NS = 60_000_000_000L;
    private static final long BETWEEN_NS = 5_000_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void shouldCountWhatTheInputsSay(final long seed)
    {
        final Scenario scenario = Scenario.random(seed, 0 == seed % 2 ? MemoryKind.HOST : SteppingOptions.OPAQUE);
        scenario.isReleasing = false;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.run();
            for (int rank = 0; rank < scenario.ranks(); rank++)
            {
                assertCounted(world, rank);
            }
        }
    }

    private static void assertCounted(final SteppingWorld world, final int rank)
    {
        final Scenario scenario = world.scenario;
        final LowLatencyCounters counters = world.engines.get(rank).counters();
        assertEquals(scenario.ranks(), counters.ranks());
        final long[] came = new long[counters.maxLocalExperts()];
        long sent = 0;
        long answered = 0;
        for (int call = 0; call < scenario.calls; call++)
        {
            final CallData data = world.data[call];
            for (int local = 0; local < scenario.localExperts(); local++)
            {
                final int expert = rank * scenario.localExperts() + local;
                came[local] += data.rows(expert, (source) -> true).size();
                answered += data.rows(expert, (source) -> rank != source).size();
            }

            for (int token = 0; token < data.tokens[rank]; token++)
            {
                sent += Arrays.stream(data.idx[rank], token * scenario.topk, (token + 1) * scenario.topk)
                    .filter((expert) -> expert >= 0 && expert / scenario.localExperts() != rank)
                    .map((expert) -> expert / scenario.localExperts()).distinct().count();
            }
        }

        final long[] counted = IntStream.range(0, came.length).mapToLong(counters::rows).toArray();
        assertArrayEquals(came, counted, scenario::toString);
        final int rowBytes = scenario.hidden * (scenario.isFp8 ? 1 : Short.BYTES);
        assertTrue(counters.sentBytes(LowLatencyCall.DISPATCH) >= sent * rowBytes, scenario::toString);
        assertEquals(0 == sent, 0 == counters.sentBytes(LowLatencyCall.DISPATCH), scenario::toString);
        assertEquals(answered * scenario.hidden * Short.BYTES, counters.sentBytes(LowLatencyCall.COMBINE),
            scenario::toString);
        for (final LowLatencyCall call : LowLatencyCall.values())
        {
            assertEquals(scenario.calls, counters.calls(call), scenario::toString);
            assertEquals(scenario.calls, IntStream.range(0, TimeBuckets.COUNT)
                .mapToLong((bucket) -> counters.calls(call, bucket)).sum(), scenario::toString);
            assertEquals(0, counters.waitNs(call, rank), scenario::toString);
            for (int peer = 0; peer < scenario.ranks(); peer++)
            {
                assertTrue(counters.waitNs(call, peer) <= counters.callNs(call), scenario::toString);
                assertTrue(counters.isActive(peer));
            }
        }

        assertEquals(0, counters.leftOut());
    }

    @Test
    void shouldBookAWaitOnTheKindOfCallAndSayWhoIsMasked()
    {
        final LowLatencyCounters counters;
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(1)))
        {
            final long timeoutNs = world.scenario.timeoutNs;
            world.unwell(LOST);
            world.scripts.stream().filter((script) -> LOST != script.rank).forEach((script) -> script.calls(0, 3));
            world.await(world::isDone);
            counters = world.engines.get(0).counters();
            assertTrue(counters.waitNs(LowLatencyCall.DISPATCH, LOST) >= timeoutNs);
            assertTrue(counters.callNs(LowLatencyCall.DISPATCH) >= timeoutNs);
            assertEquals(0, counters.waitNs(LowLatencyCall.COMBINE, LOST));
            assertTrue(counters.callNs(LowLatencyCall.COMBINE) < timeoutNs);
            assertEquals(world.engines.get(0).statistics().waitNsPerRank()[LOST],
                counters.waitNs(LowLatencyCall.DISPATCH, LOST));
            assertFalse(counters.isActive(LOST));
            assertTrue(counters.isActive(1));
            assertTrue(counters.leftOut() > 0);
        }

        assertEquals(3, counters.calls(LowLatencyCall.DISPATCH), "figures of a closed engine stay");
        assertThrows(IndexOutOfBoundsException.class, () -> counters.rows(2));
        assertThrows(IndexOutOfBoundsException.class, () -> counters.waitNs(LowLatencyCall.COMBINE, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> counters.isActive(-1));
    }

    @Test
    void shouldNotCountWhatIsReleased()
    {
        final Scenario scenario = Scenario.ofFour(2);
        scenario.isReleasing = true;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.run();
            final LowLatencyCounters counters = world.engines.get(0).counters();
            assertEquals(scenario.calls, counters.calls(LowLatencyCall.DISPATCH));
            assertEquals(0, counters.calls(LowLatencyCall.COMBINE));
            assertEquals(0, counters.callNs(LowLatencyCall.COMBINE));
            assertEquals(0, counters.sentBytes(LowLatencyCall.COMBINE));
        }
    }

    @Test
    void shouldCountTheLastWorkOfACall()
    {
        final Scenario scenario = Scenario.ofFour(4);
        scenario.timeoutNs = TIMEOUT_NS;
        scenario.missing = 0;
        final CallData data = new CallData(scenario, 0);
        try (ThreadedWorld world = new ThreadedWorld(scenario, new SlowKernels()))
        {
            world.run((engine) ->
            {
                final RankTensors tensors = new RankTensors(scenario, engine, null);
                final LowLatencyDispatchResult result = engine.dispatch(tensors.dispatch(data)).receive();
                engine.combine(tensors.verifyAndAnswer(result, scenario.toString())).receive();
                for (final LowLatencyCall call : LowLatencyCall.values())
                {
                    final long ns = engine.counters().callNs(call);
                    assertTrue(0 == data.tokens[engine.world().rank()] || ns >= SlowKernels.NS,
                        () -> call + ": " + ns + " ns");
                }
            });
        }
    }

    /** Whose packing and summing takes its time, on the thread that submits it. */
    private static final class SlowKernels extends InterceptedKernels
    {
        private static final long NS = 2_000_000;

        SlowKernels()
        {
            super(new HostRowKernelsProvider());
        }

        @Override
        protected Object answer(final RowKernels kernels, final Method method, final Object[] arguments)
            throws Throwable
        {
            final boolean isSlow = method.getName().equals("scatterRows") || method.getName().equals("reduceRows");
            for (final long beginNs = System.nanoTime(); isSlow && System.nanoTime() - beginNs < NS;)
            {
                Thread.onSpinWait();
            }

            return super.answer(kernels, method, arguments);
        }
    }

    @Test
    void shouldNotCountTheTimeBetweenSendingAndReceiving()
    {
        final Scenario scenario = Scenario.ofFour(3);
        scenario.timeoutNs = TIMEOUT_NS;
        final CallData data = new CallData(scenario, 0);
        try (ThreadedWorld world = new ThreadedWorld(scenario))
        {
            world.run((engine) ->
            {
                final RankTensors tensors = new RankTensors(scenario, engine, null);
                final long beginNs = System.nanoTime();
                final LowLatencyDispatchResult result = engine.dispatch(tensors.dispatch(data));
                final long sentNs = System.nanoTime();
                while (System.nanoTime() - sentNs < BETWEEN_NS)
                {
                    Thread.onSpinWait();
                }

                final long betweenNs = System.nanoTime() - sentNs;
                result.receive();
                final long allNs = System.nanoTime() - beginNs;
                final long countedNs = engine.counters().callNs(LowLatencyCall.DISPATCH);
                assertTrue(countedNs > 0 && countedNs <= allNs - betweenNs, () -> countedNs + " ns of " + allNs);
                result.close();
            });
        }
    }
}
