/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** What of a fabric can take a step, what is paused, and which channels will fail; time is counted in steps. */
final class Schedule
{
    private final Chance chance;
    private final List<StepQueue> active = new ArrayList<>();
    private final Set<StepQueue> isActive = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<SteppingChannel> failing = new ArrayList<>();
    private final BitSet paused = new BitSet();
    private long now;

    Schedule(final Chance chance)
    {
        this.chance = chance;
    }

    long now()
    {
        return now;
    }

    void tick()
    {
        now++;
        if (!failing.isEmpty())
        {
            failing.removeIf(SteppingChannel::failIfDue);
        }
    }

    /** Lets one queue take one step; returns whether anything is left to do. */
    boolean step()
    {
        while (!active.isEmpty())
        {
            final int index = chance.below(active.size());
            final StepQueue queue = active.get(index);
            if (!queue.isEmpty())
            {
                if (!isPaused(queue.rank()))
                {
                    queue.step();
                }

                break;
            }

            active.set(index, active.get(active.size() - 1));
            active.remove(active.size() - 1);
            isActive.remove(queue);
        }

        return hasRunnable();
    }

    void activate(final StepQueue queue)
    {
        if (isActive.add(queue))
        {
            active.add(queue);
        }
    }

    void failLater(final SteppingChannel channel)
    {
        failing.add(channel);
    }

    void kill(final int rank)
    {
        active.forEach((queue) -> queue.kill(rank));
    }

    void pause(final int rank)
    {
        paused.set(rank);
    }

    void resume(final int rank)
    {
        paused.clear(rank);
    }

    boolean isPaused(final int rank)
    {
        return rank >= 0 && paused.get(rank);
    }

    private boolean hasRunnable()
    {
        for (int i = 0; i < active.size(); i++)
        {
            final StepQueue queue = active.get(i);
            if (!queue.isEmpty() && !queue.isBlocked() && !isPaused(queue.rank()))
            {
                return true;
            }
        }

        return !failing.isEmpty();
    }
}
