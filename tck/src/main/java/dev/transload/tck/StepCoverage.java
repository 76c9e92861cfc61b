/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** What random worlds of steps have met, so that a test can require it of its seeds. */
public final class StepCoverage
{
    private final Map<Event, Long> counts = new EnumMap<>(Event.class);

    /** Something that a world meets, once for each time that it happens. */
    public enum Event
    {
        /** A world has begun. */
        WORLD,
        /** A rank has ended a call, and its rows and sums agreed with brute force. */
        CALL,
        /** A rank was stopped in its calls for good. */
        KILL,
        /** A rank was stopped in its calls and went on. */
        STALL,
        /** A rank went on that others had masked meanwhile. */
        LATE_RANK,
        /** A rank was given ids that select nothing, or an expert twice. */
        WRONG_IDS,
        /** A dispatch had fewer tokens than its arguments say, by the count in memory. */
        RAGGED_BATCH,
        /** A rank had no tokens in a call. */
        NO_TOKENS,
        /** A world whose experts are no multiple of its ranks. */
        UNEVEN_EXPERTS,
        /** A pair of ranks took part again, as its second generation. */
        SECOND_GENERATION,
        /** The same, as its third generation. */
        THIRD_GENERATION,
        /** A call had no combine. */
        NO_COMBINE,
        /** A call whose number begins the tags anew. */
        TAG_WRAP,
        /** Rows of a source that was lost keep their places, and nobody may look at them. */
        LOST_ROWS,
        /** An answer was left out. */
        LEFT_OUT,
        /** A dispatch cast its rows. */
        FP8,
        /** A dispatch put rows into slots. */
        SLOTS,
        /** A pair of ranks that is far from each other. */
        FAR_PAIR,
        /** A world whose answers are pushed. */
        PUSHED
    }

    /** Nothing yet. */
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
     * What was met less often than a number of times.
     *
     * @param times that are enough.
     * @return events.
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
