/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Worlds that lose ranks, which of them, and when. */
final class DrawnLosses
{
    private final Random random;

    DrawnLosses(final Random random)
    {
        this.random = random;
    }

    /** A world of any form; any kind of memory, also staged. */
    static Scenario scenario(final long seed)
    {
        final boolean isStaged = 1 == seed / 2 % 3;
        final MemoryKind kind = 0 == seed / 2 % 3 ? MemoryKind.HOST : SteppingOptions.OPAQUE;
        return 0 == seed % 2 ? Scenario.randomUneven(seed, kind, isStaged) :
            isStaged ? Scenario.randomStaged(seed, kind) : Scenario.random(seed, kind);
    }

    /** One rank, or two, so that those left may decide: more than half, or half with the lowest one. */
    List<Integer> victims(final Collection<Integer> present)
    {
        final List<Integer> ranks = new ArrayList<>(present);
        final int lowest = ranks.get(0);
        Collections.shuffle(ranks, random);
        final int count = Math.min(0 == random.nextInt(3) ? 2 : 1, ranks.size() / 2);
        if (2 * count == ranks.size())
        {
            ranks.remove((Integer)lowest);
        }

        return ranks.subList(0, count);
    }

    /** Go on for a while, or until some ranks have ended their calls: they may have returned what others still need. */
    void goOn(
        final SteppingWorld world, final Map<Integer, ? extends Completion<?>> calls, final Collection<Integer> ended,
        final Duration bound)
    {
        if (random.nextBoolean())
        {
            world.pump((int)Math.exp(random.nextDouble() * 6) - 1);
            return;
        }

        final int enough = random.nextInt(calls.size());
        world.await("ended by " + enough, () -> calls.entrySet().stream().filter((call) ->
            ended.contains(call.getKey()) || call.getValue().isDone()).count() >= enough, bound);
    }
}
