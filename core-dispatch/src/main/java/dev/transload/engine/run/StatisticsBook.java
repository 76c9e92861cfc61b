/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.run;

import dev.transload.engine.EngineStatistics;
import dev.transload.engine.RoleTime;
import dev.transload.engine.memory.Geometry;
import dev.transload.engine.route.ExpertRoutes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cumulative figures: written by the conductor at the end of calls, summed over roles when read. */
public final class StatisticsBook
{
    private final long[] waitNs;
    private long[] rowsPerExpert = new long[0];

    /**
     * Empty.
     *
     * @param geometry sizes.
     */
    public StatisticsBook(final Geometry geometry)
    {
        this.waitNs = new long[geometry.world().size()];
    }

    synchronized void enter(final Call call)
    {
        if (call instanceof DispatchCall)
        {
            enter((DispatchCall)call, call.routes().experts());
        }
    }

    private void enter(final DispatchCall call, final ExpertRoutes experts)
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

    /**
     * Read.
     *
     * @param calls   completed.
     * @param threads whose roles count.
     * @return figures.
     */
    public synchronized EngineStatistics read(final long calls, final List<EngineThread> threads)
    {
        final Map<String, long[]> times = new LinkedHashMap<>();
        final long[] bytes = new long[4];
        long stagedBytes = 0;
        for (final EngineThread thread : threads)
        {
            for (final Role role : thread.roles())
            {
                final long[] time = times.computeIfAbsent(role.name(), (name) -> new long[2]);
                time[0] += role.busyNs();
                time[1] += role.waitNs();
                stagedBytes += role.stagedBytes();
                if (null != role.traffic())
                {
                    bytes[role.traffic().ordinal()] += role.bytes();
                }
            }
        }

        final List<RoleTime> roles = new ArrayList<>();
        times.forEach((name, time) -> roles.add(new RoleTime(name, time[0], time[1])));
        return new EngineStatistics(
            calls, bytes[0], bytes[1], bytes[2], bytes[3], stagedBytes, rowsPerExpert.clone(), waitNs.clone(), roles);
    }
}
