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

/** Calls of the low-latency mode. */
final class LowLatencyTrialCalls implements TrialCalls
{
    /** New memory is touched by each lane in calls of both parities, then there is code to compile. */
    private static final int LEAST_WARM_CALLS = 8;
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
    public Sample measure(final Settings settings, final Rendezvous world, final int calls)
    {
        final LowLatencyConfig config = LowLatencyConfig.from(settings.config());
        final int warmup = Math.max((LEAST_WARM_CALLS + input.calls() - 1) / input.calls(), calls / WARM_PART);
        try (LowLatencyEngine engine = RankComposition.lowLatencyEngine(config, world);
            TimedCalls exchange = new TimedCalls(engine, input, place.rank(), warmup, calls))
        {
            final Sample sample = Sample.of(warmup, calls, exchange::iterate, exchange::meanNs);
            // A rank that is closed already would be masked by those that still call.
            world.allGather("called", ByteBuffer.allocate(0), config.common().openTimeout());
            final String lost = exchange.lost();
            return null == lost ? sample.reaching(reach(engine)) : Sample.failed(lost);
        }
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
