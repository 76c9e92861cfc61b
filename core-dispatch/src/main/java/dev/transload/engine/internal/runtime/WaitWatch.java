/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.normal.Call;
import dev.transload.engine.internal.normal.Role;
import dev.transload.engine.internal.observe.FlightRecording;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.observe.WaitEvent;
import dev.transload.engine.internal.wire.Wait;
import java.util.List;

/**
 * What one engine thread waits for. Time in which none of its roles found work is booked on what one of them, in turn,
 * waits for; several times a second the wait that is nearest to the cause is reported to the conductor.
 */
final class WaitWatch
{
    private static final long REPORT_INTERVAL_NS = 50_000_000L;

    /** So often must transports have made progress between two looks, without a pause of this thread. */
    private static final int LEAST_CYCLES = 4;

    private final int ownRank;
    private final Board board;
    private final List<Role<?>> roles;
    private final StalledConnections connections;
    private final ThreadCounters counters;
    private final Wait[] reports = {new Wait(), new Wait()};
    private final Wait scratch = new Wait();
    private final Wait recorded = new Wait();
    private volatile Wait report;
    private WaitEvent event;
    private boolean isStill;
    private int turn;
    private long lastNs;
    private long reportNs;
    private int cycles;

    /** Of a thread whose roles and connections may still be added. */
    WaitWatch(
        final Board board, final List<Role<?>> roles, final StalledConnections connections,
        final ThreadCounters counters)
    {
        this.ownRank = connections.ownRank();
        this.board = board;
        this.roles = roles;
        this.connections = connections;
        this.counters = counters;
    }

    /** A duty cycle ended. */
    void cycle(final int work, final long nowNs)
    {
        if (work > 0)
        {
            resume();
        }
        else
        {
            bookWait(nowNs - lastNs);
        }

        cycles = nowNs - lastNs < REPORT_INTERVAL_NS / 2 ? cycles + 1 : 0;
        lastNs = nowNs;
        if (nowNs - reportNs > REPORT_INTERVAL_NS)
        {
            reportNs = nowNs;
            look(cycles >= LEAST_CYCLES);
            cycles = 0;
        }
    }

    /**
     * Report anew. A channel has stalled if operations that it had at the last look are where they were.
     *
     * @param isSteady whether transports have made progress since then; else they may not know yet what is done.
     */
    void look(final boolean isSteady)
    {
        final Wait candidate = reports[reports[0] == report ? 1 : 0];
        if (null != board.active())
        {
            connections.requireAlive();
        }

        final boolean isStalled = connections.find(candidate) && isSteady && null != board.active();
        report = isStalled ? candidate : nearest(candidate, false);
    }

    /**
     * What this thread's roles wait for, refreshed several times a second; any thread may ask.
     *
     * @return wait, or null for nothing.
     */
    Wait report()
    {
        return report;
    }

    private void bookWait(final long ns)
    {
        final Call call = board.active();
        for (int i = 0, size = roles.size(); null != call && i < size; i++)
        {
            turn = turn + 1 < size ? turn + 1 : 0;
            final Role<?> role = roles.get(turn);
            if (isWaiting(role, true))
            {
                counters.countFor(call.isCombine());
                counters.waited(scratch, ns, !isStill);
                if (!isStill)
                {
                    isStill = true;
                    record(call);
                }

                return;
            }
        }
    }

    private void record(final Call call)
    {
        event = FlightRecording.isOn() ? WaitEvent.start() : null;
        // What the role waited for a moment ago may have come by now.
        if (null != event && null != nearest(recorded, true))
        {
            event.fill(ownRank, call.number(), recorded);
        }
        else
        {
            event = null;
        }
    }

    /** The wait is over: the thread has work again, or ends. */
    void resume()
    {
        isStill = false;
        if (null != event)
        {
            event.commit();
            event = null;
        }
    }

    /** What has come already is no open wait: the role takes it in its next cycle. Fills the scratch. */
    private boolean isWaiting(final Role<?> role, final boolean isOpenOnly)
    {
        return role.isUnderWay() && role.isWaiting(scratch) && (!isOpenOnly || scratch.isOpen());
    }

    private Wait nearest(final Wait candidate, final boolean isOpenOnly)
    {
        final Call call = board.active();
        boolean isFound = false;
        for (int i = 0, size = roles.size(); null != call && i < size; i++)
        {
            if (isWaiting(roles.get(i), isOpenOnly) &&
                (!isFound || Conductor.isNearer(scratch, candidate, ownRank, call.isCombine())))
            {
                candidate.copy(scratch);
                isFound = true;
            }
        }

        return isFound ? candidate : null;
    }
}
