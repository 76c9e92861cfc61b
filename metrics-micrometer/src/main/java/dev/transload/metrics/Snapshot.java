/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import dev.transload.engine.CallTime;
import dev.transload.engine.EngineCounters;
import dev.transload.engine.PeerWait;
import dev.transload.engine.RoleTime;
import dev.transload.engine.Traffic;
import dev.transload.engine.TrafficCount;
import java.util.List;
import java.util.function.Predicate;

/** All counters of one moment: meters are read one by one, and summing the waits anew for each would cost. */
record Snapshot(
    long takenNs,
    List<CallTime> calls,
    List<TrafficCount> traffic,
    List<PeerWait> waits,
    List<RoleTime> roles,
    long backPressure,
    long stagedBytes)
{
    static Snapshot of(final EngineCounters counters)
    {
        return new Snapshot(System.nanoTime(), counters.calls(), counters.traffic(), counters.waits(),
            counters.roles(), counters.backPressure(), counters.stagedBytes());
    }

    TrafficCount of(final Traffic one)
    {
        return traffic.get(one.ordinal());
    }

    long waitNs(final Predicate<PeerWait> which)
    {
        return waits.stream().filter(which).mapToLong(PeerWait::ns).sum();
    }

    long waits(final Predicate<PeerWait> which)
    {
        return waits.stream().filter(which).mapToLong(PeerWait::times).sum();
    }
}
