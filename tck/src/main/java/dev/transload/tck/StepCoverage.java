/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Counts events in runs of {@link StepWorld}, so that a test can require that its seeds produced every event. */
public final class StepCoverage
{
    private final Map<Event, Long> counts = new EnumMap<>(Event.class);

    /** Event that is counted each time it happens. */
    public enum Event
    {
        /** A world was started. */
        WORLD,
        /** A rank completed a call, and its rows and sums were equal to those of a brute-force computation. */
        CALL,
        /** A rank was stopped permanently during its calls. */
        KILL,
        /** A rank was stopped during its calls and resumed later. */
        STALL,
        /** A rank resumed after other ranks had masked it. */
        LATE_RANK,
        /** A rank's tokens had IDs that are not allowed: not below the number of experts, or the same expert twice. */
        WRONG_IDS,
        /** The token count in memory was smaller than the number of tokens in the arguments of a dispatch. */
        RAGGED_BATCH,
        /** A rank had no tokens in a call. */
        NO_TOKENS,
        /** The number of experts of a world was not a multiple of its number of ranks. */
        UNEVEN_EXPERTS,
        /** A pair of ranks communicated again, in the second generation of its connection. */
        SECOND_GENERATION,
        /** A pair of ranks communicated again, in the third generation of its connection. */
        THIRD_GENERATION,
        /** A call had no combine. */
        NO_COMBINE,
        /** The tags of calls, which are derived from the call numbers, wrapped around. */
        TAG_WRAP,
        /** The output of a rank had places for rows of a failed source. These places must not be read. */
        LOST_ROWS,
        /** A combine left out an answer. */
        LEFT_OUT,
        /** A dispatch cast its rows. */
        FP8,
        /** A dispatch wrote rows to slots. */
        SLOTS,
        /** A pair of ranks exchanged rows by puts instead of stores. */
        FAR_PAIR,
        /** A world was started in which answers are pushed. */
        PUSHED
    }

    /** Creates empty counters. */
    public StepCoverage()
    {
    }

    void add(final Event event)
    {
        counts.merge(event, 1L, Long::sum);
    }

    void addIf(final boolean isSo, final Event event)
    {
        if (isSo)
        {
            add(event);
        }
    }

    /**
     * Returns the events that happened less often than a given number of times.
     *
     * @param times required number of times.
     * @return events that happened less often.
     */
    public Set<Event> lessOftenThan(final long times)
    {
        final Set<Event> rare = EnumSet.noneOf(Event.class);
        for (final Event event : Event.values())
        {
            if (counts.getOrDefault(event, 0L) < times)
            {
                rare.add(event);
            }
        }

        return rare;
    }

    @Override
    public String toString()
    {
        return counts.toString();
    }
}
