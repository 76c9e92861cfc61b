/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.EngineCounters;
import dev.transload.engine.RoleTime;
import dev.transload.engine.TrafficCount;
import dev.transload.engine.internal.normal.Call;
import dev.transload.engine.internal.observe.CallEvent;
import dev.transload.engine.internal.observe.FlightRecording;
import dev.transload.engine.internal.observe.StageEvent;
import java.util.List;

/** Events of a call and its stages for the flight recorder: what the counters gained from its start to its end. */
final class CallRecorder
{
    private final int rank;
    private final EngineCounters counters;
    private CallEvent event;
    private List<RoleTime> rolesBefore;
    private List<TrafficCount> trafficBefore;

    CallRecorder(final int rank, final EngineCounters counters)
    {
        this.rank = rank;
        this.counters = counters;
    }

    void start(final Call call)
    {
        event = FlightRecording.isOn() ? CallEvent.start() : null;
        rolesBefore = FlightRecording.isOn() && StageEvent.isOn() ? counters.roles() : null;
        trafficBefore = null != event || null != rolesBefore ? counters.traffic() : null;
        if (null != event)
        {
            event.name(rank, call.number(), call.kind().toString());
        }
    }

    /** Before the call's plan is given back. */
    void end(final Call call, final CallFailedException failure)
    {
        if (null == trafficBefore)
        {
            return;
        }

        final List<TrafficCount> traffic = counters.traffic();
        if (null != event)
        {
            long bytes = 0;
            for (int i = 0; i < traffic.size(); i++)
            {
                bytes += traffic.get(i).bytes() - trafficBefore.get(i).bytes();
            }

            event.finish(call.plan().tokens(), null == failure ? call.plan().rows() : 0, bytes,
                null == failure ? null : failure.reason().name());
        }

        if (null != rolesBefore)
        {
            recordStages(call, counters.roles(), traffic);
        }
    }

    private void recordStages(final Call call, final List<RoleTime> roles, final List<TrafficCount> traffic)
    {
        for (int i = 0; i < roles.size(); i++)
        {
            final RoleTime role = roles.get(i);
            final long busyNs = role.busyNs() - rolesBefore.get(i).busyNs();
            final long waitNs = role.waitNs() - rolesBefore.get(i).waitNs();
            final int at = null == role.traffic() ? -1 : role.traffic().ordinal();
            if (busyNs + waitNs > 0)
            {
                StageEvent.record(rank, call.number(), role.role(), at < 0 ? null : role.traffic().stage(), busyNs,
                    waitNs, at < 0 ? 0 : traffic.get(at).rows() - trafficBefore.get(at).rows(),
                    at < 0 ? 0 : traffic.get(at).bytes() - trafficBefore.get(at).bytes());
            }
        }
    }
}
