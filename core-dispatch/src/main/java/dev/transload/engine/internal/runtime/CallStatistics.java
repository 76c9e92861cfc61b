/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CallTime;
import dev.transload.engine.EngineCounters;
import dev.transload.engine.EngineStatistics;
import dev.transload.engine.TimeBuckets;
import dev.transload.engine.Traffic;
import dev.transload.engine.TrafficCount;
import dev.transload.engine.internal.normal.Call;
import dev.transload.engine.internal.normal.DispatchCall;
import dev.transload.engine.internal.observe.CounterBlock;
import dev.transload.engine.internal.plan.ReceiveLayout;
import dev.transload.engine.internal.world.Geometry;
import java.util.ArrayList;
import java.util.List;

/** Cumulative figures of calls: written by the conductor at their end. */
public final class CallStatistics
{
    private static final Call.Kind[] KINDS = Call.Kind.values();
    /** Words of a kind: calls, nanoseconds, calls by time. */
    private static final int BY_TIME = 2;
    private static final int CALL_WORDS = BY_TIME + TimeBuckets.COUNT;

    private final CounterBlock calls = new CounterBlock(KINDS.length * CALL_WORDS);
    private final long[] waitNs;
    private long[] rowsPerExpert = new long[0];

    public CallStatistics(final Geometry geometry)
    {
        this.waitNs = new long[geometry.world().size()];
    }

    synchronized void enter(final Call call)
    {
        final long ns = System.nanoTime() - call.startNs();
        final int at = call.kind().ordinal() * CALL_WORDS;
        calls.add(at + BY_TIME + TimeBuckets.of(ns), 1);
        calls.add(at + 1, ns);
        calls.add(at, 1);
        if (call instanceof DispatchCall)
        {
            enter((DispatchCall)call, call.plan().receiveLayout());
        }
    }

    private void enter(final DispatchCall call, final ReceiveLayout experts)
    {
        if (rowsPerExpert.length != experts.localExperts())
        {
            rowsPerExpert = new long[experts.localExperts()];
        }

        for (int expert = 0; expert < rowsPerExpert.length; expert++)
        {
            rowsPerExpert[expert] += experts.countOf(expert);
        }

        for (int rank = 0; rank < waitNs.length; rank++)
        {
            waitNs[rank] += call.waitNs(rank);
        }
    }

    /** Time of calls, without a lock. */
    List<CallTime> calls()
    {
        final List<CallTime> times = new ArrayList<>();
        for (final Call.Kind kind : KINDS)
        {
            final int at = kind.ordinal() * CALL_WORDS;
            final List<Long> byTime = new ArrayList<>();
            for (int bucket = 0; bucket < TimeBuckets.COUNT; bucket++)
            {
                byTime.add(calls.get(at + BY_TIME + bucket));
            }

            times.add(new CallTime(kind.toString(), calls.get(at), calls.get(at + 1), byTime));
        }

        return times;
    }

    public synchronized EngineStatistics read(final long completed, final EngineCounters counters)
    {
        final List<TrafficCount> traffic = counters.traffic();
        return new EngineStatistics(
            completed,
            bytes(traffic, Traffic.DISPATCH_SCALE_OUT), bytes(traffic, Traffic.DISPATCH_SCALE_UP),
            bytes(traffic, Traffic.COMBINE_SCALE_OUT), bytes(traffic, Traffic.COMBINE_SCALE_UP),
            counters.stagedBytes(), rowsPerExpert.clone(), waitNs.clone(), counters.roles(), traffic, counters.calls(),
            counters.waits());
    }

    private static long bytes(final List<TrafficCount> traffic, final Traffic of)
    {
        return traffic.get(of.ordinal()).bytes();
    }
}
