/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** What one kind of role did in a call, summed over its instances on this rank; at the call's end. */
@Name("dev.transload.Stage")
@Label("Stage")
@Category("Transload")
@Description("Share of one kind of role in a call")
@StackTrace(false)
public final class StageEvent extends Event
{
    private static final StageEvent PROBE = new StageEvent();

    @Label("Rank")
    private int rank;

    @Label("Call Number")
    private long call;

    @Label("Role")
    private String role;

    @Label("Stage")
    @Description("Whose ring its rows go into: scale-out or scale-up; null for roles that fill none")
    private String stage;

    @Label("Busy")
    @Description("Time of duty cycles that did work")
    @Timespan
    private long busy;

    @Label("Waiting")
    @Description("Time of duty cycles that found nothing to do")
    @Timespan
    private long waiting;

    @Label("Rows")
    private long rows;

    @Label("Bytes")
    @DataAmount
    private long bytes;

    private StageEvent()
    {
        super();
    }

    /**
     * Whether figures are worth collecting.
     *
     * @return true while somebody records these events.
     */
    public static boolean isOn()
    {
        return PROBE.isEnabled();
    }

    /**
     * A role's figures of a call.
     *
     * @param callNumber of the call.
     * @param stageName  or null.
     * @param busyNs     of the call.
     * @param waitNs     of the call.
     * @param rowsMoved  of the call.
     * @param bytesMoved of the call.
     */
    public static void record(
        final int ownRank, final long callNumber, final String roleName, final String stageName, final long busyNs,
        final long waitNs, final long rowsMoved, final long bytesMoved)
    {
        final StageEvent event = new StageEvent();
        event.rank = ownRank;
        event.call = callNumber;
        event.role = roleName;
        event.stage = stageName;
        event.busy = busyNs;
        event.waiting = waitNs;
        event.rows = rowsMoved;
        event.bytes = bytesMoved;
        event.commit();
    }
}
