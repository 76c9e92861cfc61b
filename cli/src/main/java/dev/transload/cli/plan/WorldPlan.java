/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.plan;

import dev.transload.cli.input.RankRoutes;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.internal.runtime.WorldTraffic;
import dev.transload.engine.internal.runtime.WorldTraffic.Hop;
import dev.transload.reference.Routing;
import dev.transload.spi.MemoryKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntToLongFunction;

/** Figures of a world whose ranks need not exist. Of large worlds with random gating only some ranks are looked at. */
final class WorldPlan
{
    private final EngineConfig config;
    private final RankRoutes routes;
    private final WorldTraffic traffic;
    private final boolean isStaged;
    private final int looked;

    /**
     * Look at what the ranks send.
     *
     * @param config   settings of the world.
     * @param routes   of its ranks.
     * @param isStaged whether rows that change nodes pass through host memory.
     */
    WorldPlan(final EngineConfig config, final RankRoutes routes, final boolean isStaged)
    {
        this.config = config;
        this.routes = routes;
        this.isStaged = isStaged;
        this.traffic = new WorldTraffic(config);
        this.looked = routes.affordable();
        for (int i = 0; i < looked; i++)
        {
            final int rank = (int)((long)i * config.worldSize() / looked);
            final Routing routing = routes.of(rank);
            traffic.add(rank, buffer(routing), routing.tokens(), routing.topk(), routes.experts(), routes.hidden(),
                routes.isFp8(), true);
        }
    }

    private static ByteBuffer buffer(final Routing routing)
    {
        final ByteBuffer buffer =
            ByteBuffer.allocateDirect(routing.idx().length * Long.BYTES).order(ByteOrder.nativeOrder());
        buffer.asLongBuffer().put(routing.idx());
        return buffer;
    }

    EngineConfig config()
    {
        return config;
    }

    RankRoutes routes()
    {
        return routes;
    }

    WorldTraffic traffic()
    {
        return traffic;
    }

    /** Ranks whose tokens were looked at: all, or as many as take seconds. */
    int looked()
    {
        return looked;
    }

    boolean isWhole()
    {
        return looked == config.worldSize();
    }

    /** Of all ranks, from those that were looked at. */
    long ofAll(final long ofLooked)
    {
        return isWhole() ? ofLooked : Math.round((double)ofLooked / looked * config.worldSize());
    }

    /** Bytes that a rank sends to others on average; as many come to it. */
    double mean(final Hop hop)
    {
        return (double)sum(hop::sent) / looked;
    }

    private long sum(final IntToLongFunction ofRank)
    {
        long sum = 0;
        for (int rank = 0; rank < config.worldSize(); rank++)
        {
            sum += ofRank.applyAsLong(rank);
        }

        return sum;
    }

    /** The most that any rank sends to others, or that comes to it; the mean where not all ranks were looked at. */
    double most(final Hop hop)
    {
        double most = mean(hop);
        for (int rank = 0; isWhole() && rank < config.worldSize(); rank++)
        {
            most = Math.max(most, Math.max(hop.sent(rank), hop.arriving(rank)));
        }

        return most;
    }

    /** Seconds that the busiest link takes, which nothing can be faster than; 0 where no rate is known. */
    double limit(final Hop out, final Hop up, final double outRate, final double upRate)
    {
        return Math.max(0 == outRate ? 0 : most(out) / outRate, 0 == upRate ? 0 : most(up) / upRate);
    }

    long hostBytes()
    {
        return traffic.memory(MemoryKind.HOST, isStaged);
    }

    /** Memory of a device, 0 where rows live in host memory. */
    long deviceBytes()
    {
        return config.payloadKind().isHost() ? 0 : traffic.memory(config.payloadKind(), isStaged);
    }

    /** Rows and scales of the output of the rank that receives most, or of the mean. */
    long outputBytes()
    {
        long most = sum(traffic::received) / looked;
        for (int rank = 0; isWhole() && rank < config.worldSize(); rank++)
        {
            most = Math.max(most, traffic.received(rank));
        }

        return most * WorldTraffic.rowBytes(routes.hidden(), routes.isFp8());
    }
}
