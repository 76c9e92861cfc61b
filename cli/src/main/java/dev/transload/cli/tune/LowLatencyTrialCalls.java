/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.lowlatency.CallInput;
import dev.transload.cli.lowlatency.TimedCalls;
import dev.transload.cli.rank.RankComposition;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.rendezvous.Rendezvous;
import java.nio.ByteBuffer;
import java.time.Duration;

/** Calls of the low-latency mode. */
final class LowLatencyTrialCalls implements TrialCalls
{
    /** Each of two lanes touches new memory in calls of both parities. */
    private static final int FIRST_CALLS = 4;

    /** Of those that are timed: a thread that takes the core that others wait for makes calls many times as long. */
    private static final int FEWEST_CALLS = 3;

    /** Then there is code to compile, by calls that are a part of those that are timed. */
    private static final int WARM_PART = 4;

    private final RankPlace place;
    private final CallInput input;
    private final long mostBytes;

    /**
     * On a rank.
     *
     * @param place     of this rank, with the default settings.
     * @param input     of all ranks.
     * @param mostBytes that buffers of a rank may take.
     */
    LowLatencyTrialCalls(final RankPlace place, final CallInput input, final long mostBytes)
    {
        this.place = place;
        this.input = input;
        this.mostBytes = mostBytes;
    }

    @Override
    public int most()
    {
        return 2000;
    }

    /**
     * Where other ranks are far than by default, rows that are sent to them have buffers too, and those that come from
     * them may have others than those of near ranks.
     */
    @Override
    public String refusal(final Settings settings)
    {
        final LowLatencyConfig config = LowLatencyConfig.from(settings.config());
        final EngineConfig common = config.common();
        final long bytes = (common.nodes() > 1 ? 3 : 2) * LowLatencyEngine.bytes(config.maxTokens(),
            common.maxHidden(), common.worldSize(), common.maxExperts(), common.maxTopk());
        return bytes <= mostBytes || LowLatencyConfig.from(place.settings().config()).near() == config.near() ? null :
            "its buffers need up to " + (bytes >> 20) + " MiB a rank, of which there are " + (mostBytes >> 20);
    }

    @Override
    public Sample measure(final Settings settings, final Rendezvous world, final int calls, final long longestNs)
    {
        final LowLatencyConfig config = LowLatencyConfig.from(settings.config());
        try (LowLatencyEngine engine = RankComposition.lowLatencyEngine(config, world);
            TimedCalls exchange = new TimedCalls(engine, input, place.rank(), FIRST_CALLS + calls / WARM_PART + calls))
        {
            final long callNs = slowest(world, first(exchange), config.common().openTimeout());
            final int count = (int)Math.min(calls, Math.max(FEWEST_CALLS, longestNs / callNs));
            final Sample sample = Sample.of(count / WARM_PART, count, exchange::iterate);
            // A rank that is closed already would be masked by those that still call.
            world.allGather("called", ByteBuffer.allocate(0), config.common().openTimeout());
            final String lost = exchange.lost();
            return null == lost ? sample.reaching(reach(engine)) : Sample.failed(lost);
        }
    }

    /** Time of the fastest of the first calls, which also touch all memory. */
    private static long first(final TimedCalls exchange)
    {
        long leastNs = Long.MAX_VALUE;
        for (int call = 0; call < FIRST_CALLS; call++)
        {
            leastNs = Math.min(leastNs, exchange.iterate());
        }

        return leastNs;
    }

    /** Of all ranks, which are to make equally many calls. */
    private static long slowest(final Rendezvous world, final long ownNs, final Duration timeout)
    {
        long slowestNs = 1;
        for (final ByteBuffer theirs : world.allGather(
            "first", ByteBuffer.allocate(Long.BYTES).putLong(0, ownNs), timeout))
        {
            slowestNs = Math.max(slowestNs, theirs.getLong(theirs.position()));
        }

        return slowestNs;
    }

    /** How other ranks are reached. */
    private static int reach(final LowLatencyEngine engine)
    {
        int reach = 0;
        for (int other = 0; other < engine.world().size(); other++)
        {
            if (other != engine.world().rank())
            {
                reach |= !engine.isNear(other) ? LowLatencySpace.FAR_RANKS :
                    engine.world().nodeOf(other) == engine.world().node() ? LowLatencySpace.NEAR_RANKS :
                    LowLatencySpace.NEAR_RANKS | LowLatencySpace.NEAR_ELSEWHERE;
            }
        }

        return reach;
    }
}
