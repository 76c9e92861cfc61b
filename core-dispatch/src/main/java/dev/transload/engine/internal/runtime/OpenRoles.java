/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.normal.Call;
import dev.transload.engine.internal.normal.Role;
import dev.transload.engine.internal.observe.ThreadCounters;
import java.util.List;

/**
 * Roles of one engine thread that the call under way is not over for. A role that is done with its part is not looked
 * at again before the next call: a thread that waits has little to look at, and gives its core back the sooner. Urgent
 * roles are looked at again after each other one that did something.
 */
final class OpenRoles
{
    private final Board board;
    private final List<Role<?>> roles;
    private final Role<?> gate;
    private final ThreadCounters counters;
    private Role<?>[] open = {};
    private int count;
    private long callNumber;
    private long nowNs;

    /**
     * Of a thread whose roles may still be added.
     *
     * @param roles of the thread, the gate first.
     * @param gate  which others wait for.
     */
    OpenRoles(final Board board, final List<Role<?>> roles, final Role<?> gate, final ThreadCounters counters)
    {
        this.board = board;
        this.roles = roles;
        this.gate = gate;
        this.counters = counters;
    }

    /**
     * A duty cycle. Reading the clock costs as much as finding out that a role has no work. So it is read where one had
     * some, which is booked the time since the clock was read last, and once a cycle in which none had, which the roles
     * share as their waiting.
     */
    int doWork()
    {
        final Call call = board.active();
        if (null != call && call.number() != callNumber)
        {
            callNumber = call.number();
            open = roles.toArray(open);
            count = roles.size();
        }

        nowNs = System.nanoTime();
        int work = 0;
        int kept = 0;
        for (int i = 0; i < count; i++)
        {
            final Role<?> role = open[i];
            final int done = step(role, call);
            work += done;
            if (gate.isUnderWay())
            {
                kept = count;
                break;
            }

            if (done > 0 && !role.isUrgent())
            {
                work += stepUrgent(kept, call);
            }

            if (role.isUnderWay())
            {
                open[kept++] = role;
            }
        }

        count = kept;
        if (0 == work)
        {
            share();
        }

        return work;
    }

    private int step(final Role<?> role, final Call call)
    {
        final int done = null == call ? 0 : role.doWork(call, counters);
        if (done > 0)
        {
            final long endNs = System.nanoTime();
            role.bookWork(endNs - nowNs);
            nowNs = endNs;
        }

        return done;
    }

    private int stepUrgent(final int kept, final Call call)
    {
        int work = 0;
        for (int i = 0; i < kept && open[i].isUrgent(); i++)
        {
            work += open[i].isUnderWay() ? step(open[i], call) : 0;
        }

        return work;
    }

    /**
     * Time at the end of the last duty cycle.
     *
     * @return nanoseconds of {@link System#nanoTime()}.
     */
    long nowNs()
    {
        return nowNs;
    }

    private void share()
    {
        final long endNs = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            open[i].bookWaiting((endNs - nowNs) / count);
        }

        nowNs = endNs;
    }
}
