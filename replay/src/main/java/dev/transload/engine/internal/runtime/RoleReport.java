/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.internal.normal.Role;
import dev.transload.engine.internal.wire.Wait;
import java.util.ArrayList;
import java.util.List;

/** What the roles of an engine wait for, for tests that found it stalled. */
public final class RoleReport
{
    private RoleReport()
    {
    }

    /** One line a role that is not finished; only while nothing drives the engine. */
    public static String of(final List<ProgressThread> threads)
    {
        final StringBuilder text = new StringBuilder();
        final Wait wait = new Wait();
        for (final ProgressThread thread : threads)
        {
            for (final Role<?> role : thread.roles())
            {
                if (role.isUnderWay())
                {
                    text.append("\n    ").append(role.name()).append(" waits for ")
                        .append(role.isWaiting(wait) ? wait.describe() : "no rank");
                }
            }
        }

        return text.toString();
    }

    /** What has not come yet of all that roles wait for; only while nothing drives the engine. */
    public static List<Wait> open(final List<ProgressThread> threads)
    {
        final List<Wait> waits = new ArrayList<>();
        for (final ProgressThread thread : threads)
        {
            for (final Role<?> role : thread.roles())
            {
                final Wait wait = new Wait();
                if (role.isUnderWay() && role.isWaiting(wait) && wait.isOpen())
                {
                    waits.add(wait);
                }
            }
        }

        return waits;
    }

    /**
     * What a missed deadline would say: of all that threads wait for, what is nearest to the cause.
     *
     * @param threads   of an engine that is stalled.
     * @param ownRank   of the engine.
     * @param isCombine whether a combine is under way.
     * @param progress  for a while, between two looks: loads that poll for credit are always under way, and only those
     *                  that stay where they are have stalled.
     * @return wait, null where none can name one.
     */
    public static Wait nearest(
        final List<ProgressThread> threads, final int ownRank, final boolean isCombine, final Runnable progress)
    {
        threads.forEach((thread) -> thread.look(false));
        progress.run();
        Wait nearest = null;
        for (final ProgressThread thread : threads)
        {
            thread.look(true);
            final Wait wait = thread.report();
            if (null != wait && (null == nearest || Conductor.isNearer(wait, nearest, ownRank, isCombine)))
            {
                nearest = wait;
            }
        }

        return nearest;
    }
}
