/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import dev.transload.engine.CallTime;
import dev.transload.engine.EngineCounters;
import dev.transload.engine.PeerWait;
import dev.transload.engine.RoleTime;
import dev.transload.engine.TimeBuckets;
import dev.transload.engine.Traffic;
import dev.transload.engine.TrafficCount;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Counters that a test moves: every figure is a different multiple of what it set. */
final class FakeCounters implements EngineCounters
{
    volatile long unit;
    /** Whether the unit grows with each look at the calls, thus with each snapshot. */
    volatile boolean growing;

    @Override
    public List<CallTime> calls()
    {
        if (growing)
        {
            unit++;
        }

        return List.of(new CallTime("dispatch", unit, 2_000_000_000L * unit, inBucket(2, unit)),
            new CallTime("cached dispatch", 3 * unit, 4_000_000_000L * unit, inBucket(0, 3 * unit)),
            new CallTime("combine", 5 * unit, 6_000_000_000L * unit, inBucket(TimeBuckets.COUNT - 1, 5 * unit)));
    }

    private static List<Long> inBucket(final int bucket, final long calls)
    {
        return IntStream.range(0, TimeBuckets.COUNT).mapToObj((at) -> bucket == at ? calls : 0L).toList();
    }

    @Override
    public List<TrafficCount> traffic()
    {
        final List<TrafficCount> counts = new ArrayList<>();
        for (final Traffic traffic : Traffic.values())
        {
            final long factor = 10L * (1 + traffic.ordinal());
            counts.add(new TrafficCount(traffic, factor * unit, (factor + 1) * unit, (factor + 2) * unit));
        }

        return counts;
    }

    @Override
    public List<PeerWait> waits()
    {
        return List.of(new PeerWait("dispatch", 1, "scale-out.tail", 7_000_000_000L * unit, 70 * unit),
            new PeerWait("dispatch", 1, "scale-out.head", 8_000_000_000L * unit, 80 * unit),
            new PeerWait("combine", 0, "scale-up.head", 9_000_000_000L * unit, 90 * unit));
    }

    @Override
    public List<RoleTime> roles()
    {
        return List.of(new RoleTime("receiver", null, 11_000_000_000L * unit, 12_000_000_000L * unit));
    }

    @Override
    public long backPressure()
    {
        return 13 * unit;
    }

    @Override
    public long stagedBytes()
    {
        return 14 * unit;
    }
}
