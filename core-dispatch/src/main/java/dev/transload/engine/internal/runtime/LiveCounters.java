/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CallTime;
import dev.transload.engine.EngineCounters;
import dev.transload.engine.PeerWait;
import dev.transload.engine.RoleTime;
import dev.transload.engine.Traffic;
import dev.transload.engine.TrafficCount;
import dev.transload.engine.internal.normal.Role;
import dev.transload.engine.internal.observe.ThreadCounters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sums what each engine thread wrote, at the moment of asking. */
public final class LiveCounters implements EngineCounters
{
    private final CallStatistics book;
    private final List<ProgressThread> threads;

    public LiveCounters(final CallStatistics book, final List<ProgressThread> threads)
    {
        this.book = book;
        this.threads = threads;
    }

    @Override
    public List<CallTime> calls()
    {
        return book.calls();
    }

    @Override
    public List<TrafficCount> traffic()
    {
        final List<TrafficCount> counts = new ArrayList<>();
        for (final Traffic traffic : Traffic.values())
        {
            long rows = 0;
            long bytes = 0;
            long highWater = 0;
            for (final ProgressThread thread : threads)
            {
                rows += thread.counters().rows(traffic);
                bytes += thread.counters().bytes(traffic);
                highWater = Math.max(highWater, thread.counters().highWater(traffic));
            }

            counts.add(new TrafficCount(traffic, rows, bytes, highWater));
        }

        return counts;
    }

    @Override
    public List<PeerWait> waits()
    {
        return ThreadCounters.waits(threads.stream().map(ProgressThread::counters).toList());
    }

    @Override
    public List<RoleTime> roles()
    {
        final Map<String, RoleTime> times = new LinkedHashMap<>();
        for (final ProgressThread thread : threads)
        {
            for (final Role<?> role : thread.roles())
            {
                times.merge(role.name(), new RoleTime(role.name(), role.traffic(), role.busyNs(), role.waitNs()),
                    (a, b) -> new RoleTime(a.role(), a.traffic(), a.busyNs() + b.busyNs(), a.waitNs() + b.waitNs()));
            }
        }

        return List.copyOf(times.values());
    }

    @Override
    public long backPressure()
    {
        return threads.stream().mapToLong((thread) -> thread.counters().refusals()).sum();
    }

    @Override
    public long stagedBytes()
    {
        return threads.stream().mapToLong((thread) -> thread.counters().stagedBytes()).sum();
    }
}
